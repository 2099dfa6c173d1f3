import { describe, expect, it } from "vitest";
import { AskedLevel, highest } from "../../../../src/contract/permission/level.ts";

describe("levels", () => {
  it("the highest level wins, in any order, and nothing is free", () => {
    expect(highest([])).toBe("free");
    expect(highest(["free", "click", "free"])).toBe("click");
    expect(highest(["phrase", "click", "free"])).toBe("phrase");
    expect(highest(["free", "phrase"])).toBe("phrase");
  });

  it.each([
    ["click", "click"],
    ["phrase", "phrase"],
    ["standard", "click"],
    ["elevated", "click"],
    ["high", "phrase"],
  ])("a stored %s reads as %s", (word, level) => {
    expect(AskedLevel.parse(word)).toBe(level);
  });

  it("other words are refused with the words to write", () => {
    expect(() => AskedLevel.parse("free")).toThrow("must be click or phrase");
  });
});
