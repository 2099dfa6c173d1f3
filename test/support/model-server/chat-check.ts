import {
  type Fields,
  fields,
  invalid,
  list,
  ModelRefusedError,
  missing,
  onlyKnown,
  replayedArguments,
  text,
  toolName,
} from "./refusal.ts";
import { checkTools } from "./tool-check.ts";

const KNOWN = [
  "model",
  "messages",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "stream",
  "stream_options",
  "store",
  "temperature",
  "top_p",
  "n",
  "stop",
  "seed",
  "max_tokens",
  "max_completion_tokens",
  "reasoning_effort",
  "response_format",
  "metadata",
  "user",
  "safety_identifier",
  "prompt_cache_key",
  "service_tier",
  "verbosity",
];

/** What POST /v1/chat/completions refuses. Where each was seen stands in the test. */
export function checkChat(body: Fields, options: { readonly reasoningModel: boolean }): void {
  onlyKnown(body, KNOWN);
  if (body.stream_options !== undefined && body.stream !== true) {
    throw invalid(
      "stream_options",
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    );
  }
  if (body.tools !== undefined) list(body.tools, "tools");
  const tools = checkTools(body.tools, { strictByDefault: false, inner: "function" });
  if (options.reasoningModel && tools > 0 && (body.reasoning_effort ?? "none") !== "none") {
    throw invalid(
      "reasoning_effort",
      `Function tools with reasoning_effort are not supported for ${String(body.model)} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`,
    );
  }
  checkMessages(list(body.messages, "messages"));
}

function checkMessages(messages: readonly unknown[]): void {
  const open = new Set<string>();
  let calling = -1;
  messages.forEach((given, index) => {
    const param = `messages[${index}]`;
    const message = fields(given, param);
    if (message.role === "tool") {
      const id = text(message.tool_call_id, `${param}.tool_call_id`, { most: 64 });
      text(message.content, `${param}.content`);
      if (!open.delete(id)) {
        throw invalid(
          `${param}.role`,
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        );
      }
      return;
    }
    refuseUnanswered(open, calling);
    switch (message.role) {
      case "system":
      case "developer":
      case "user":
        text(message.content, `${param}.content`);
        if (message.name !== undefined && !/^[^\s<|\\/>]+$/.test(String(message.name))) {
          throw invalid(
            `${param}.name`,
            `Invalid '${param}.name': string does not match pattern. Expected a string that matches the pattern '^[^\\s<|\\\\/>]+$'.`,
          );
        }
        return;
      case "assistant":
        calling = index;
        checkAssistant(message, param, open);
        return;
      default:
        throw invalid(
          `${param}.role`,
          `Invalid value: '${String(message.role)}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.`,
        );
    }
  });
  refuseUnanswered(open, calling);
}

function refuseUnanswered(open: ReadonlySet<string>, index: number): void {
  if (open.size === 0) return;
  throw invalid(
    `messages[${index}]`,
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(", ")}`,
  );
}

function checkAssistant(message: Fields, param: string, open: Set<string>): void {
  if (message.tool_calls === undefined) {
    text(message.content ?? undefined, `${param}.content`);
    return;
  }
  if (typeof message.content === "string") text(message.content, `${param}.content`);
  list(message.tool_calls, `${param}.tool_calls`).forEach((given, index) => {
    const place = `${param}.tool_calls[${index}]`;
    const call = fields(given, place);
    if (call.type !== "function") throw missing(`${place}.type`);
    const id = text(call.id, `${place}.id`, { most: 64 });
    if (open.has(id)) throw invalid(`${place}.id`, `Duplicate tool call id '${id}'.`);
    open.add(id);
    const made = fields(call.function, `${place}.function`);
    toolName(made.name, `${place}.function.name`);
    replayedArguments(made.arguments, `${place}.function.arguments`);
  });
}

export function chatTooLong(limit: number, tokens: number): ModelRefusedError {
  return new ModelRefusedError(
    400,
    `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
    { param: "messages", code: "context_length_exceeded" },
  );
}
