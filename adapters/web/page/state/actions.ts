import type { Attachment, ThreadId } from "../../../../src/contract/platform/incoming.ts";
import { type Api, newId, RequestRefusedError, sentence } from "./api.ts";
import { moveDraftTo } from "./draft.ts";
import { Live } from "./live.ts";
import { fragmentOf } from "./place.ts";
import { type PanelName, type Pending, type Store, withEarlier } from "./state.ts";

const OUTBOX = "deckhand.outbox";
const TOAST_MS = 6_000;

interface SendOptions {
  readonly attachments?: readonly Attachment[];
  /** Said to the other people, and not to the bot. */
  readonly isAside?: boolean;
}

/** What people do on this page. */
export class Actions {
  readonly store: Store;
  readonly api: Api;
  readonly live: Live;
  readonly #onWay = new Set<string>();
  readonly #loading = new Map<ThreadId, Promise<void>>();
  #toastTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(store: Store, api: Api, token: string) {
    this.store = store;
    this.api = api;
    this.live = new Live(store, token, () => this.#sendAll());
    store.change({ outbox: keptOutbox() });
    store.watch(() => sessionStorage.setItem(OUTBOX, JSON.stringify(store.state.outbox)));
  }

  /** Goes to a thread, or to one thing in it; without any to an empty one that begins with its first message. */
  open(thread: ThreadId | undefined, item?: string): void {
    const fragment = fragmentOf(thread, item);
    if ((location.hash || "#") !== fragment) history.pushState(null, "", fragment);
    const target = thread !== undefined && item !== undefined ? { thread, item } : undefined;
    this.store.change({ current: thread, target, isSidebarOpen: false });
    if (thread && this.store.state.threads.has(thread)) this.live.openThread(thread);
  }

  /** The thread that something is done in; begins one where there is none. */
  async ensureThread(): Promise<ThreadId> {
    const { current, threads } = this.store.state;
    if (current && threads.has(current)) return current;
    const thread = current ?? newThread();
    const info = await this.api.createThread(thread);
    this.store.change((state) => ({ threads: new Map(state.threads).set(thread, info) }));
    if (current === undefined) moveDraftTo(thread);
    this.open(thread);
    return thread;
  }

  /** Kept until the server has it, through reloads and breaks; it arrives once. */
  send(text: string, { attachments = [], isAside = false }: SendOptions = {}): void {
    const thread = this.store.state.current ?? newThread();
    const pending: Pending = { id: newId(), thread, text, attachments, isAside };
    this.store.change((state) => ({ outbox: [...state.outbox, pending] }));
    this.open(thread);
    this.#sendAll();
  }

  retry(id: string): void {
    this.#setPending(id, ({ problem: _problem, ...rest }) => rest);
    this.#sendAll();
  }

  discard(id: string): void {
    this.store.change(({ outbox }) => ({ outbox: outbox.filter((one) => one.id !== id) }));
  }

  /** Why it was not taken; undefined when all is well. */
  async click(thread: ThreadId, action: string, typed?: string): Promise<string | undefined> {
    try {
      const click = { action, ...(typed === undefined ? {} : { typed }) };
      const { outcome, reason } = await this.api.click(thread, click);
      return outcome === "ignored" ? (reason ?? "The request was rejected.") : undefined;
    } catch (error) {
      return sentence(error);
    }
  }

  /** Why a button's form must not open; undefined when it may. */
  async refusalOfForm(thread: ThreadId, action: string): Promise<string | undefined> {
    try {
      return (await this.api.openForm(thread, action)).refusal;
    } catch (error) {
      return sentence(error);
    }
  }

  /** Does something small, and says what went wrong. */
  async attempt<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      this.say(sentence(error));
      return undefined;
    }
  }

  async stop(thread: ThreadId): Promise<void> {
    const answer = await this.attempt(() => this.api.stop(thread));
    if (answer?.outcome === "ignored")
      this.say(answer.reason ?? "Nothing is running in this thread.");
  }

  /** Asked for twice, it is fetched once. */
  loadEarlier(thread: ThreadId): Promise<void> {
    const loading =
      this.#loading.get(thread) ??
      this.#loadEarlier(thread).finally(() => this.#loading.delete(thread));
    this.#loading.set(thread, loading);
    return loading;
  }

  async #loadEarlier(thread: ThreadId): Promise<void> {
    const first = this.store.state.items.get(thread)?.items[0];
    if (!first) return;
    const page = await this.attempt(() => this.api.earlier(thread, first.seq));
    if (page) this.store.change((state) => withEarlier(state, thread, page.items, page.hasEarlier));
  }

  show(panel: PanelName | undefined): void {
    this.store.change({ panel });
  }

  say(toast: string): void {
    clearTimeout(this.#toastTimer);
    this.store.change({ toast });
    this.#toastTimer = setTimeout(() => this.store.change({ toast: "" }), TOAST_MS);
  }

  #sendAll(): void {
    const { outbox } = this.store.state;
    const threads = new Set(outbox.map(({ thread }) => thread));
    for (const thread of threads) void this.#sendThread(thread);
  }

  /** One after the other, so that they stay in order. */
  async #sendThread(thread: ThreadId): Promise<void> {
    if (this.#onWay.has(thread)) return;
    this.#onWay.add(thread);
    try {
      for (;;) {
        const next = this.store.state.outbox.find((one) => one.thread === thread && !one.problem);
        if (!next || !(await this.#sendOne(next))) return;
      }
    } finally {
      this.#onWay.delete(thread);
    }
  }

  /** False: not now. It is tried again when the connection is back. */
  async #sendOne({ id, thread, text, attachments, isAside }: Pending): Promise<boolean> {
    try {
      if (!this.store.state.threads.has(thread)) {
        const info = await this.api.createThread(thread);
        this.store.change((state) => ({ threads: new Map(state.threads).set(thread, info) }));
        if (this.store.state.current === thread) this.live.openThread(thread);
      }
      const ids = attachments.map((one) => one.id);
      await this.api.send(thread, { id, text, attachments: ids, isAside: isAside ?? false });
      this.discard(id);
      return true;
    } catch (error) {
      const isNetwork = error instanceof TypeError;
      if (error instanceof RequestRefusedError || !isNetwork) {
        this.#setPending(id, (pending) => ({ ...pending, problem: sentence(error) }));
      }
      return !isNetwork;
    }
  }

  #setPending(id: string, change: (pending: Pending) => Pending): void {
    this.store.change(({ outbox }) => ({
      outbox: outbox.map((one) => (one.id === id ? change(one) : one)),
    }));
  }
}

function newThread(): ThreadId {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `web:${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

function keptOutbox(): readonly Pending[] {
  try {
    return JSON.parse(sessionStorage.getItem(OUTBOX) ?? "[]");
  } catch {
    return []; // somebody else's leavings under our name
  }
}
