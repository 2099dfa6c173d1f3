import { describe, expect, it } from "vitest";
import { personName } from "../../../adapters/shared/person-name.ts";

describe("a person's name", () => {
  it.each<[string, readonly (string | null | undefined)[], string]>([
    ["the first one", ["Ada", "Ada Lovelace"], "Ada"],
    ["not an empty one", ["", "Ada"], "Ada"],
    ["not one of blanks", ["  \t ", "Ada"], "Ada"],
    ["not one of unseen characters", ["\u200b\u2060", "\u3164", "Ada"], "Ada"],
    ["on one line", ["Ada\nLovelace"], "Ada Lovelace"],
    ["without marks of direction", ["\u202eadA"], "adA"],
    ["from right to left", ["\u05e2\u05d3\u05d4"], "\u05e2\u05d3\u05d4"],
    ["an emoji", ["🚢"], "🚢"],
    ["someone, if there is none", [undefined, null, "", "\u00ad"], "someone"],
  ])("is %s", (_, names, expected) => {
    expect(personName(...names)).toBe(expected);
  });
});
