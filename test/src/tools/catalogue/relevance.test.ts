import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ArchiveChunk } from "../../../../src/contract/conversation/archive.ts";
import { relevance, termsOf } from "../../../../src/tools/catalogue/relevance.ts";

const chunk = (summary: string, topics: string[] = [], ...texts: string[]): ArchiveChunk => ({
  conversation: "A",
  from: "2030-01-01T00:00:00.000Z",
  to: "2030-01-01T01:00:00.000Z",
  summary,
  topics,
  messages: texts.map((text) => ({ at: "2030-01-01T00:00:00.000Z", author: "Ann", text })),
});

describe("the terms of a query", () => {
  it.each([
    ["Deploy the API, deploy!", ["deploy", "the", "api"]],
    ["what is a PTY", ["what", "is", "pty"]],
    ["a", ["a"]],
    ["Größe ＡＢＣ", ["größe", "abc"]],
    ["部署 失敗", ["部署", "失敗"]],
    ["???", ["???"]],
    ["port 8", ["port", "8"]],
    ["हिन्दी", ["हिन्दी"]],
  ])("of %j are %j", (query, expected) => {
    expect(termsOf(query)).toEqual(expected);
  });
});

describe("relevance", () => {
  it.each([
    ["in the summary", chunk("About deploying"), 3],
    ["in a topic", chunk("", ["Deploy", "deployment"]), 2],
    ["in the content", chunk("", [], "hello", "DEPLOY now", "deploy again"), 1],
    ["everywhere", chunk("deploy", ["deploy"], "deploy"), 6],
    ["nowhere", chunk("Lunch", ["food"], "pizza"), 0],
  ])("3.12 of a term %s", (_, given, expected) => {
    expect(relevance(given, ["deploy"])).toBe(expected);
  });

  it("3.12 adds up over the terms", () => {
    const given = chunk("The database", ["backup"], "restore it");
    expect(relevance(given, ["database", "backup", "restore", "lunch"])).toBe(6);
  });

  it("3.11 finds any word that was said, in whatever script", () => {
    const word = fc.stringMatching(/^[\p{L}\p{N}]{2,12}$/u);
    fc.assert(
      fc.property(word, fc.lorem(), fc.lorem(), (said, before, after) => {
        const given = chunk("", [], `${before} ${said}, ${after}`);
        expect(relevance(given, termsOf(said))).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });
});
