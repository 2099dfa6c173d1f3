import { describe, expect, it } from "vitest";
import { createModel } from "../../../src/agent/model/model.ts";
import { ModelSettings } from "../../../src/agent/settings.ts";

describe("the model's settings", () => {
  it("15.22 need no key: then there is no model, and the bot works without one", () => {
    expect(createModel(ModelSettings.parse({}))).toBeUndefined();
    expect(createModel(ModelSettings.parse({ name: "gpt-5.5" }))).toBeUndefined();
  });

  it("are complete with a key alone, or with an address and a name", () => {
    expect(createModel(ModelSettings.parse({ apiKey: "sk-1" }))?.name).toBe("gpt-5.5");
    const local = { baseUrl: "http://127.0.0.1:11434/v1", name: "qwen3" };
    expect(createModel(ModelSettings.parse(local))?.name).toBe("qwen3");
  });

  it("with an address and no name say what is missing", () => {
    const settings = ModelSettings.parse({ baseUrl: "http://127.0.0.1:11434/v1" });
    expect(() => createModel(settings)).toThrow(/Set MODEL/);
  });

  it("take prices as JSON text", () => {
    const prices = '{"gpt-5.5": {"input": 1.25, "cachedInput": 0.125, "output": 10}}';
    expect(ModelSettings.parse({ prices }).prices["gpt-5.5"]?.output).toBe(10);
    expect(() => ModelSettings.parse({ prices: "cheap" })).toThrow(/not valid JSON/);
    expect(() => ModelSettings.parse({ prices: '{"m": {"input": -1, "output": 0}}' })).toThrow();
    expect(() => ModelSettings.parse({ prices: '{"m": {"inptu": 1, "output": 0}}' })).toThrow(
      /inptu/,
    );
  });

  it.each([
    { baseUrl: "ftp://example.org" },
    { baseUrl: "127.0.0.1:1" },
    { api: "completions" },
    { reasoningEffort: "much" },
    { retries: "-1" },
    { idleMs: "0" },
  ])("refuse %j", (given) => {
    expect(ModelSettings.safeParse(given).success).toBe(false);
  });
});
