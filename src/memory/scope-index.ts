import MiniSearch from "minisearch";
import type { Memory } from "../contract/conversation/memory.ts";
import type { Documents } from "../contract/store.ts";
import { type MemoryRecord, memoriesIn, readRecord, recordsOf } from "./records.ts";
import { relevanceTo } from "./relevance.ts";
import { normalized, wordsOf } from "./words.ts";

const READ_AT_ONCE = 50;
const PREFIX_FROM_CHARS = 4;
const TYPING_ERRORS_FROM_CHARS = 5;

export interface Hit {
  readonly memory: Memory;
  readonly relevance: number;
}

/** One scope's memories in words. The store holds the truth: `sync` looks at what others have written or deleted. */
export class ScopeIndex {
  readonly #scope: string;
  readonly #documents: Documents;
  readonly #records = new Map<string, MemoryRecord>();
  readonly #memories = new Map<string, Memory>();
  readonly #words = makeIndex();
  #last: Promise<unknown> = Promise.resolve();

  constructor(scope: string, documents: Documents) {
    this.#scope = scope;
    this.#documents = documents;
  }

  /** One at a time, each on what the store holds when its turn has come. */
  use<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(async () => {
      await this.#sync();
      return work();
    });
    this.#last = mine.catch(() => undefined); // told to whoever asked; the next one begins anew
    return mine;
  }

  get memories(): Memory[] {
    return [...this.#memories.values()];
  }

  get size(): number {
    return this.#memories.size;
  }

  get records(): ReadonlyMap<string, MemoryRecord> {
    return this.#records;
  }

  async write(key: string, record: MemoryRecord): Promise<void> {
    await this.#documents.set(key, record);
    this.#add(key, record);
  }

  async remove(key: string): Promise<void> {
    await this.#documents.delete(key);
    this.#forget(key);
  }

  find(query: string): Hit[] {
    const relevance = relevanceTo(query);
    const matches = new Map(this.#words.search(query).map((found) => [found.id as string, found]));
    const same = normalized(query);
    return this.memories
      .flatMap((memory) => {
        const match = matches.get(memory.id);
        if (!match && normalized(memory.content) !== same) return [];
        const words = match ?? { queryTerms: [], terms: [], score: 0 };
        return [{ memory, relevance: relevance(memory.content, words), score: words.score }];
      })
      .sort((a, b) => b.relevance - a.relevance || b.score - a.score);
  }

  async #sync(): Promise<void> {
    const keys = new Set(await this.#documents.keys(recordsOf(this.#scope)));
    for (const key of this.#records.keys()) if (!keys.has(key)) this.#forget(key);
    const unknown = [...keys].filter((key) => !this.#records.has(key));
    for (let from = 0; from < unknown.length; from += READ_AT_ONCE) {
      const some = unknown.slice(from, from + READ_AT_ONCE);
      const values = await Promise.all(some.map((key) => this.#documents.get(key)));
      some.forEach((key, index) => {
        const value = values[index];
        if (value !== undefined) this.#add(key, readRecord(key, value));
      });
    }
  }

  #add(key: string, record: MemoryRecord): void {
    this.#forget(key);
    this.#records.set(key, record);
    for (const memory of memoriesIn(record)) {
      this.#memories.set(memory.id, memory);
      this.#words.add(memory);
    }
  }

  #forget(key: string): void {
    const record = this.#records.get(key);
    if (!record) return;
    this.#records.delete(key);
    for (const { id } of memoriesIn(record)) {
      this.#memories.delete(id);
      this.#words.discard(id);
    }
  }
}

function makeIndex(): MiniSearch<Memory> {
  return new MiniSearch<Memory>({
    fields: ["content", "context", "tags"],
    tokenize: wordsOf,
    processTerm: (word) => word,
    searchOptions: {
      prefix: (word) => word.length >= PREFIX_FROM_CHARS,
      fuzzy: (word) => (word.length >= TYPING_ERRORS_FROM_CHARS ? 0.2 : false),
    },
  });
}
