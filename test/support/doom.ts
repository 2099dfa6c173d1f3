import { type Adapter, DeliveryError } from "../../src/contract/platform/adapter.ts";
import { type Documents, type Lease, type Store, StoreError } from "../../src/contract/store.ts";

/**
 * The death of a process, seen from outside: after its last write nothing that it does has any effect on the store or
 * the platform. Everything that writes can be the last.
 */
export class Doom {
  readonly #lastWrite: number;
  #writes = 0;
  /** What was written last, for whoever reads that something went wrong. */
  last = "";

  constructor(lastWrite: number) {
    this.#lastWrite = lastWrite;
  }

  get isDead(): boolean {
    return this.#writes >= this.#lastWrite;
  }

  /** Now, whatever it has written. */
  die(): void {
    this.#writes = Number.POSITIVE_INFINITY;
  }

  store(store: Store): Store {
    const { inbox } = store;
    return {
      documents: (namespace) => this.#documents(store.documents(namespace), namespace),
      append: (conversation, after, lines, options) =>
        this.#write(`append ${lines.map(({ kind }) => kind).join()}`, () =>
          store.append(conversation, after, lines, options),
        ),
      read: (...args) => this.#read(() => store.read(...args)),
      last: (...args) => this.#read(() => store.last(...args)),
      chain: (...args) => this.#read(() => store.chain(...args)),
      head: (...args) => this.#read(() => store.head(...args)),
      lineCount: () => this.#read(() => store.lineCount()),
      uncommittedEnds: () => this.#read(() => store.uncommittedEnds()),
      markCommitted: (ends) => this.#write("markCommitted", () => store.markCommitted(ends)),
      conversations: () => this.#read(() => store.conversations()),
      lease: async (...args) => {
        const lease = await this.#write("lease", () => store.lease(...args));
        return lease && this.#lease(lease);
      },
      inbox: {
        put: (row) => this.#write("inbox.put", () => inbox.put(row)),
        take: (...args) => this.#read(() => inbox.take(...args)),
        finish: (...args) => this.#write("inbox.finish", () => inbox.finish(...args)),
        defer: (...args) => this.#write("inbox.defer", () => inbox.defer(...args)),
        pending: (...args) => this.#read(() => inbox.pending(...args)),
      },
      [Symbol.asyncDispose]: async () => undefined,
    };
  }

  adapter(adapter: Adapter): Adapter {
    const live = <Result>(act: () => Promise<Result>): Promise<Result> =>
      this.isDead ? Promise.reject(new DeliveryError("never", "This bot is dead.")) : act();
    const posting = async <Result>(what: string, act: () => Promise<Result>): Promise<Result> => {
      const result = await live(act);
      this.#count(what);
      // It is there, but whoever has posted it never got to know.
      return live(async () => result);
    };
    return {
      platform: adapter.platform,
      limits: adapter.limits,
      start: (...args) => adapter.start(...args),
      post: (...args) => posting("post", () => adapter.post(...args)),
      edit: (...args) => live(() => adapter.edit(...args)),
      remove: (...args) => live(() => adapter.remove(...args)),
      whisper: (...args) => live(() => adapter.whisper(...args)),
      upload: (...args) => posting("upload", () => adapter.upload(...args)),
      fetchAttachment: (...args) => live(() => adapter.fetchAttachment(...args)),
      earlier: (...args) => live(() => adapter.earlier(...args)),
      mark: (...args) => live(() => adapter.mark(...args)),
      presence: (...args) => live(() => adapter.presence(...args)),
      link: (...args) => live(() => adapter.link(...args)),
      // The next bot listens already when the last twitches of a dead one are over.
      [Symbol.asyncDispose]: async () => {
        if (!this.isDead) await adapter[Symbol.asyncDispose]();
      },
    };
  }

  #documents(documents: Documents, namespace: string): Documents {
    return {
      get: (key) => this.#read(() => documents.get(key)),
      keys: (prefix) => this.#read(() => documents.keys(prefix)),
      set: (...args) => this.#write(`set ${namespace}`, () => documents.set(...args)),
      delete: (key) => this.#write(`delete ${namespace}`, () => documents.delete(key)),
    };
  }

  #lease(lease: Lease): Lease {
    return {
      fence: lease.fence,
      renew: (ttlMs) => this.#read(() => lease.renew(ttlMs)),
      release: () => this.#read(() => lease.release()),
    };
  }

  async #read<Result>(act: () => Promise<Result>): Promise<Result> {
    if (this.isDead) throw new StoreError("This bot is dead.");
    return await act();
  }

  async #write<Result>(what: string, act: () => Promise<Result>): Promise<Result> {
    const result = await this.#read(act);
    this.#count(what);
    return await this.#read(async () => result);
  }

  #count(what: string): void {
    if (this.isDead) return;
    this.#writes += 1;
    this.last = `${this.#writes}: ${what}`;
  }
}
