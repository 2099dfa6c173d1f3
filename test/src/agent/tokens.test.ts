import fc from "fast-check";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { chatBody } from "../../../src/agent/model/chat-request.ts";
import { responsesBody } from "../../../src/agent/model/responses-request.ts";
import { mostTokensIn, tokensIn } from "../../../src/agent/tokens.ts";
import type { StepRequest, TranscriptItem } from "../../../src/contract/model.ts";
import { tokensOf } from "../../support/long-turn.ts";
import { listenToWork } from "../../support/longest-work.ts";
import { stepRequest } from "../../support/model-step.ts";

const user = (text: string): TranscriptItem => ({ type: "user", author: "Ann", text });
const asking = (...items: TranscriptItem[]) => stepRequest({ items });

const OPTIONS = {
  model: "m",
  reasoningEffort: undefined,
  isOpenAi: false,
  without: new Set<never>(),
};
const bodies = (request: StepRequest) => [
  chatBody(request, OPTIONS),
  responsesBody(request, OPTIONS),
];

const text = fc.oneof(
  fc.string({ maxLength: 300 }),
  fc.lorem({ maxCount: 60 }),
  fc.string({ unit: "binary", maxLength: 200 }),
);
const step = fc.tuple(fc.uuid(), text, text, text).map(([callId, said, args, result]) => [
  { type: "assistant" as const, text: said },
  { type: "call" as const, callId, name: "read_file", arguments: JSON.stringify({ args }) },
  { type: "result" as const, callId, text: result },
]);
const said = fc.oneof(
  text.map((one) => [user(one)]),
  text.map((one) => [{ type: "user" as const, text: one, quoted: true as const }]),
  text.map((one) => [{ type: "reminder" as const, text: one }]),
);

describe("the length of a request", () => {
  it("3.12 is counted by the tokenizer of the model", async () => {
    const words = "नमस्ते दुनिया, आप कैसे हैं? ".repeat(5);
    const one = await tokensIn("gpt-5.5", asking(user("")));
    const other = await tokensIn("gpt-5.5", asking(user(words)));
    expect(other.total - one.total).toBeGreaterThanOrEqual(countTokens(words) - 3);
    expect(other.total - one.total).toBeLessThanOrEqual(countTokens(words) + 3);
    const older = await tokensIn("gpt-4", asking(user(words)));
    expect(older.total).toBeGreaterThan(other.total);
    const unknown = await tokensIn("a-model-of-ours", asking(user(words)));
    expect(unknown.total).toBe(other.total);
  });

  it("3.12 is never less than what is sent, over both wires", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(step, said), { maxLength: 12 }), async (parts) => {
        const request = asking(...parts.flat());
        const { total } = await tokensIn("m", request);
        for (const body of bodies(request)) {
          expect(total).toBeGreaterThanOrEqual(tokensOf({ body }));
        }
        expect(mostTokensIn(request)).toBeGreaterThanOrEqual(total);
      }),
      { numRuns: 60 },
    );
  });

  it("3.12 is never more than its bound, thoughts that nobody can read included", async () => {
    const thought = (chars: number): TranscriptItem => ({
      type: "reasoning",
      text: "",
      origin: {
        wire: "responses",
        model: "m",
        id: "r1",
        extra: { type: "reasoning", summary: [], encrypted_content: "x".repeat(chars) },
      },
    });
    const request = asking(user("go"), thought(40_000), user("on"));
    const { total } = await tokensIn("m", request);
    expect(total).toBeGreaterThan(10_000);
    expect(mostTokensIn(request)).toBeGreaterThanOrEqual(total);
  });

  it("counts what looks like a control token as the text that it is", async () => {
    const { total, fixed } = await tokensIn("m", asking(user("a <|endoftext|> b <|im_start|>")));
    expect(total - fixed).toBeGreaterThan(10);
  });

  it("takes no notice of how often it is asked", async () => {
    const request = asking(user("one"), user("two"));
    const first = await tokensIn("m", request);
    expect((await tokensIn("m", request)).total).toBe(first.total);
    const [item] = request.items;
    expect(item && first.of(item)).toBeGreaterThan(0);
  });

  it("of very long texts is found without keeping others from their work", async () => {
    const texts = ["a".repeat(3_000_000), "中文".repeat(50_000), "word and word. ".repeat(50_000)];
    for (const long of texts) {
      const beat = listenToWork();
      const { total } = await tokensIn("m", asking(user(long)));
      beat.stop();
      const real = (countTokens(long.slice(0, 1_000)) * long.length) / 1_000;
      expect(total).toBeGreaterThan(real * 0.9);
      expect(total).toBeLessThan(real * 1.5);
      // As one piece, the run of one letter would take hours.
      expect(beat.longestMs).toBeLessThan(2_000);
    }
  });
});
