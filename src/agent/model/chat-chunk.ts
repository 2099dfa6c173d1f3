import { z } from "zod";
import type { Json } from "../../contract/store.ts";

/*
 * Read as loosely as servers write: a field that is missing, null or of a strange kind is as good as not there.
 */
const text = z.string().nullish().catch(null);

const Part = z.object({ type: text, text });

const Fragment = z.object({
  index: z.number().nullish().catch(null),
  id: text,
  function: z.object({ name: text, arguments: z.unknown().optional() }).nullish().catch(null),
  extra_content: z.record(z.string(), z.json()).nullish().catch(null),
});
export type Fragment = z.infer<typeof Fragment>;

const Delta = z.object({
  content: z
    .union([z.string(), z.array(Part)])
    .nullish()
    .catch(null),
  refusal: text,
  reasoning_content: text,
  reasoning: text,
  tool_calls: z.array(Fragment).nullish().catch(null),
  function_call: z.object({ name: text, arguments: z.unknown().optional() }).nullish().catch(null),
});
export type Delta = z.infer<typeof Delta>;

const Choice = z.object({
  index: z.number().nullish().catch(null),
  delta: Delta.nullish().catch(null),
  /** Servers that do not stream, and some that do, send the whole message. */
  message: Delta.nullish().catch(null),
  finish_reason: text,
});

export const ChatChunk = z.object({
  choices: z.array(Choice).nullish().catch(null),
  usage: z.unknown().optional(),
  x_groq: z.object({ usage: z.unknown().optional() }).nullish().catch(null),
});

/** What a delta says, whether as text or in parts. */
export function textOf({ content, refusal }: Delta): string {
  const said = Array.isArray(content)
    ? content.map((part) => (part.type === "thinking" ? "" : (part.text ?? ""))).join("")
    : (content ?? "");
  return said + (refusal ?? "");
}

/** Arguments are text; a server that sends them as an object means its JSON. */
export function argumentText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value as Json);
}
