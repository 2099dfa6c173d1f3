import { z } from "zod";

const SECOND = 1000;

const milliseconds = (usual: number) =>
  z.coerce.number().int().min(1).max(86_400_000).default(usual);
const dollars = z.number().min(0);

/** US dollars for a million tokens. */
const Price = z.strictObject({
  input: dollars,
  output: dollars,
  /** Input that the provider had cached. As dear as other input when left out. */
  cachedInput: dollars.optional(),
});
export type Price = z.infer<typeof Price>;

/** An object, or the same as JSON text: {"gpt-5.5": {"input": 1.25, "cachedInput": 0.125, "output": 10}}. */
const Prices = z.preprocess(
  (given, context) => {
    if (typeof given !== "string") return given;
    try {
      return JSON.parse(given);
    } catch {
      // What is no JSON is the operator's to correct, like any other setting.
      context.issues.push({ code: "custom", message: "is not valid JSON", input: given });
      return z.NEVER;
    }
  },
  z.record(z.string(), Price),
);

/** Everything an operator may choose about the model. */
export const ModelSettings = z.object({
  /** A server that needs none is named by `baseUrl` alone. */
  apiKey: z.string().min(1).optional(),
  /** Ends before /chat/completions, e.g. http://127.0.0.1:11434/v1. OpenAI's own when left out. */
  baseUrl: z.url({ protocol: /^https?$/ }).optional(),
  name: z.string().min(1).optional(),
  /** "auto" goes by the base URL, and changes over once when the server says so. */
  api: z.enum(["auto", "responses", "chat"]).default("auto"),
  reasoningEffort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]).optional(),
  prices: Prices.default({}),
  /** All that it can read and write at once. By its name when left out. */
  contextTokens: z.coerce.number().int().min(4_096).max(100_000_000).optional(),
  /** How many of them are left for its answer. */
  outputTokens: z.coerce.number().int().min(256).max(100_000_000).optional(),
  connectMs: milliseconds(10 * SECOND),
  /** Until the first sign of life of an answer. Local models read a long prompt for minutes. */
  firstByteMs: milliseconds(300 * SECOND),
  /** Between two signs of life. */
  idleMs: milliseconds(120 * SECOND),
  /** How often a passing failure is tried again. */
  retries: z.coerce.number().int().min(0).max(20).default(5),
  retryBaseMs: milliseconds(SECOND / 2),
  /** A server that asks for more patience than this is given up on. */
  retryMaxMs: milliseconds(60 * SECOND),
});
export type ModelSettings = z.infer<typeof ModelSettings>;
