import { z } from "zod";
import type { Usage } from "../../contract/model.ts";
import type { Price } from "../settings.ts";

const count = z.number().min(0).nullish().catch(null);
const details = z
  .object({ cached_tokens: count, reasoning_tokens: count })
  .partial()
  .nullish()
  .catch(null);

/** The figures of both wires, and DeepSeek's name for cached input. */
const Figures = z.object({
  prompt_tokens: count,
  input_tokens: count,
  completion_tokens: count,
  output_tokens: count,
  prompt_cache_hit_tokens: count,
  prompt_tokens_details: details,
  input_tokens_details: details,
  completion_tokens_details: details,
  output_tokens_details: details,
});

/** What a server says it has counted; undefined where it says nothing of use. */
export function readUsage(value: unknown): Usage | undefined {
  const { success, data } = Figures.safeParse(value);
  if (!success) return undefined;
  const inputTokens = data.prompt_tokens ?? data.input_tokens;
  const outputTokens = data.completion_tokens ?? data.output_tokens;
  if (inputTokens == null && outputTokens == null) return undefined;
  return {
    inputTokens: inputTokens ?? 0,
    cachedTokens:
      data.prompt_tokens_details?.cached_tokens ??
      data.input_tokens_details?.cached_tokens ??
      data.prompt_cache_hit_tokens ??
      0,
    outputTokens: outputTokens ?? 0,
    reasoningTokens:
      data.completion_tokens_details?.reasoning_tokens ??
      data.output_tokens_details?.reasoning_tokens ??
      0,
  };
}

const MILLION = 1_000_000;

/** With its cost, where the price is known. */
export function priced(usage: Usage, price: Price | undefined): Usage {
  if (!price) return usage;
  const cached = Math.min(usage.cachedTokens, usage.inputTokens);
  const cost =
    ((usage.inputTokens - cached) * price.input +
      cached * (price.cachedInput ?? price.input) +
      usage.outputTokens * price.output) /
    MILLION;
  return { ...usage, cost };
}
