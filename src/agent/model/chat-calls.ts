import type { CallItem, ModelEvent } from "../../contract/model.ts";
import { newCallId } from "./call-id.ts";
import { argumentText, type Fragment } from "./chat-chunk.ts";

interface Entry {
  readonly callId: string;
  readonly index: number | undefined;
  id: string | undefined;
  name: string;
  arguments: string;
  extra: NonNullable<Fragment["extra_content"]>;
  started: boolean;
}

/**
 * The calls of one streamed reply. Which call a piece belongs to is told by its id, its index, both or neither,
 * and servers use the same index for several calls: an id that is new and comes with a name begins a new call.
 */
export class ChatCalls {
  readonly #entries: Entry[] = [];
  readonly #tools: ReadonlySet<string>;

  constructor(tools: readonly string[]) {
    this.#tools = new Set(tools);
  }

  push(fragment: Fragment): ModelEvent[] {
    const entry = this.#entryOf(fragment) ?? this.#open(fragment);
    const piece = argumentText(fragment.function?.arguments);
    const name = fragment.function?.name ?? "";
    entry.id ??= fragment.id || undefined;
    // A name comes whole, in pieces, or again with every piece of the arguments.
    if (name !== entry.name) entry.name += name;
    Object.assign(entry.extra, fragment.extra_content);
    if (piece === "") return [];
    entry.arguments += piece;
    return [...this.#start(entry), { type: "argumentsDelta", callId: entry.callId, text: piece }];
  }

  /** A call is known to be complete only when the stream is over. */
  finish(model: string): { events: ModelEvent[]; calls: CallItem[] } {
    const calls = this.#entries.map((entry): CallItem => toItem(entry, model));
    const events = this.#entries.flatMap((entry, place) => {
      const call = calls[place];
      return call ? [...this.#start(entry), { type: "callComplete", call } as const] : [];
    });
    return { events, calls };
  }

  #entryOf(fragment: Fragment): Entry | undefined {
    const { id, index } = fragment;
    const byId = this.#entries.findLast(
      (entry) => id && entry.id === id && (index == null || (entry.index ?? index) === index),
    );
    if (byId) return byId;
    const near =
      index == null
        ? this.#entries.at(-1)
        : this.#entries.findLast((entry) => entry.index === index);
    if (!near || this.#beginsAnother(fragment, near)) return undefined;
    return near;
  }

  #beginsAnother({ id, function: piece }: Fragment, near: Entry): boolean {
    const name = piece?.name;
    if (!name) return false;
    if (id && near.id && id !== near.id) return true;
    if (near.arguments !== "") return name !== near.name || isComplete(near.arguments);
    return name !== near.name && this.#tools.has(near.name) && this.#tools.has(name);
  }

  #open({ id, index }: Fragment): Entry {
    const entry: Entry = {
      callId: newCallId(),
      index: index ?? undefined,
      id: id || undefined,
      name: "",
      arguments: "",
      extra: {},
      started: false,
    };
    this.#entries.push(entry);
    return entry;
  }

  #start(entry: Entry): ModelEvent[] {
    if (entry.started) return [];
    entry.started = true;
    return [{ type: "callStarted", callId: entry.callId, name: entry.name }];
  }
}

function isComplete(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}

function toItem({ callId, id, name, arguments: text, extra }: Entry, model: string): CallItem {
  const more = Object.keys(extra).length > 0 ? { extra: { extra_content: extra } } : {};
  return {
    type: "call",
    callId,
    name,
    arguments: text,
    origin: { wire: "chat", model, ...(id ? { id } : {}), ...more },
  };
}
