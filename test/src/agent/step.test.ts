import { describe, expect, it } from "vitest";
import { modelStep } from "../../../src/agent/step.ts";
import type { FinishReason, Model } from "../../../src/contract/model.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";

/** A model whose one reply is a call with these arguments. */
function calling(args: string, reason: FinishReason): Model {
  return {
    name: "played",
    inputTokens: 100_000,
    inputTokensOf: () => 100_000,
    check: async () => undefined,
    async *step() {
      yield {
        type: "finished",
        reason,
        items: [{ type: "call", callId: "c1", name: "list_system_prompts", arguments: args }],
      };
    },
  };
}

const request = { system: "", items: [], tools: [], signal: new AbortController().signal };

describe("one model step", () => {
  it.each([
    ["", "calls", "{}"],
    [" ", "calls", "{}"],
    ["", "length", ""],
    ['{"a', "calls", '{"a'],
  ] as const)(
    "takes arguments %j of a reply that ended with %s as %j",
    async (given, reason, taken) => {
      const { items } = await modelStep(
        { model: calling(given, reason), redactor: createRedactor({ secrets: {} }) },
        request,
        { onText: () => {}, onRetry: () => {} },
      );
      expect(items).toMatchObject([{ arguments: taken }]);
    },
  );
});
