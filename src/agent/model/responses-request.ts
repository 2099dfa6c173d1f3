import type { StepRequest } from "../../contract/model.ts";
import { cacheKey, effortOf, sampling } from "./chat-request.ts";
import {
  renderDescription,
  renderMessage,
  renderReply,
  renderResult,
  wellFormed,
} from "./render.ts";
import { NO_RESULT, replayedArguments, type SettledStep, settle } from "./settle.ts";
import { toolParameters } from "./tool-parameters.ts";
import type { WireOptions } from "./wire.ts";

type Item = Readonly<Record<string, unknown>>;
type Said = SettledStep["said"][number];

/** Nothing is kept at the provider: every request carries the whole transcript, thoughts included. */
export function responsesBody(request: StepRequest, options: WireOptions): Item {
  const outputTokens = request.limits?.outputTokens;
  const effort = options.without.has("effort") ? undefined : effortOf(request, options);
  return {
    model: options.model,
    stream: true,
    store: false,
    ...(options.without.has("include") ? {} : { include: ["reasoning.encrypted_content"] }),
    ...(effort ? { reasoning: { effort } } : {}),
    ...sampling(request, options),
    ...(outputTokens ? { max_output_tokens: outputTokens } : {}),
    ...cacheKey(request, options),
    ...(request.system ? { instructions: wellFormed(request.system) } : {}),
    ...(request.tools.length > 0 ? { tools: request.tools.map(responsesTool) } : {}),
    input: settle(request.items).flatMap((part) =>
      part.type === "step"
        ? stepItems(part, options)
        : [{ type: "message", role: "user", content: renderMessage(part) }],
    ),
  };
}

/** Where `strict` is left out, this API makes the schema strict by itself and refuses optional fields. */
function responsesTool({ name, description, parameters }: StepRequest["tools"][number]): Item {
  return {
    type: "function",
    name,
    description: renderDescription(description),
    strict: false,
    parameters: toolParameters(parameters),
  };
}

function stepItems(step: SettledStep, options: WireOptions): Item[] {
  const own = isWhole(step, options);
  const results = step.calls.map(({ id, text }) => ({
    type: "function_call_output",
    call_id: id,
    output: renderResult(text ?? NO_RESULT),
  }));
  return [...step.said.flatMap((item) => saidItem(item, step, own)), ...results];
}

/**
 * A thought is accepted only from the model that had it, with its encrypted content, and followed by what it led
 * to; and what it led to only with the thought, as long as it bears its id. So a step goes back as it came or
 * without thoughts and ids.
 */
function isWhole({ said }: SettledStep, { model, without }: WireOptions): boolean {
  if (without.has("encrypted_content") || said.at(-1)?.type === "reasoning") return false;
  return said.every(({ type, origin }) => {
    if (origin?.wire !== "responses" || origin.model !== model) return false;
    return type !== "reasoning" || typeof origin.extra?.encrypted_content === "string";
  });
}

function saidItem(item: Said, { calls }: SettledStep, own: boolean): Item[] {
  const fields = own ? item.origin?.extra : undefined;
  switch (item.type) {
    case "reasoning":
      return fields ? [fields] : [];
    case "assistant":
      if (item.text.trim() === "") return [];
      return [{ ...fields, type: "message", role: "assistant", content: spokenContent(item, own) }];
    case "call":
      return [
        {
          ...fields,
          type: "function_call",
          call_id: calls.find(({ call }) => call === item)?.id,
          name: item.name,
          arguments: replayedArguments(item.arguments),
        },
      ];
  }
}

/** With its id it is an output of the server and has the server's form; else it is a plain message. */
function spokenContent(item: Extract<Said, { type: "assistant" }>, own: boolean): unknown {
  const text = renderReply(item.text);
  if (!(own && item.origin?.extra?.id)) return text;
  return [{ type: "output_text", text, annotations: [] }];
}
