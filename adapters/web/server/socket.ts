import { type RawData, WebSocket } from "ws";
import { z } from "zod";
import { ThreadId } from "../../../src/contract/platform/incoming.ts";
import { boundLayout } from "../../../src/lib/text/bound-layout.ts";
import { HookRefusedError, type WebHooks } from "../hooks.ts";
import type { Person } from "../people.ts";
import { CLOSED, type FromPage, ITEMS_AT_ONCE, type ToPage } from "../protocol.ts";
import type { Change, Threads } from "../threads.ts";
import { isFor } from "./asked.ts";

const HELLO_WITHIN_MS = 5_000;
const BEAT_EVERY_MS = 15_000;
/** A page that is so far behind is cut off; it comes back and asks for what it has missed. */
const MOST_BUFFERED_BYTES = 16 * 1024 * 1024;
/** A page waits for answers; one that does not is no page of ours. */
const MOST_WAITING = 100;

const Said = z.discriminatedUnion("type", [
  z.object({ type: z.literal("hello"), token: z.string().max(200) }),
  z.object({ type: z.literal("open"), thread: ThreadId, since: z.int().min(0) }),
  z.object({
    type: z.literal("follow"),
    thread: ThreadId,
    terminal: z.string().min(1).max(200),
    fromIndex: z.int().min(0),
  }),
  z.object({ type: z.literal("unfollow") }),
]) satisfies z.ZodType<FromPage>;

export interface ConnectionParts {
  readonly threads: Threads;
  readonly hooks: WebHooks;
  /** Who has this token; undefined for a bad one, "later" where nobody is listened to now. */
  readonly admit: (token: string) => Person | "later" | undefined;
  readonly welcome: (person: Person) => ToPage;
  readonly onError: (error: unknown) => void;
}

/** One page that watches. It says who it is first, then which thread it has open. */
export class Connection {
  readonly #socket: WebSocket;
  readonly #parts: ConnectionParts;
  readonly #beat: NodeJS.Timeout;
  readonly #helloTimer: NodeJS.Timeout;
  readonly #unobserve: () => void;
  #person: Person | undefined;
  #open: ThreadId | undefined;
  /** Changes that came while the first answer was being put together. */
  #held: Change[] | undefined;
  #following: AbortController | undefined;
  #isAlive = true;
  #waiting = 0;
  #work: Promise<void> = Promise.resolve();

  constructor(socket: WebSocket, parts: ConnectionParts) {
    this.#socket = socket;
    this.#parts = parts;
    this.#beat = setInterval(() => this.#checkAlive(), BEAT_EVERY_MS);
    this.#helloTimer = setTimeout(() => this.close(CLOSED.badToken), HELLO_WITHIN_MS);
    this.#unobserve = parts.threads.observe((change) => this.#take(change));
    socket.on("message", (data) => this.#enqueue(data));
    socket.on("pong", () => {
      this.#isAlive = true;
    });
    socket.on("error", () => socket.terminate());
    socket.on("close", () => this.#end());
  }

  close(code: number): void {
    this.#socket.close(code);
  }

  #enqueue(data: RawData): void {
    // A closing connection may go on sending for half a minute.
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#waiting += 1;
    if (this.#waiting > MOST_WAITING) {
      this.#socket.terminate();
      return;
    }
    this.#work = this.#work
      .then(() => this.#hear(data))
      .catch((error) => this.#fail(error))
      .finally(() => {
        this.#waiting -= 1;
      });
  }

  async #hear(data: RawData): Promise<void> {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    const said = Said.safeParse(parsed(data));
    if (!said.success) {
      this.close(1008);
      return;
    }
    if (said.data.type === "hello") return this.#admit(said.data.token);
    if (!this.#person) {
      this.close(CLOSED.badToken);
      return;
    }
    switch (said.data.type) {
      case "open":
        return this.#show(this.#person, said.data.thread, said.data.since);
      case "follow":
        this.#follow(this.#person, said.data);
        break;
      case "unfollow":
        this.#following?.abort();
        break;
    }
  }

  #admit(token: string): void {
    if (this.#person) return;
    const person = this.#parts.admit(token);
    if (person === undefined) this.close(CLOSED.badToken);
    else if (person === "later") this.close(CLOSED.tooMany);
    else {
      clearTimeout(this.#helloTimer);
      this.#person = person;
      this.#send(this.#parts.welcome(person));
    }
  }

  /** What has changed since then. What changes meanwhile comes right after it, in order. */
  async #show(person: Person, thread: ThreadId, since: number): Promise<void> {
    const { threads } = this.#parts;
    if (!threads.get(thread)) {
      return this.#send({ type: "problem", message: "This thread does not exist." });
    }
    this.#open = thread;
    this.#held = [];
    const all = (await threads.items(thread)).filter((item) => isFor(person, item));
    const isWhole = since === 0 || since > threads.revision;
    const items = isWhole ? all.slice(-ITEMS_AT_ONCE) : all.filter((item) => item.rev > since);
    const upTo = all.reduce((most, item) => Math.max(most, item.rev), 0);
    const hasEarlier = isWhole && all.length > ITEMS_AT_ONCE;
    this.#send({ type: "items", thread, items, upTo, isWhole, hasEarlier });
    const held = this.#held.filter((change) => change.kind !== "item" || change.item.rev > upTo);
    this.#held = undefined;
    for (const change of held) this.#take(change);
  }

  #take(change: Change): void {
    if (!this.#person) return;
    if (change.kind === "thread") this.#send({ type: "thread", thread: change.thread });
    else if (change.thread !== this.#open || !isFor(this.#person, change.item)) return;
    else if (this.#held) this.#held.push(change);
    else this.#send({ type: "item", thread: change.thread, item: change.item });
  }

  /** One terminal at a time. Not awaited: the page goes on talking meanwhile. */
  #follow(person: Person, { thread, terminal, fromIndex }: Extract<FromPage, { type: "follow" }>) {
    this.#following?.abort();
    const following = new AbortController();
    this.#following = following;
    const { signal } = following;
    const asker = { presence: person.presence, thread };
    const ended = (reason?: string) => {
      if (!signal.aborted)
        this.#send({ type: "followEnded", thread, terminal, ...(reason && { reason }) });
    };
    const work = this.#parts.hooks.terminal?.follow(asker, terminal, {
      fromIndex,
      signal,
      onOutput: async (piece) => {
        if (signal.aborted) return;
        const { fromIndex: from, text, nextIndex = from + text.length } = piece;
        const output = { ...piece, text: boundLayout(text), nextIndex };
        await this.#sendAndWait({ type: "output", thread, terminal, ...output });
      },
    });
    work
      ?.then(() => ended())
      .catch((error: unknown) => {
        if (!(error instanceof HookRefusedError)) this.#parts.onError(error);
        ended(
          error instanceof HookRefusedError
            ? error.message
            : "The terminal is not available right now.",
        );
      });
  }

  #send(message: ToPage): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    if (this.#socket.bufferedAmount > MOST_BUFFERED_BYTES) this.close(CLOSED.tooSlow);
    else this.#socket.send(JSON.stringify(message));
  }

  /** Resolves once it has left: a slow page slows the terminal, and fills no memory. */
  async #sendAndWait(message: ToPage): Promise<void> {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    await new Promise<void>((resolve) => {
      this.#socket.send(JSON.stringify(message), () => resolve());
    });
  }

  #checkAlive(): void {
    if (this.#isAlive) {
      this.#isAlive = false;
      this.#socket.ping();
      if (this.#person) this.#send({ type: "beat" });
    } else this.#socket.terminate();
  }

  #fail(error: unknown): void {
    this.#parts.onError(error);
    this.close(1011);
  }

  #end(): void {
    clearInterval(this.#beat);
    clearTimeout(this.#helloTimer);
    this.#unobserve();
    this.#following?.abort();
  }
}

function parsed(data: RawData): unknown {
  try {
    return JSON.parse(String(data));
  } catch {
    return undefined; // not what a page of ours would send
  }
}
