import type {
  CallItem,
  FinishReason,
  ModelEvent,
  TranscriptItem,
  Usage,
} from "../../contract/model.ts";
import type { Json } from "../../contract/store.ts";
import { newCallId } from "./call-id.ts";
import { argumentText } from "./chat-chunk.ts";
import { ModelServerError, reported } from "./failure.ts";
import { asEvent, type OutputItem, ResponsesEvent } from "./responses-event.ts";
import { responsesBody } from "./responses-request.ts";
import { readUsage } from "./usage.ts";
import type { Accumulator, Outcome, Wire } from "./wire.ts";

/** The Responses API, used without anything being kept at the provider. */
export const responsesWire: Wire = {
  name: "responses",
  path: "/responses",
  spare: ["include", "encrypted_content", "prompt_cache_key"],
  sampling: ["temperature", "top_p", "effort"],
  body: responsesBody,
  accumulator: (model) => new ResponsesAccumulator(model),
};

interface Entry {
  readonly key: string;
  readonly callId: string;
  /** What it is, where only its deltas have come so far. */
  type: string;
  item: OutputItem | undefined;
  /** What its deltas have told. */
  told: string;
  started: boolean;
  done: boolean;
}

class ResponsesAccumulator implements Accumulator {
  readonly #model: string;
  readonly #entries: Entry[] = [];
  #reason: FinishReason | undefined;
  #usage: Usage | undefined;

  constructor(model: string) {
    this.#model = model;
  }

  push(value: unknown): ModelEvent[] {
    const { success, data: event } = ResponsesEvent.safeParse(asEvent(value));
    if (!success) return [];
    switch (event.type) {
      case "response.output_item.added":
        return event.item ? this.#added(this.#entryOf(event), event.item) : [];
      case "response.output_item.done":
        return event.item ? this.#done(this.#entryOf(event), event.item) : [];
      case "response.output_text.delta":
      case "response.refusal.delta":
        return this.#told(event, "message");
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return this.#told(event, "reasoning");
      case "response.function_call_arguments.delta":
        return this.#told(event, "function_call");
      case "response.completed":
      case "response.incomplete":
        return this.#closed(event);
      case "response.failed":
        throw new ModelServerError(reported(event.response?.error, "the reply failed"));
      // Under its own name the event never comes this far; bridges leave the names out.
      case "error":
        throw new ModelServerError(reported(value, "the reply failed"));
      default:
        return [];
    }
  }

  #added(entry: Entry, item: OutputItem): ModelEvent[] {
    entry.type = item.type;
    entry.item = item;
    return this.#start(entry);
  }

  #told(event: ResponsesEvent, type: string): ModelEvent[] {
    const { delta } = event;
    if (!delta) return [];
    const entry = this.#entryOf(event);
    if (entry.told === "") entry.type = type;
    entry.told += delta;
    if (type === "message") return [{ type: "textDelta", text: delta }];
    if (type === "reasoning") return [{ type: "reasoningDelta", text: delta }];
    // Whose arguments they are is not known before the call itself has come.
    if (!entry.started) return [];
    return [{ type: "argumentsDelta", callId: entry.callId, text: delta }];
  }

  /** The finished item is what counts; what its deltas left out is told now. */
  #done(entry: Entry, item: OutputItem): ModelEvent[] {
    if (entry.done) return [];
    entry.done = true;
    entry.type = item.type;
    entry.item = item;
    if (item.type === "message") {
      const said = entry.told === "" ? saidIn(item) : "";
      return said ? [{ type: "textDelta", text: said }] : [];
    }
    return item.type === "function_call" ? this.#completeCall(entry) : [];
  }

  #completeCall(entry: Entry): ModelEvent[] {
    const call = this.#call(entry);
    const { callId, arguments: all } = call;
    const untold = entry.started && entry.told !== "" ? "" : all;
    return [
      ...this.#start(entry),
      ...(untold ? [{ type: "argumentsDelta", callId, text: untold } as const] : []),
      { type: "callComplete", call },
    ];
  }

  #closed({ type, response }: ResponsesEvent): ModelEvent[] {
    this.#usage = readUsage(response?.usage);
    const events = (response?.output ?? []).flatMap((item, index) =>
      item ? this.#done(this.#entryOf({ item, output_index: index }), item) : [],
    );
    // What was begun and never finished is handed on as far as it came.
    const cut = this.#entries
      .filter((entry) => entry.type === "function_call" && !entry.done)
      .flatMap((entry) => this.#completeCall(entry));
    this.#reason = this.#reasonOf(type, response?.incomplete_details?.reason);
    return [...events, ...cut];
  }

  #reasonOf(type: string, why: string | null | undefined): FinishReason {
    if (type === "response.incomplete") return why === "content_filter" ? "filtered" : "length";
    return this.#entries.some((entry) => entry.type === "function_call") ? "calls" : "stop";
  }

  finish(): Outcome {
    const items = this.#entries.flatMap((entry) => this.#toItem(entry));
    return { reason: this.#reason, events: [], items, usage: this.#usage };
  }

  #toItem(entry: Entry): TranscriptItem[] {
    const { type, item, told } = entry;
    if (type === "function_call") return [this.#call(entry)];
    const origin = { wire: "responses", model: this.#model } as const;
    if (type === "reasoning") {
      const thought = (item?.summary ?? []).map((part) => part.text ?? "").join("\n\n") || told;
      return [{ type: "reasoning", text: thought, origin: { ...origin, extra: json(item?.raw) } }];
    }
    const said = (item && saidIn(item)) || told;
    if (type !== "message" || said === "") return [];
    const extra = json({
      ...(item?.id ? { id: item.id, status: item.status ?? "completed" } : {}),
      phase: item?.phase ?? undefined,
    });
    return [{ type: "assistant", text: said, origin: { ...origin, extra } }];
  }

  #call({ callId, item, told }: Entry): CallItem {
    const id = item?.call_id;
    const extra = json({ id: item?.id || undefined });
    return {
      type: "call",
      callId,
      name: item?.name ?? "",
      arguments: argumentText(item?.arguments) || told,
      origin: { wire: "responses", model: this.#model, ...(id ? { id } : {}), extra },
    };
  }

  #start(entry: Entry): ModelEvent[] {
    if (entry.started || entry.type !== "function_call") return [];
    entry.started = true;
    return [{ type: "callStarted", callId: entry.callId, name: entry.item?.name ?? "" }];
  }

  /** By its place in the output, or by the item's id where a bridge leaves the place out. */
  #entryOf({ output_index, item_id, item }: Partial<ResponsesEvent>): Entry {
    const id = item_id || item?.id;
    const known = this.#entries.find(
      (entry) => entry.key === String(output_index) || (id && entry.key === id),
    );
    if (known) return known;
    const entry: Entry = {
      key: String(output_index ?? id),
      callId: newCallId(),
      type: "",
      item: undefined,
      told: "",
      started: false,
      done: false,
    };
    this.#entries.push(entry);
    return entry;
  }
}

function saidIn(item: OutputItem): string {
  return (item.content ?? []).map((part) => part.text ?? part.refusal ?? "").join("");
}

/** As it goes into a journal: what is not there is left out. */
function json(value: unknown = {}): Record<string, Json> {
  return JSON.parse(JSON.stringify(value));
}
