import { describe, expect, it } from "vitest";
import { reasonsInWords } from "../../../src/authorization/reasons-in-words.ts";

const OUTSIDE = "writes outside the workspace";
const of = (why: string, segment = "") => ({ why, segment });

describe("the reasons on a card", () => {
  it.each([
    [
      [of("asks for root"), of(`${OUTSIDE} (/etc/a)`), of(`${OUTSIDE} (/etc/a/b)`)],
      `asks for root; ${OUTSIDE} (/etc/a, /etc/a/b)`,
    ],
    [[of(`${OUTSIDE} (/etc/a)`), of(`${OUTSIDE} (/etc/a)`)], `${OUTSIDE} (/etc/a)`],
    [[of("asks for root", "sudo a"), of("asks for root", "sudo a")], "asks for root: sudo a"],
    [
      [of("asks for root", "sudo a"), of("asks for root", "sudo b")],
      "asks for root: sudo a; asks for root: sudo b",
    ],
    [
      [of(`${OUTSIDE} (/a)`, "cp x /a"), of(`${OUTSIDE} (/b)`, "cp x /b")],
      `${OUTSIDE} (/a): cp x /a; ${OUTSIDE} (/b): cp x /b`,
    ],
    [[of("removes a path"), of("removes a path (/x)")], "removes a path (/x)"],
    [[of("runs (a) and (b)"), of("runs (c) and (b)")], "runs (a) and (b); runs (c) and (b)"],
    [[], ""],
  ])("stand there once each: %j", (reasons, expected) => {
    expect(reasonsInWords(reasons)).toBe(expected);
  });
});
