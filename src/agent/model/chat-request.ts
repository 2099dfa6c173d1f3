import { createHash } from "node:crypto";
import type { StepRequest } from "../../contract/model.ts";
import { escapeTokens } from "../template-tokens.ts";
import {
  renderDescription,
  renderMessage,
  renderReply,
  renderResult,
  wellFormed,
} from "./render.ts";
import {
  NO_RESULT,
  replayedArguments,
  type SettledCall,
  type SettledStep,
  settle,
} from "./settle.ts";
import { toolParameters } from "./tool-parameters.ts";
import type { SpareField, WireOptions } from "./wire.ts";

type Message = Readonly<Record<string, unknown>>;

export function chatBody(request: StepRequest, options: WireOptions): Message {
  const { isOpenAi, without } = options;
  const outputTokens = request.limits?.outputTokens;
  const effort = without.has("reasoning_effort") ? undefined : effortOf(request, options);
  return {
    model: options.model,
    stream: true,
    ...(without.has("stream_options") ? {} : { stream_options: { include_usage: true } }),
    ...(effort ? { reasoning_effort: effort } : {}),
    ...sampling(request, options),
    ...(outputTokens ? { [isOpenAi ? "max_completion_tokens" : "max_tokens"]: outputTokens } : {}),
    ...cacheKey(request, options),
    ...(request.tools.length > 0 ? { tools: request.tools.map(chatTool) } : {}),
    messages: [
      ...(request.system ? [{ role: "system", content: wellFormed(request.system) }] : []),
      ...settle(request.items).flatMap((part) =>
        part.type === "step"
          ? stepMessages(part, options)
          : [{ role: "user", content: renderMessage(part) }],
      ),
    ],
  };
}

/** How one step is asked in a way of its own; both wires say it alike. */
export function sampling({ sampling: asked }: StepRequest, { without }: WireOptions): Message {
  const { temperature, topP } = asked ?? {};
  return {
    ...(temperature === undefined || without.has("temperature") ? {} : { temperature }),
    ...(topP === undefined || without.has("top_p") ? {} : { top_p: topP }),
  };
}

/** Whoever is told to think does so as the operator says, and where that is not at all, a little. */
export function effortOf(
  { sampling: asked }: StepRequest,
  { reasoningEffort }: WireOptions,
): WireOptions["reasoningEffort"] {
  if (asked?.reasoning === undefined) return reasoningEffort;
  if (!asked.reasoning) return "none";
  return reasoningEffort === undefined || reasoningEffort === "none" ? "medium" : reasoningEffort;
}

/** Requests of one conversation reach the machine that has seen its beginning. */
export function cacheKey(request: StepRequest, { isOpenAi, without }: WireOptions): Message {
  if (!(isOpenAi && request.conversation) || without.has("prompt_cache_key")) return {};
  const digest = createHash("sha256").update(request.conversation).digest("hex");
  return { prompt_cache_key: digest.slice(0, 32) };
}

function chatTool({ name, description, parameters }: StepRequest["tools"][number]): Message {
  return {
    type: "function",
    function: {
      name,
      description: renderDescription(description),
      parameters: toolParameters(parameters),
    },
  };
}

function stepMessages(step: SettledStep, options: WireOptions): Message[] {
  const spoken = step.said.flatMap((item) =>
    item.type === "assistant" && item.text.trim() !== "" ? [renderReply(item.text)] : [],
  );
  if (spoken.length === 0 && step.calls.length === 0) return [];
  const reply: Message = {
    role: "assistant",
    content: spoken.length > 0 ? spoken.join("\n\n") : null,
    ...thoughts(step, options),
    ...(step.calls.length > 0
      ? { tool_calls: step.calls.map((settled) => chatCall(settled, options)) }
      : {}),
  };
  const results = step.calls.map(({ id, text: result }) => ({
    role: "tool",
    tool_call_id: id,
    content: renderResult(result ?? NO_RESULT),
  }));
  return [reply, ...results];
}

function chatCall({ call, id }: SettledCall, options: WireOptions): Message {
  return {
    ...(isOwn(call, options) && !options.without.has("extra_content") ? call.origin?.extra : {}),
    id,
    type: "function",
    function: { name: call.name, arguments: replayedArguments(call.arguments) },
  };
}

/** Some models refuse to go on without what they thought, under the very name they gave it. */
function thoughts(step: SettledStep, options: WireOptions): Message {
  const fields: Record<string, string> = {};
  for (const item of step.said) {
    if (item.type !== "reasoning" || !isOwn(item, options)) continue;
    const field = item.origin.id as SpareField;
    if (options.without.has(field)) continue;
    fields[field] = (fields[field] ?? "") + escapeTokens(wellFormed(item.text));
  }
  return fields;
}

function isOwn(
  { origin }: { origin?: SettledCall["call"]["origin"] },
  { model }: WireOptions,
): boolean {
  return origin?.wire === "chat" && origin.model === model;
}
