import type { ThreadId } from "../../src/contract/platform/incoming.ts";
import type { Documents, Json } from "../../src/contract/store.ts";
import { BoundedMap } from "../../src/lib/bounded.ts";
import { titleOf, waitingOf } from "./format.ts";
import type { Item, ItemContent, ThreadInfo } from "./protocol.ts";

/** How many threads are kept in memory; the others are read again when somebody opens them. */
const THREADS_IN_MEMORY = 20;
/** Revisions are set aside in advance, so that a crash never gives one out twice. */
const REVISIONS_AT_ONCE = 1_000;

export type Change =
  | { readonly kind: "thread"; readonly thread: ThreadInfo }
  | { readonly kind: "item"; readonly thread: ThreadId; readonly item: Item };

type Items = Map<string, Item>;

/**
 * What the web chat keeps: its threads and all that stands in them. Everything is durable before anybody is told.
 * Changes happen one after the other, in the order of their revisions: whoever has seen one has seen all before it.
 */
export class Threads {
  readonly #documents: Documents;
  readonly #clock: () => Date;
  readonly #threads = new Map<ThreadId, ThreadInfo>();
  readonly #items = new BoundedMap<ThreadId, Items>(THREADS_IN_MEMORY);
  readonly #observers = new Set<(change: Change) => void>();
  #revision: number;
  #setAside: number;
  #work: Promise<unknown> = Promise.resolve();

  private constructor(documents: Documents, revision: number, clock: () => Date) {
    this.#documents = documents;
    this.#revision = revision;
    this.#setAside = revision;
    this.#clock = clock;
  }

  static async open(documents: Documents, clock: () => Date = () => new Date()): Promise<Threads> {
    const revision = Number((await documents.get("revision")) ?? 0);
    const threads = new Threads(documents, revision, clock);
    for (const key of await documents.keys("thread:")) {
      const info = fromJson<ThreadInfo>(await documents.get(key));
      if (info) threads.#threads.set(info.id, info);
    }
    return threads;
  }

  /** The newest first. */
  list(): ThreadInfo[] {
    return [...this.#threads.values()].sort((a, b) => b.lastAt.localeCompare(a.lastAt));
  }

  get(id: ThreadId): ThreadInfo | undefined {
    return this.#threads.get(id);
  }

  async exists(id: ThreadId): Promise<boolean> {
    return (await this.#documents.get(`thread:${id}`)) !== undefined;
  }

  /** The last revision that was given out. */
  get revision(): number {
    return this.#revision;
  }

  create(id: ThreadId): Promise<ThreadInfo> {
    return this.#inOrder(async () => {
      const there = this.#threads.get(id);
      if (there) return there;
      const now = this.#clock().toISOString();
      const isNew = { isArchived: false, isWorking: false, waiting: [] };
      return this.#keepThread({ id, title: "", createdAt: now, lastAt: now, ...isNew, rev: 0 });
    });
  }

  change(
    id: ThreadId,
    change: Partial<Pick<ThreadInfo, "title" | "isArchived">>,
  ): Promise<ThreadInfo | undefined> {
    return this.#inOrder(async () => {
      const there = this.#threads.get(id);
      return there && this.#keepThread({ ...there, ...change });
    });
  }

  /** In the order in which they came. */
  async items(thread: ThreadId): Promise<Item[]> {
    return [...(await this.#load(thread)).values()].sort((a, b) => a.seq - b.seq);
  }

  async item(thread: ThreadId, id: string): Promise<Item | undefined> {
    return (await this.#load(thread)).get(id);
  }

  /**
   * Adds or changes an item. `content` is asked what it should be, given what it is; undefined leaves all as it was.
   * Gives the item as it is then; undefined where there is none.
   */
  put(
    thread: ThreadId,
    id: string,
    content: (there: Item | undefined) => ItemContent | undefined,
    { to }: { readonly to?: string } = {},
  ): Promise<Item | undefined> {
    return this.#inOrder(async () => {
      const items = await this.#load(thread);
      const there = items.get(id);
      const next = content(there);
      if (next === undefined) return there;
      const rev = await this.#nextRevision();
      const fresh = { id, seq: rev, at: this.#clock().toISOString(), ...(to && { to }) };
      const item: Item = { ...(there ?? fresh), rev, content: asJson(next) };
      await this.#documents.set(`item:${thread}:${id}`, asJson(item) as unknown as Json);
      items.set(id, item);
      this.#tell({ kind: "item", thread, item });
      await this.#noteInThread(thread, item, there);
      return item;
    });
  }

  observe(observer: (change: Change) => void): () => void {
    this.#observers.add(observer);
    return () => this.#observers.delete(observer);
  }

  /** What the list of threads shows of it: a title, what waits, and whether the bot is at work. */
  async #noteInThread(id: ThreadId, item: Item, before: Item | undefined): Promise<void> {
    const thread = this.#threads.get(id);
    if (!thread) return;
    const { content } = item;
    const status = activityIn(item);
    // What a command of one's own printed takes the place of its card.
    const isWorkKnown = status !== undefined || (before && activityIn(before) !== undefined);
    const waits = waitingOf(item);
    const next: ThreadInfo = {
      ...thread,
      ...(thread.title === "" && content.kind === "message" && { title: titleOf(content.text) }),
      ...(!before && { lastAt: item.at, isArchived: false }),
      ...(isWorkKnown && { isWorking: status === "working" }),
      waiting: [...thread.waiting.filter((one) => one.item !== item.id), ...(waits ? [waits] : [])],
    };
    if (JSON.stringify(next) !== JSON.stringify(thread)) await this.#keepThread(next);
  }

  async #keepThread(thread: ThreadInfo): Promise<ThreadInfo> {
    const kept = { ...thread, rev: await this.#nextRevision() };
    await this.#documents.set(`thread:${thread.id}`, asJson(kept) as unknown as Json);
    this.#threads.set(thread.id, kept);
    this.#tell({ kind: "thread", thread: kept });
    return kept;
  }

  async #load(thread: ThreadId): Promise<Items> {
    const there = this.#items.get(thread);
    if (there) {
      this.#items.set(thread, there);
      return there;
    }
    const items: Items = new Map();
    for (const key of await this.#documents.keys(`item:${thread}:`)) {
      const item = fromJson<Item>(await this.#documents.get(key));
      if (item) items.set(item.id, item);
    }
    const meanwhile = this.#items.get(thread);
    if (meanwhile) return meanwhile;
    this.#items.set(thread, items);
    return items;
  }

  async #nextRevision(): Promise<number> {
    if (this.#revision >= this.#setAside) {
      const setAside = this.#revision + REVISIONS_AT_ONCE;
      await this.#documents.set("revision", setAside);
      this.#setAside = setAside;
    }
    this.#revision += 1;
    return this.#revision;
  }

  #tell(change: Change): void {
    for (const observer of this.#observers) observer(change);
  }

  #inOrder<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#work.then(work, work);
    this.#work = done.catch(() => undefined); // told to whoever asked for it; the next one is none the worse
    return done;
  }
}

/** As it will be read back: without what is undefined, and not shared with the caller. */
function asJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
}

/** Only this file writes what it reads. */
function fromJson<Value>(json: Json | undefined): Value | undefined {
  return json === undefined ? undefined : (json as unknown as Value);
}

function activityIn({ content }: Item) {
  const isActivity = content.kind === "view" && content.view.kind === "activity";
  return isActivity ? content.view.status : undefined;
}
