import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { meaningOf } from "../../../../src/authorization/approvals/words.ts";

const approvals =
  "yes,ok,proceed,approve,confirm,yep,yeah,yup,y,okay,k,sure,certainly,absolutely,go ahead,continue,approved,authorize,authorized,confirmed,affirmative,do it,go for it".split(
    ",",
  );
const rejections =
  "no,cancel,stop,deny,nope,nah,n,abort,halt,don't,do not,reject,rejected,denied,negative,never mind".split(
    ",",
  );
const inManyWays = (word: string) => [
  word,
  word.toUpperCase(),
  `${word.charAt(0).toUpperCase()}${word.slice(1)}!`,
  `  ${word}. \n`,
];

describe("the words of an answer", () => {
  it.each(approvals.flatMap(inManyWays))("4.26 %j approves", (text) => {
    expect(meaningOf(text)).toBe("approve");
  });

  it.each(rejections.flatMap(inManyWays))("4.26 %j rejects", (text) => {
    expect(meaningOf(text)).toBe("reject");
  });

  it.each([
    ["deny", "reject"],
    ["maybe later", "neither"],
    ["no, yes", "reject"],
    ["yes. no!", "reject"],
    ["not ok", "reject"],
    ["not okay", "reject"],
    ["don't proceed", "reject"],
    ["don\u2019t proceed", "reject"],
    ["please do not continue", "reject"],
    ["know", "neither"],
    ["maybe", "neither"],
    ["booking", "neither"],
    ["why", "neither"],
    ["Yes, proceed", "approve"],
    ["ok go ahead please", "approve"],
    ["I approve", "approve"],
    ["yes delete it", "approve"],
    ["are you sure?", "neither"],
    ["are you sure", "neither"],
    ["yes?", "neither"],
    ["sure, but show me the diff first", "neither"],
    ["ok if Bob agrees", "neither"],
    ["y not", "reject"],
    ["what would continue mean", "neither"],
    ["", "neither"],
    ["y\u0435s", "neither"],
    ["\uff39\uff25\uff33", "neither"],
  ] as const)("4.27 %j: %s", (text, meaning) => {
    expect(meaningOf(text)).toBe(meaning);
  });

  it("4.27 counts a thumb only where it is set so", () => {
    expect(meaningOf("👍")).toBe("neither");
    expect(meaningOf("👍", { emoji: true })).toBe("approve");
    expect(meaningOf("👍🏽", { emoji: true })).toBe("approve");
    expect(meaningOf("👎", { emoji: true })).toBe("reject");
    // As Slack sends them.
    expect(meaningOf(":+1:")).toBe("neither");
    expect(meaningOf(":+1::skin-tone-3:", { emoji: true })).toBe("approve");
    expect(meaningOf(":thumbsdown:", { emoji: true })).toBe("reject");
    expect(meaningOf("constructor", { emoji: true })).toBe("neither");
  });

  it("4.27 no rejection turns into an approval by what stands around it", () => {
    const around = fc.string({
      unit: fc.constantFrom("y", "e", "s", " ", "ok", ",", "!", " yes "),
    });
    fc.assert(
      fc.property(around, fc.constantFrom(...rejections), around, (before, word, after) => {
        const text = `${before} ${word} ${after}`;
        expect(meaningOf(text)).not.toBe("approve");
      }),
      { numRuns: 500 },
    );
  });
});
