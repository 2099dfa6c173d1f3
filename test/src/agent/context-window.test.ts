import { describe, expect, it } from "vitest";
import { inputTokensOf, inputTokensOfOther } from "../../../src/agent/context-window.ts";
import { createModel } from "../../../src/agent/model/model.ts";
import { ModelSettings } from "../../../src/agent/settings.ts";
import { readConfig } from "../../../src/config.ts";

describe("what a model can take", () => {
  it.each([
    ["gpt-5.5", 272_000],
    ["gpt-5-chat-latest", 96_000],
    ["gpt-4o-mini", 96_000],
    ["gpt-4", 6_144],
    ["gpt-4-0613", 6_144],
    ["gpt-4-turbo-2024-04-09", 96_000],
    ["openai/o3", 168_000],
    ["claude-sonnet", 168_000],
    ["some-model-of-ours", 96_000],
  ])("of %s a request may have %i tokens, and the rest is for the answer", (name, tokens) => {
    expect(inputTokensOf(name, {})).toBe(tokens);
  });

  it("is what the operator says, for questions and answers", () => {
    expect(inputTokensOf("gpt-5.5", { contextTokens: 20_000 })).toBe(15_000);
    expect(inputTokensOf("x", { contextTokens: 20_000, outputTokens: 4_000 })).toBe(16_000);
    const { model } = readConfig({
      OPENAI_API_KEY: "k",
      MODEL_CONTEXT_TOKENS: "20000",
      MODEL_OUTPUT_TOKENS: "4000",
    });
    expect(createModel(model)?.inputTokens).toBe(16_000);
  });

  it("of another model of the same server is what that one has, and no more than the operator says", () => {
    expect(inputTokensOfOther("gpt-4-32k", {})).toBe(24_576);
    expect(inputTokensOfOther("gpt-5.5", {})).toBe(272_000);
    expect(inputTokensOfOther("gpt-4-32k", { contextTokens: 400_000 })).toBe(24_576);
    expect(inputTokensOfOther("gpt-5.5", { contextTokens: 20_000 })).toBe(15_000);
    // What is left for answers of the one may be more than all that the other has.
    expect(inputTokensOfOther("gpt-4", { outputTokens: 100_000 })).toBe(4_096);
    const model = createModel(ModelSettings.parse({ apiKey: "k", name: "gpt-5.5" }));
    expect(model?.inputTokensOf("gpt-4-32k")).toBe(24_576);
    expect(model?.inputTokensOf("gpt-5.5")).toBe(model?.inputTokens);
  });

  it("cannot be nonsense: each problem is told by the name of its setting", () => {
    expect(() => readConfig({ MODEL_CONTEXT_TOKENS: "lots", MODEL_OUTPUT_TOKENS: "-1" })).toThrow(
      /MODEL_CONTEXT_TOKENS[\s\S]*MODEL_OUTPUT_TOKENS/,
    );
    expect(() => readConfig({ MODEL_CONTEXT_TOKENS: "12" })).toThrow(/MODEL_CONTEXT_TOKENS/);
    const settings = { apiKey: "k", name: "gpt-4", outputTokens: 8_000 };
    expect(() => createModel(ModelSettings.parse(settings))).toThrow(
      /MODEL_OUTPUT_TOKENS is 8000.*8192.*MODEL_CONTEXT_TOKENS/,
    );
  });
});
