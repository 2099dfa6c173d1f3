import type { Fields } from "./refusal.ts";
import type { Quirk, Reply, ScriptedCall } from "./replies.ts";

type Delta = Record<string, unknown>;

/** The events of one streamed reply, each as the text behind `data: `. */
export function chatEvents(
  reply: Reply,
  { body, id }: { readonly body: Fields; readonly id: string },
): string[] {
  const has = (quirk: Quirk) => reply.quirks?.includes(quirk) ?? false;
  const frame = {
    id: `chatcmpl-${id}`,
    object: "chat.completion.chunk",
    created: 1_760_000_000,
    model: body.model,
  };
  const place = has("messageInsteadOfDelta") ? "message" : "delta";
  const usage = chatUsage(reply);
  const chunk = (delta: Delta, finish: string | null = null) => ({
    ...frame,
    choices: [
      {
        index: 0,
        [place]: delta,
        logprobs: null,
        ...(has("noFinishReason") ? {} : { finish_reason: finish }),
      },
    ],
    ...(has("usageInEveryChunk") ? { usage } : {}),
  });
  const chunks: object[] = [
    ...deltas(reply, has, id).map((delta) => chunk(delta)),
    ...(has("noFinishReason") ? [] : [chunk({}, finishReason(reply, has))]),
  ];
  const wanted = (body.stream_options as Fields | undefined)?.include_usage === true;
  if (wanted && !has("noUsage")) chunks.push({ ...frame, choices: [], usage });
  return [...chunks.map((value) => JSON.stringify(value)), ...(has("noDone") ? [] : ["[DONE]"])];
}

/** The same without streaming. */
export function chatWhole(
  reply: Reply,
  { body, id }: { readonly body: Fields; readonly id: string },
): object {
  const calls = (reply.calls ?? []).map((call, index) => ({
    id: call.id ?? `call_${id}${index}`,
    type: "function",
    function: { name: call.name, arguments: call.arguments },
  }));
  const message = {
    role: "assistant",
    content: reply.text ?? null,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  return {
    id: `chatcmpl-${id}`,
    object: "chat.completion",
    created: 1_760_000_000,
    model: body.model,
    choices: [
      { index: 0, message, logprobs: null, finish_reason: finishReason(reply, () => false) },
    ],
    usage: chatUsage(reply),
  };
}

function finishReason(reply: Reply, has: (quirk: Quirk) => boolean): string {
  const finish = reply.finish ?? (reply.calls?.length ? "calls" : "stop");
  if (finish === "calls") return has("finishStop") ? "stop" : "tool_calls";
  return finish === "filtered" ? "content_filter" : finish;
}

function chatUsage({ usage = {}, quirks = [] }: Reply): object {
  const { input = 10, cached = 0, output = 5, reasoning = 0 } = usage;
  const figures = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  if (quirks.includes("cacheHitTokens")) return { ...figures, prompt_cache_hit_tokens: cached };
  return {
    ...figures,
    prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: 0 },
  };
}

function deltas(reply: Reply, has: (quirk: Quirk) => boolean, id: string): Delta[] {
  const thoughtField = has("reasoningField") ? "reasoning" : "reasoning_content";
  return [
    ...(has("noRole")
      ? []
      : [{ role: "assistant", content: reply.calls && !reply.text ? null : "", refusal: null }]),
    ...pieces(reply.thoughts ?? "").map((piece) => ({ [thoughtField]: piece })),
    ...pieces(reply.text ?? "").map((piece) => ({
      content: has("contentParts") ? [{ type: "text", text: piece }] : piece,
    })),
    ...(reply.calls ?? []).flatMap((call, index) => callDeltas(call, { index, id, has })),
  ];
}

interface CallPlace {
  readonly index: number;
  readonly id: string;
  readonly has: (quirk: Quirk) => boolean;
}

function callDeltas(call: ScriptedCall, { index, id, has }: CallPlace): Delta[] {
  if (has("legacyFunctionCall")) {
    return [
      { function_call: { name: call.name, arguments: "" } },
      ...pieces(call.arguments).map((piece) => ({ function_call: { arguments: piece } })),
    ];
  }
  const place = has("noIndex") ? {} : { index: has("repeatedIndex") ? 0 : index };
  const named = idOf(call, { index, id, has });
  const extra = call.extraContent ? { extra_content: call.extraContent } : {};
  const value = has("argumentsAsObject") ? JSON.parse(call.arguments) : call.arguments;
  if (has("wholeCalls") || has("argumentsAsObject")) {
    const whole = {
      ...place,
      ...named,
      ...extra,
      type: "function",
      function: { name: call.name, arguments: value },
    };
    return [{ tool_calls: [whole] }];
  }
  const half = Math.ceil(call.name.length / 2);
  const names = has("splitNames") ? [call.name.slice(0, half), call.name.slice(half)] : [call.name];
  const heads = names.map((name, part) => ({
    ...place,
    ...(part === 0 ? { ...named, ...extra, type: "function" } : {}),
    function: { name, arguments: "" },
  }));
  const rest = pieces(call.arguments).map((piece, part) => ({
    ...place,
    ...(has("idInEveryPiece") ? named : {}),
    ...(has("newIdInEveryPiece") ? { id: `call_${id}${index}piece${part}` } : {}),
    function: { ...(has("nameInEveryPiece") ? { name: call.name } : {}), arguments: piece },
  }));
  return [...heads, ...rest].map((fragment) => ({ tool_calls: [fragment] }));
}

function idOf(call: ScriptedCall, { index, id, has }: CallPlace): { id?: string } {
  if (has("noIds")) return {};
  if (has("emptyIds")) return { id: "" };
  if (has("repeatedIds")) return { id: "call_0" };
  return { id: call.id ?? `call_${id}${index}` };
}

/** A few characters at a time, as a model speaks. */
export function pieces(whole: string): string[] {
  return [...new Intl.Segmenter().segment(whole)].reduce<string[]>((found, { segment }, index) => {
    if (index % 5 === 0) found.push(segment);
    else found[found.length - 1] += segment;
    return found;
  }, []);
}
