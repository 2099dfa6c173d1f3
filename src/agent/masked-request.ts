import type { ModelTool, StepRequest, TranscriptItem } from "../contract/model.ts";
import type { Redactor } from "../contract/redactor.ts";

/**
 * What a model is sent is without secrets, whoever has written it: people, tools, other servers or the model itself.
 * The same item always gives the same bytes, which is what providers cache.
 */
export function maskedRequest(redactor: Redactor, request: StepRequest): StepRequest {
  return {
    ...request,
    system: redactor.redact(request.system),
    tools: request.tools.map((tool) => maskedTool(redactor, tool)),
    items: request.items.map((item) => once(redactor, item, maskedItem)),
  };
}

type Known = WeakMap<object, object>;
const known = new WeakMap<Redactor, Known>();

/** A transcript only grows: what was sent before need not be looked at again. */
function once<Value extends object>(
  redactor: Redactor,
  value: Value,
  mask: (redactor: Redactor, value: Value) => Value,
): Value {
  const masked = known.get(redactor) ?? new WeakMap();
  known.set(redactor, masked);
  const found = masked.get(value) ?? mask(redactor, value);
  masked.set(value, found);
  return found as Value;
}

/** Tools are offered anew for every step; only their parameters are the same object each time. */
function maskedTool(redactor: Redactor, { name, description, parameters }: ModelTool): ModelTool {
  const masked = once(redactor, parameters, (_, given) => redactor.redactDeep(given));
  return { name, description: redactor.redact(description), parameters: masked };
}

/** Ids, and what only the origin understands, go back as they came. */
function maskedItem(redactor: Redactor, item: TranscriptItem): TranscriptItem {
  switch (item.type) {
    case "user": {
      const author = item.author === undefined ? {} : { author: redactor.redact(item.author) };
      return { ...item, ...author, text: redactor.redact(item.text) };
    }
    case "reminder":
    case "result":
    case "assistant":
      return { ...item, text: redactor.redact(item.text) };
    case "reasoning":
      return maskedThought(redactor, item);
    case "call":
      return { ...item, arguments: maskedArguments(redactor, item.arguments) };
  }
}

type Thought = Extract<TranscriptItem, { type: "reasoning" }>;

/** Its words can be read, the encrypted rest cannot. */
function maskedThought(redactor: Redactor, item: Thought): Thought {
  const { extra } = item.origin;
  const readable = Object.entries(extra ?? {}).filter(([name]) => READABLE.has(name));
  const words = redactor.redactDeep(Object.fromEntries(readable));
  return {
    ...item,
    text: redactor.redact(item.text),
    origin: extra ? { ...item.origin, extra: { ...extra, ...words } } : item.origin,
  };
}

const READABLE = new Set(["summary", "content"]);

/** Stays JSON where it is JSON: servers refuse a call whose arguments they cannot read. */
function maskedArguments(redactor: Redactor, text: string): string {
  try {
    const given: unknown = JSON.parse(text);
    const masked = JSON.stringify(redactor.redactDeep(given));
    return masked === JSON.stringify(given) ? text : masked;
  } catch {
    return redactor.redact(text); // the model wrote no JSON
  }
}
