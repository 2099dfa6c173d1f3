import { describe, expect, it } from "vitest";
import { messageForm } from "./discord/checks/message.ts";
import { problemsInOwnWords } from "./own-words.ts";

const WRONG = [
  ["ℹ️ Asked at 2026-11-17T09:13:53.578Z.", "an ISO stamp"],
  ["✅ Approved once by slack:T01:U02 at 09:13", "the key of a person or thread"],
  ["⚠️ Set by U024BE7LH.", "the id of a person or channel"],
  ["ℹ️ Set by 123456789012345678.", "the id of a person or channel"],
  ["✋ until \uFDD01 2 clock x\uFDD1", "a time that no adapter has shown"],
  ["❌ Use read_tool_result to see more.", "words meant for the model"],
  ["❓ Which &lt;tag&gt;?", "altered code"],
] as const;

describe("the doubles look at words that are meant for people", () => {
  it.each(WRONG)("%s", (words, problem) => {
    expect(problemsInOwnWords(words)).toEqual([expect.stringContaining(`${problem}: `)]);
    const components = [{ type: 10, content: words }];
    const send = () =>
      messageForm({ components, flags: 1 << 15 }, { fileNames: [], flags: "message" });
    expect(send).toThrow();
  });

  it.each([
    "The log says 2026-11-17T09:13:53.578Z and slack:T01:U02.",
    "ℹ️ Set by Ada at <t:1763294400:t> in <#123456789012345678>.",
    "✅ Approved once by Ada at 09:13 UTC",
    "⚠️ See https://x.example/web:page and discord://open.",
  ])("%s is fine", (words) => {
    expect(problemsInOwnWords(words)).toEqual([]);
  });
});
