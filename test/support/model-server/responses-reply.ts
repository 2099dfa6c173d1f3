import { pieces } from "./chat-reply.ts";
import type { Fields } from "./refusal.ts";
import type { Quirk, Reply } from "./replies.ts";

/** What the server knows of the items that it has given out: which thought led to which item. */
export type Issued = Map<string, string>;

/** Only this server, and only this model, can read it. */
export function sealed(
  id: string,
  { model, secret }: { readonly model: string; readonly secret: string },
): string {
  return Buffer.from(`gAAAA:${secret}:${model}:${id}`).toString("base64");
}

interface EventContext {
  readonly body: Fields;
  readonly id: string;
  readonly issued: Issued;
  readonly secret: string;
}

/** The whole response as it is when complete. */
export function responsesWhole(
  reply: Reply,
  context: EventContext,
): Fields & { output: Fields[]; status: string } {
  const { body, id } = context;
  const cut = reply.finish === "length" || reply.finish === "filtered";
  const why = reply.finish === "filtered" ? "content_filter" : "max_output_tokens";
  const { input = 10, cached = 0, output = 5, reasoning = 0 } = reply.usage ?? {};
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: 1_760_000_000,
    status: cut ? "incomplete" : "completed",
    error: null,
    incomplete_details: cut ? { reason: why } : null,
    model: body.model,
    output: outputOf(reply, context),
    usage: reply.quirks?.includes("noUsage")
      ? null
      : {
          input_tokens: input,
          input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
          output_tokens: output,
          output_tokens_details: { reasoning_tokens: reasoning },
          total_tokens: input + output,
        },
  };
}

function outputOf(reply: Reply, { body, id, issued, secret }: EventContext): Fields[] {
  const noIds = reply.quirks?.some((quirk) => quirk === "noIds" || quirk === "emptyIds");
  const items: Fields[] = [];
  const thought = `rs_${id}`;
  if (reply.thoughts !== undefined) {
    const encrypted =
      Array.isArray(body.include) && body.include.includes("reasoning.encrypted_content");
    items.push({
      id: thought,
      type: "reasoning",
      summary: [{ type: "summary_text", text: reply.thoughts }],
      ...(encrypted
        ? { encrypted_content: sealed(thought, { model: String(body.model), secret }) }
        : {}),
    });
  }
  if (reply.text !== undefined) {
    const content = [{ type: "output_text", text: reply.text, annotations: [] }];
    items.push({
      id: `msg_${id}`,
      type: "message",
      status: "completed",
      role: "assistant",
      content,
    });
  }
  reply.calls?.forEach((call, index) => {
    const repeated = reply.quirks?.includes("repeatedIds") ? "call_0" : undefined;
    items.push({
      ...(noIds
        ? {}
        : { id: `fc_${id}${index}`, call_id: repeated ?? call.id ?? `call_${id}${index}` }),
      type: "function_call",
      status: "completed",
      name: call.name,
      arguments: call.arguments,
    });
  });
  if (reply.thoughts !== undefined) {
    for (const item of items)
      if (typeof item.id === "string" && item.id !== thought) issued.set(item.id, thought);
  }
  return items;
}

/** The events of one streamed reply, each as the text behind `data: `. */
export function responsesEvents(reply: Reply, context: EventContext): string[] {
  const has = (quirk: Quirk) => reply.quirks?.includes(quirk) ?? false;
  const whole = responsesWhole(reply, context);
  const begun = {
    ...whole,
    status: "in_progress",
    output: [],
    usage: null,
    incomplete_details: null,
  };
  const last = { type: `response.${whole.status}`, response: whole };
  const events: Fields[] = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...(has("onlyCompleted")
      ? []
      : whole.output.flatMap((item, index) => itemEvents(item, { index, has }))),
    ...(has("noFinishReason") ? [] : [last]),
  ];
  return events.map((event, index) => JSON.stringify({ ...event, sequence_number: index }));
}

function itemEvents(
  item: Fields,
  { index, has }: { index: number; has: (quirk: Quirk) => boolean },
): Fields[] {
  const place = {
    ...(has("noIndex") ? {} : { output_index: index }),
    ...(item.id ? { item_id: item.id } : {}),
  };
  const at = has("noIndex") ? {} : { output_index: index };
  const added = { type: "response.output_item.added", ...at, item: { ...item, ...blank(item) } };
  return [
    ...(has("noAdded") ? [] : [added]),
    ...innerEvents(item, place),
    { type: "response.output_item.done", ...at, item },
  ];
}

function blank(item: Fields): Fields {
  if (item.type === "function_call") return { arguments: "", status: "in_progress" };
  if (item.type === "message") return { content: [], status: "in_progress" };
  return { summary: [] };
}

function innerEvents(item: Fields, place: Fields): Fields[] {
  if (item.type === "function_call") {
    const all = String(item.arguments);
    return [
      ...pieces(all).map((delta) => ({
        type: "response.function_call_arguments.delta",
        ...place,
        delta,
      })),
      { type: "response.function_call_arguments.done", ...place, arguments: all },
    ];
  }
  const parts = item.type === "message" ? item.content : item.summary;
  const said = String((parts as Fields[])[0]?.text);
  if (item.type === "reasoning") {
    const inner = { ...place, summary_index: 0 };
    return pieces(said).map((delta) => ({
      type: "response.reasoning_summary_text.delta",
      ...inner,
      delta,
    }));
  }
  const inner = { ...place, content_index: 0 };
  return [
    {
      type: "response.content_part.added",
      ...inner,
      part: { type: "output_text", text: "", annotations: [] },
    },
    ...pieces(said).map((delta) => ({
      type: "response.output_text.delta",
      ...inner,
      delta,
      logprobs: [],
    })),
    { type: "response.output_text.done", ...inner, text: said, logprobs: [] },
    {
      type: "response.content_part.done",
      ...inner,
      part: { type: "output_text", text: said, annotations: [] },
    },
  ];
}
