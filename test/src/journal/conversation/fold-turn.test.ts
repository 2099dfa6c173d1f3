import { expect, it } from "vitest";
import { decisionFrom } from "../../../../src/journal/conversation/fold-turn.ts";

it.each<[Parameters<typeof decisionFrom>[0], string | undefined, object]>([
  ["once", undefined, { outcome: "approved" }],
  ["timed", undefined, { outcome: "approved" }],
  ["deny", undefined, { outcome: "rejected" }],
  ["deny", "Not today.", { outcome: "rejected", reason: "Not today." }],
  ["cancel", undefined, { outcome: "rejected", reason: "It was cancelled." }],
  ["cancel", "Stopped.", { outcome: "rejected", reason: "Stopped." }],
  ["expired", undefined, { outcome: "rejected", reason: "No one answered in time." }],
])("reads the choice %s with the reason %s", (choice, reason, expected) => {
  expect(decisionFrom(choice, reason)).toEqual(expected);
});
