import type { ThreadId } from "../../../../src/contract/platform/incoming.ts";
import { CLOSED, type FromPage, type ToPage } from "../../protocol.ts";
import { parseShown } from "./parse-shown.ts";
import { applied, type Store } from "./state.ts";

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 10_000;
/** The server says something at least every 15 s. */
const SILENT_AFTER_MS = 40_000;
/** What comes in one frame is drawn at once. */
const FRAME_MS = 16;

export type Output = Extract<ToPage, { type: "output" | "followEnded" }>;

/** The connection: comes back by itself, and asks for what it has missed. */
export class Live {
  readonly #store: Store;
  readonly #token: string;
  readonly #onOpen: () => void;
  readonly #listeners = new Set<(output: Output) => void>();
  #socket: WebSocket | undefined;
  #retryMs = FIRST_RETRY_MS;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #waiting: ToPage[] = [];
  /** The terminal that is followed, and how to go on after a break. */
  #followed: (() => FromPage) | undefined;

  constructor(store: Store, token: string, onOpen: () => void) {
    this.#store = store;
    this.#token = token;
    this.#onOpen = onOpen;
  }

  connect(): void {
    const socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}/live`);
    this.#socket = socket;
    socket.onopen = () => this.#say({ type: "hello", token: this.#token });
    socket.onmessage = ({ data }) => this.#hear(parseShown(data));
    socket.onclose = ({ code }) => this.#closed(code);
  }

  /** What was seen of the thread before need not come again. */
  openThread(thread: ThreadId): void {
    const since = this.#store.state.items.get(thread)?.upTo ?? 0;
    this.#say({ type: "open", thread, since });
  }

  follow(
    thread: ThreadId,
    terminal: string,
    nextIndex: () => number,
    listener: (output: Output) => void,
  ): () => void {
    const mine = (output: Output) => {
      if (output.thread === thread && output.terminal === terminal) listener(output);
    };
    this.#listeners.add(mine);
    this.#followed = () => ({ type: "follow", thread, terminal, fromIndex: nextIndex() });
    this.#say(this.#followed());
    return () => {
      this.#listeners.delete(mine);
      this.#followed = undefined;
      this.#say({ type: "unfollow" });
    };
  }

  #say(message: FromPage): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #hear(said: ToPage): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#socket?.close(), SILENT_AFTER_MS);
    if (said.type === "output" || said.type === "followEnded") {
      for (const listener of this.#listeners) listener(said);
      return;
    }
    if (said.type === "welcome") this.#welcomed(said);
    else if (this.#waiting.push(said) === 1) setTimeout(() => this.#flush(), FRAME_MS);
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length === 0) return;
    this.#store.change((before) => {
      const after = { ...before };
      for (const said of waiting) Object.assign(after, applied(after, said));
      return after;
    });
  }

  #welcomed(said: ToPage): void {
    this.#retryMs = FIRST_RETRY_MS;
    this.#store.change((state) => applied(state, said));
    const { current } = this.#store.state;
    if (current) this.openThread(current);
    if (this.#followed) this.#say(this.#followed());
    this.#onOpen();
  }

  #closed(code: number): void {
    clearTimeout(this.#silence);
    this.#flush();
    if (code === CLOSED.badToken) {
      this.#store.change({ connection: "refused" });
      return;
    }
    this.#store.change({ connection: "lost" });
    const waitMs = code === CLOSED.tooMany ? 60_000 : this.#retryMs * (0.75 + Math.random() / 2);
    this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
    setTimeout(() => this.connect(), waitMs);
  }
}
