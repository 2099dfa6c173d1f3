import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { approvalText } from "../../src/contract/approval-text.ts";
import type { Approval, ApprovalEffect } from "../../src/contract/permission/approval.ts";
import type { View } from "../../src/contract/platform/view.ts";
import { CARD_PARTS, HOSTILE_WORDS } from "../support/approval-words.ts";
import { ON_PLATFORMS } from "../support/on-platforms.ts";
import { caseCount } from "../support/thorough.ts";

const EFFECT: ApprovalEffect = {
  operation: "tools.call",
  risk: "click",
  reasons: ["It deletes."],
  runsAs: "agent",
  paths: [],
  diffs: [],
  params: [],
  notes: [],
  approversNeeded: 1,
  buttons: [],
};

function approvalWith(part: Partial<ApprovalEffect>): Approval {
  return {
    id: "1",
    callId: "c",
    askedAt: "2026-11-16T11:00:00.000Z",
    votes: [],
    wrongPhrases: {},
    effect: { ...EFFECT, ...part },
  } as unknown as Approval;
}

function viewOf(part: Partial<ApprovalEffect>): View {
  return { kind: "approval", approval: approvalWith(part), requester: "Bob", buttons: [] } as View;
}

const linesOf = (part: Partial<ApprovalEffect>) =>
  approvalText({ approval: approvalWith(part), requester: "Bob" }).split("\n");

describe.each(Object.entries(CARD_PARTS))("%s on an approval card", (_, part) => {
  it.each(HOSTILE_WORDS)("adds no line of its own and opens no code: %j", (text) => {
    expect(linesOf(part(text))).toHaveLength(linesOf(part("plain words")).length);
    for (const [platform, shown] of Object.entries(ON_PLATFORMS)) {
      const { text: read, alarms } = shown(viewOf(part(text)));
      expect(alarms, platform).toEqual([]);
      expect(read, platform).toContain("Asked by Bob.");
    }
  });

  it("stays on its line whatever it holds", () => {
    const expected = linesOf(part("plain words")).length;
    const pieces = fc.constantFrom(
      "`",
      "```",
      "\n",
      "\r",
      "\u2028",
      "\\",
      " ",
      "a",
      "*",
      "<@U1>",
      "#",
    );
    const texts = fc
      .array(pieces, { minLength: 1, maxLength: 12 })
      .map((all) => `x${all.join("")}x`);
    fc.assert(
      fc.property(texts, (text) => {
        expect(linesOf(part(text))).toHaveLength(expected);
        for (const shown of Object.values(ON_PLATFORMS)) {
          const { text: read, alarms } = shown(viewOf(part(text)));
          expect(alarms).toEqual([]);
          expect(read).toContain("Asked by Bob.");
        }
      }),
      { numRuns: caseCount({ perChange: 40, all: 2_000 }), seed: 20_261_118 },
    );
  });
});
