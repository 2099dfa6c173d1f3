import { describe, expect, it } from "vitest";
import { firstManner, isOpenAi } from "../../../../src/agent/model/adapt.ts";
import { chatWire } from "../../../../src/agent/model/chat-wire.ts";
import { responsesWire } from "../../../../src/agent/model/responses-wire.ts";
import { ModelSettings } from "../../../../src/agent/settings.ts";
import { LIST_TODOS, stepRequest } from "../../../support/model-step.ts";

const OPENAI_ONLY = ["prompt_cache_key", "max_completion_tokens", "safety_identifier"];

function bodyOf(wire: typeof chatWire, isOpenAiHost: boolean) {
  return wire.body(stepRequest({ conversation: "slack:T1:C1:17", limits: { outputTokens: 9 } }), {
    model: "m",
    reasoningEffort: "low",
    isOpenAi: isOpenAiHost,
    without: new Set(),
  });
}

describe("a request", () => {
  it.each([chatWire, responsesWire])(
    "has fields that only OpenAI knows for nobody else",
    (wire) => {
      const elsewhere = bodyOf(wire, false);
      for (const field of OPENAI_ONLY) expect(elsewhere).not.toHaveProperty(field);
      const key = bodyOf(wire, true).prompt_cache_key;
      expect(key).toMatch(/^[0-9a-f]{32}$/);
      expect(bodyOf(wire, true).prompt_cache_key).toBe(key);
    },
  );

  it("names its limits as each wire and server wants them", () => {
    expect(bodyOf(chatWire, true)).toMatchObject({
      max_completion_tokens: 9,
      reasoning_effort: "low",
    });
    expect(bodyOf(chatWire, false)).toMatchObject({ max_tokens: 9 });
    expect(bodyOf(responsesWire, false)).toMatchObject({
      max_output_tokens: 9,
      reasoning: { effort: "low" },
    });
  });

  it("leaves nothing at the provider", () => {
    expect(bodyOf(responsesWire, true)).toMatchObject({
      store: false,
      include: ["reasoning.encrypted_content"],
    });
    expect(bodyOf(responsesWire, true)).not.toHaveProperty("previous_response_id");
  });

  it.each([chatWire, responsesWire])("is the same to the byte for the same step", (wire) => {
    expect(JSON.stringify(bodyOf(wire, true))).toBe(JSON.stringify(bodyOf(wire, true)));
  });

  it("says any where a schema says {}, which OpenAI refuses", () => {
    const parameters = {
      type: "object",
      properties: {
        env: { type: "object", additionalProperties: {}, propertyNames: { type: "string" } },
      },
    } as const;
    const body = responsesWire.body(stepRequest({ tools: [{ ...LIST_TODOS, parameters }] }), {
      model: "m",
      reasoningEffort: undefined,
      isOpenAi: false,
      without: new Set(),
    });
    expect(body.tools).toMatchObject([
      { parameters: { properties: { env: { additionalProperties: true } } } },
    ]);
  });
});

describe("the wire of LLM_API=auto", () => {
  it.each([
    [undefined, "responses"],
    ["https://api.openai.com/v1", "responses"],
    ["https://eu.api.openai.com/v1", "responses"],
    ["https://acme.openai.azure.com/openai/v1/", "responses"],
    ["http://127.0.0.1:11434/v1", "chat"],
    ["https://openrouter.ai/api/v1", "chat"],
    ["https://api.openai.com.evil.example/v1", "chat"],
  ])("at %s is %s", (baseUrl, name) => {
    expect(firstManner(ModelSettings.parse({ baseUrl })).wire.name).toBe(name);
  });

  it("is not asked where one was chosen", () => {
    expect(firstManner(ModelSettings.parse({ api: "chat" })).wire.name).toBe("chat");
    expect(isOpenAi("notapi.openai.com")).toBe(false);
  });
});
