import { viewText } from "../../adapters/shared/view-text.ts";
import type { Presence } from "../../src/contract/platform/actor.ts";
import { type Adapter, DeliveryError, type Receipt } from "../../src/contract/platform/adapter.ts";
import type { Attachment, Incoming, ThreadId } from "../../src/contract/platform/incoming.ts";
import type { FileShare, View } from "../../src/contract/platform/view.ts";
import { neutral } from "../../src/lib/text/neutral.ts";
import type { AdapterRig } from "../contracts/adapter/rig.ts";
import { MemoryPeople } from "./memory-people.ts";
import { buttonsOf, MemoryPlatform } from "./memory-platform.ts";
import { problemsInFile, problemsInView } from "./own-words.ts";

export interface MemoryRig extends AdapterRig {
  readonly platform: MemoryPlatform;
  readonly people: MemoryPeople;
}

interface WordOptions {
  /** Words that are not for people are shown as well: for tests of what would come out by mistake. */
  readonly takesAnyWords?: boolean;
}

/** A platform for tests that have none: an adapter in memory, with its people. */
export function openMemoryAdapter(
  platform = new MemoryPlatform(),
  { takesAnyWords = false }: WordOptions = {},
): MemoryRig {
  const people = new MemoryPeople(platform);
  const adapter = new MemoryAdapter(platform, people, takesAnyWords);
  people.deliver = (incoming) => adapter.deliver(incoming);
  people.reconnected = () => adapter.reconnected();
  return { adapter, people, platform, [Symbol.asyncDispose]: () => adapter[Symbol.asyncDispose]() };
}

class MemoryAdapter implements Adapter {
  readonly platform = "memory";
  readonly limits;
  readonly #platform: MemoryPlatform;
  readonly #people: MemoryPeople;
  readonly #takesAnyWords: boolean;
  #receive: ((incoming: Incoming) => Promise<Receipt>) | undefined;
  #onReconnected: (() => void) | undefined;

  constructor(platform: MemoryPlatform, people: MemoryPeople, takesAnyWords: boolean) {
    this.#takesAnyWords = takesAnyWords;
    this.#platform = platform;
    this.#people = people;
    this.limits = platform.limits;
  }

  async start(
    receive: (incoming: Incoming) => Promise<Receipt>,
    onReconnected?: () => void,
  ): Promise<void> {
    this.#receive = receive;
    this.#onReconnected = onReconnected;
    await this.#people.catchUp();
  }

  reconnected(): void {
    this.#onReconnected?.();
  }

  /** True once the event is kept. Nobody listens before the start and after the end. */
  async deliver(incoming: Incoming): Promise<boolean> {
    if (!this.#receive) return false;
    if (incoming.actor.kind === "bot" || incoming.actor.kind === "self") return true;
    const receipt = await this.#receive(incoming);
    if (receipt.outcome === "ignored" && receipt.reason !== undefined) {
      const notice = { kind: "notice", level: "warning", text: receipt.reason } as const;
      await this.whisper(incoming.thread, incoming.actor.id, notice);
    }
    return true;
  }

  async post(thread: ThreadId, view: View, key: string): Promise<string> {
    this.#check(thread);
    const draft = this.#draft(view, key);
    const post = this.#platform.add(thread, draft, "post");
    const kept = this.#platform.posts(thread).find((one) => one.post === post);
    if (kept?.text !== draft.text) this.#platform.change(thread, post, draft);
    return post;
  }

  async edit(thread: ThreadId, post: string, view: View): Promise<"edited" | "gone"> {
    this.#check(thread);
    return this.#platform.change(thread, post, this.#draft(view, "")) ? "edited" : "gone";
  }

  async remove(thread: ThreadId, post: string): Promise<void> {
    this.#check(thread);
    this.#platform.drop(thread, post);
  }

  async whisper(thread: ThreadId, actorId: string, view: View): Promise<void> {
    this.#check(thread);
    const draft = { ...this.#draft(view, this.#platform.newId("whisper")), only: actorId };
    this.#platform.add(thread, draft, "whisper");
  }

  async upload(thread: ThreadId, file: FileShare, key: string): Promise<string> {
    this.#check(thread);
    const { name, bytes, comment = "" } = file;
    const [problem] = this.#takesAnyWords ? [] : problemsInFile(file);
    if (problem !== undefined) throw new DeliveryError("never", `Not for people: ${problem}`);
    if (bytes.length > this.limits.fileBytes) {
      throw new DeliveryError("never", `${name} has ${bytes.length} bytes, more than can be sent.`);
    }
    const text = neutral(viewText({ kind: "reply", text: comment, isFinal: true }));
    const draft = { key, view: undefined, text, buttons: [], files: [{ name, bytes }] };
    return this.#platform.add(thread, draft, "upload");
  }

  async fetchAttachment(thread: ThreadId, { id }: Attachment): Promise<Uint8Array> {
    this.#check(thread);
    const bytes = this.#people.attachments.get(id);
    if (!bytes) throw new DeliveryError("never", `There is no attachment ${id} any more.`);
    return bytes;
  }

  async earlier(thread: ThreadId, beforeMessage: string, limit: number) {
    this.#check(thread);
    return this.#people.messagesBefore(thread, beforeMessage).slice(-limit);
  }

  async mark(thread: ThreadId, messageId: string, sign: "seen" | "done" | "failed" | "stopped") {
    this.#check(thread);
    this.#people.setMark(messageId, sign);
  }

  async presence(thread: ThreadId, actorId: string): Promise<Presence | undefined> {
    this.#check(thread);
    if (!this.#platform.isConnected) throw new DeliveryError("later", "Nobody can be looked up.");
    return this.#people.presenceOf(thread, actorId);
  }

  async link(thread: ThreadId, post?: string): Promise<string | undefined> {
    return `memory://${thread}/${post ?? ""}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#receive = undefined;
    this.#onReconnected = undefined;
  }

  #draft(view: View, key: string) {
    const [problem] = this.#takesAnyWords ? [] : problemsInView(view);
    if (problem !== undefined) throw new DeliveryError("never", `Not for people: ${problem}`);
    const text = neutral(viewText(view, { maxChars: this.limits.cardChars }));
    return { key, view, text, buttons: buttonsOf(view), files: [] };
  }

  #check(thread: ThreadId): void {
    decodeThread(thread);
  }
}

/** Where a thread of this platform is. */
export interface MemoryPlace {
  readonly channel: string;
  readonly root: string;
}

export function encodeThread({ channel, root }: MemoryPlace): ThreadId {
  return `memory:${channel}:${root}`;
}

export function decodeThread(thread: string): MemoryPlace {
  const [, channel, root] = /^memory:([A-Za-z0-9_.-]+):([A-Za-z0-9_.-]+)$/.exec(thread) ?? [];
  if (channel === undefined || root === undefined) {
    throw new DeliveryError("never", `${thread} is not a thread of this platform.`);
  }
  return { channel, root };
}
