import { describe, expect, it } from "vitest";
import { repeats } from "../../../../src/conversation/turn/next.ts";

const calls = (signatures: string) =>
  [...signatures].map((signature, index) => ({
    callId: `c${index}`,
    name: "think",
    title: signature,
    isSuccess: true,
    signature,
  }));

describe("16.26 how often a turn has done the same", () => {
  it.each([
    ["", 0],
    ["a", 1],
    ["aaa", 3],
    ["baaa", 3],
    ["aaab", 1],
    ["abab", 2],
    ["cababab", 3],
    ["abcabcabc", 3],
    ["abcdabcdabcd", 3],
    ["abababc", 1],
    ["abcde", 1],
    ["aabaab", 2],
  ])("%j: %i times", (signatures, times) => {
    expect(repeats(calls(signatures))).toBe(times);
  });
});
