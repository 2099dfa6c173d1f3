import {
  type Collections,
  ContentType,
  type FoundMemory,
  type ImportedDocument,
  type ImportOutcome,
  type Memories,
  type Memory,
  type NamedValue,
  type NewDocument,
  type NewMemory,
  type StoredMemory,
} from "../contract/conversation/memory.ts";
import type { Documents } from "../contract/store.ts";
import { ToolError } from "../contract/tools/operation.ts";
import { BoundedMap } from "../lib/bounded.ts";
import {
  beginningKey,
  describeDocument,
  documentKey,
  type KeptDocument,
  memoriesIn,
  memoryKey,
  newDocument,
  Use,
  usesOf,
} from "./records.ts";
import { type Hit, ScopeIndex } from "./scope-index.ts";
import { ScopeValues } from "./values.ts";
import { digest, normalized } from "./words.ts";

/** How long the same content counts as stored already. */
const DUPLICATE_WINDOW_MS = 5 * 60_000;
const RECENT_MS = 24 * 60 * 60_000;
const DEFAULT_IMPORTANCE = 0.5;
const SCOPE_LIMIT = 20_000;
const SCOPES_HELD = 64;

export interface MemoryParts {
  /** A namespace of its own. */
  readonly documents: Documents;
  readonly now?: () => number;
  /** How many memories and documents one scope may hold: their words are kept in memory. */
  readonly scopeLimit?: number;
}

export function createMemories(parts: MemoryParts): Memories {
  const { documents, now = Date.now, scopeLimit = SCOPE_LIMIT } = parts;
  return new KeptMemories(documents, now, scopeLimit);
}

/** Memories in a store, found by their words. */
class KeptMemories implements Memories {
  readonly #documents: Documents;
  readonly #now: () => number;
  readonly #scopeLimit: number;
  readonly #scopes = new BoundedMap<string, ScopeIndex>(SCOPES_HELD);
  readonly #values: ScopeValues;

  constructor(documents: Documents, now: () => number, scopeLimit: number) {
    this.#documents = documents;
    this.#now = now;
    this.#scopeLimit = scopeLimit;
    this.#values = new ScopeValues(documents, now);
  }

  store(scope: string, given: NewMemory): Promise<StoredMemory> {
    return this.#in(scope, async (index) => {
      const twin = this.#storedLately(index).find((memory) => saysTheSame(memory, given));
      if (twin) return { memory: twin, isDuplicate: true };
      checkRoom(index, 1, this.#scopeLimit);
      const memory = this.#newMemory(scope, given);
      await index.write(memoryKey(memory), { kind: "memory", memory });
      return { memory, isDuplicate: false };
    });
  }

  search(
    scope: string,
    query: string,
    { limit, threshold }: { readonly limit: number; readonly threshold: number },
  ): Promise<FoundMemory[]> {
    return this.#in(scope, async (index) => {
      const hits = index.find(query).filter(({ relevance }) => relevance >= threshold);
      return Promise.all(hits.slice(0, limit).map((hit) => this.#counted(scope, hit)));
    });
  }

  collections(scope: string): Promise<Collections> {
    return this.#in(scope, async (index) => {
      const memories = index.memories;
      const sum = memories.reduce((total, { importance }) => total + importance, 0);
      const number = (type: ContentType) =>
        memories.filter(({ contentType }) => contentType === type).length;
      return {
        total: memories.length,
        byType: Object.fromEntries(
          ContentType.options.map((type) => [type, number(type)]),
        ) as Record<ContentType, number>,
        recent: memories.filter((memory) => this.#age(memory) < RECENT_MS).length,
        ...(memories.length > 0 ? { averageImportance: sum / memories.length } : {}),
        documents: documentsIn(index).length,
      };
    });
  }

  recent(scope: string, conversation: string): Promise<Memory[]> {
    return this.#in(scope, async (index) => {
      const own = this.#storedLately(index).filter((one) => one.conversation === conversation);
      if (own.length === 0) return own;
      const begun = await this.#documents.get(beginningKey(conversation));
      return own
        .filter(({ createdAt }) => typeof begun !== "string" || createdAt > begun)
        .sort((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
    });
  }

  async forgetRecent(conversation: string): Promise<void> {
    const now = new Date(this.#now()).toISOString();
    await this.#documents.set(beginningKey(conversation), now);
  }

  importDocument(scope: string, given: NewDocument): Promise<ImportOutcome> {
    return this.#in(scope, async (index) => {
      const document = newDocument(scope, given, new Date(this.#now()).toISOString());
      const key = documentKey(document);
      const known = index.records.get(key);
      if (known?.kind === "document") {
        return { document: describeDocument(known.document), outcome: "unchanged" };
      }
      checkRoom(index, memoriesIn({ kind: "document", document }).length, this.#scopeLimit);
      const older = documentsIn(index).filter(({ id }) => id === document.id);
      await index.write(key, { kind: "document", document });
      for (const one of older) await index.remove(documentKey(one));
      const outcome = older.length > 0 ? "replaced" : "imported";
      return { document: describeDocument(document), outcome };
    });
  }

  documents(scope: string, conversation: string): Promise<ImportedDocument[]> {
    return this.#in(scope, async (index) => {
      const own = documentsIn(index).filter((document) => document.conversation === conversation);
      own.sort((a, b) => (a.importedAt < b.importedAt ? -1 : 1));
      const latest = new Map(own.map((document) => [document.id, document]));
      return [...latest.values()].map(describeDocument);
    });
  }

  setValue(scope: string, key: string, value: string): Promise<boolean> {
    return this.#values.set(scope, key, value);
  }

  value(scope: string, key: string): Promise<NamedValue | undefined> {
    return this.#values.get(scope, key);
  }

  values(scope: string): Promise<NamedValue[]> {
    return this.#values.list(scope);
  }

  deleteValue(scope: string, key: string): Promise<boolean> {
    return this.#values.delete(scope, key);
  }

  clear(scope: string): Promise<number> {
    return this.#in(scope, async (index) => {
      const number = index.size;
      for (const key of [...index.records.keys()]) await index.remove(key);
      for (const key of await this.#documents.keys(usesOf(scope)))
        await this.#documents.delete(key);
      return number + (await this.#values.clear(scope));
    });
  }

  #in<T>(scope: string, work: (index: ScopeIndex) => Promise<T>): Promise<T> {
    const index = this.#scopes.get(scope) ?? new ScopeIndex(scope, this.#documents);
    this.#scopes.set(scope, index);
    return index.use(() => work(index));
  }

  /** The id follows from content and time, so that two processes storing the same at once write one memory. */
  #newMemory(scope: string, given: NewMemory): Memory {
    const { tags = [], importance = DEFAULT_IMPORTANCE } = given;
    const at = this.#now();
    const window = Math.floor(at / DUPLICATE_WINDOW_MS);
    const id = digest(scope, normalized(given.content), String(window));
    const createdAt = new Date(at).toISOString();
    return { ...given, id, scope, tags: [...tags], importance, createdAt };
  }

  #storedLately(index: ScopeIndex): Memory[] {
    return [...index.records.values()].flatMap((record) =>
      record.kind === "memory" && this.#age(record.memory) < DUPLICATE_WINDOW_MS
        ? [record.memory]
        : [],
    );
  }

  #age({ createdAt }: Memory): number {
    return this.#now() - Date.parse(createdAt);
  }

  async #counted(scope: string, { memory, relevance }: Hit): Promise<FoundMemory> {
    const key = `${usesOf(scope)}${memory.id}`;
    const before = Use.safeParse(await this.#documents.get(key));
    const accessCount = (before.success ? before.data.accessCount : 0) + 1;
    const use: Use = { accessCount, lastAccessed: new Date(this.#now()).toISOString() };
    await this.#documents.set(key, use);
    return { memory, relevance, ...use };
  }
}

function saysTheSame(memory: Memory, given: NewMemory): boolean {
  return normalized(memory.content) === normalized(given.content);
}

function documentsIn(index: ScopeIndex): KeptDocument[] {
  return [...index.records.values()].flatMap((record) =>
    record.kind === "document" ? [record.document] : [],
  );
}

function checkRoom(index: ScopeIndex, more: number, limit: number): void {
  if (index.size + more <= limit) return;
  throw new ToolError(
    "executionFailed",
    `This memory is full (${index.size} of ${limit} entries). Clear it before you store more.`,
  );
}
