import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  answerAction,
  approvalAction,
  questionKey,
  readAction,
  verbAction,
} from "../../../../src/contract/platform/view-actions.ts";

const FITS = /^[A-Za-z0-9_:.-]{1,80}$/;
const ID = "0b0e6a1c-7d0f-4f7e-9b6c-4a5d8e1f2a3b";

describe("actions of buttons", () => {
  it.each(["once", "timed", "deny", "cancel"] as const)("an approval's %s comes back", (choice) => {
    for (const asksReason of [false, true]) {
      const action = approvalAction(ID, choice, { asksReason });
      expect(action).toMatch(FITS);
      expect(readAction(action)).toEqual({ kind: "approval", approval: ID, choice });
    }
    expect(approvalAction(ID, "deny")).not.toBe(approvalAction(ID, "deny", { asksReason: true }));
  });

  it("answers come back for any call id, and different ids stay apart", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (one, other) => {
        const action = answerAction(one, { as: "option", option: 2 });
        expect(action).toMatch(FITS);
        expect(readAction(action)).toEqual({
          kind: "answer",
          key: questionKey(one),
          answer: { as: "option", option: 2 },
        });
        // Half characters look the same in UTF-8; no model sends them.
        fc.pre(one.isWellFormed() && other.isWellFormed());
        expect(questionKey(one) === questionKey(other)).toBe(one === other);
      }),
    );
  });

  it("verbs come back with what they are about", () => {
    expect(readAction(verbAction("stop"))).toEqual({ kind: "verb", verb: "stop" });
    expect(readAction(verbAction("pick", "slack:C1:2"))).toEqual({
      kind: "verb",
      verb: "pick",
      about: "slack:C1:2",
    });
  });

  it.each([
    "",
    "approve",
    "approve:",
    "approve:x:later",
    "approve:x:once:y",
    "answer:k:option-0",
    "nope:x:y",
  ])("%j is none of ours", (action) => expect(readAction(action)).toBeUndefined());
});
