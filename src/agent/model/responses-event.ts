import { z } from "zod";

const text = z.string().nullish().catch(null);

const ItemFields = z.object({
  type: z.string(),
  id: text,
  call_id: text,
  name: text,
  arguments: z.unknown().optional(),
  status: text,
  phase: text,
  content: z
    .array(z.object({ text, refusal: text }))
    .nullish()
    .catch(null),
  summary: z.array(z.object({ text })).nullish().catch(null),
});

/** An item of the output as far as we read it, and as it came: a thought has to go back untouched. */
export interface OutputItem extends z.infer<typeof ItemFields> {
  readonly raw: unknown;
}

const OutputItem = z.unknown().transform((raw): OutputItem | undefined => {
  const { success, data } = ItemFields.safeParse(raw);
  return success ? { ...data, raw } : undefined;
});

export const ResponsesEvent = z.object({
  type: z.string(),
  output_index: z.number().nullish().catch(null),
  item_id: text,
  delta: text,
  item: OutputItem.optional(),
  response: z
    .object({
      output: z.array(OutputItem).nullish().catch(null),
      usage: z.unknown().optional(),
      error: z.unknown().optional(),
      incomplete_details: z.object({ reason: text }).nullish().catch(null),
    })
    .nullish()
    .catch(null),
});
export type ResponsesEvent = z.infer<typeof ResponsesEvent>;

/** A server that does not stream answers with the response itself. */
export function asEvent(value: unknown): unknown {
  const whole = z.object({ object: z.literal("response"), status: z.string() }).safeParse(value);
  return whole.success ? { type: `response.${whole.data.status}`, response: value } : value;
}
