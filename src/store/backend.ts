import type { Keyv } from "keyv";
import type { KeptLine } from "../contract/conversation/journal-chain.ts";
import type { Appended, ChainedLine, JournalEnd, JournalHead } from "../contract/store.ts";

export type { KeptLine } from "../contract/conversation/journal-chain.ts";

export interface AppendRequest {
  readonly conversation: string;
  readonly afterSeq: number;
  readonly lines: readonly Omit<KeptLine, "seq">[];
  /** Each name once. */
  readonly claims: readonly string[];
  readonly fence: number | undefined;
  /** Keys are `namespace:key`, values are JSON texts. */
  readonly documents: readonly { readonly key: string; readonly text: string }[];
}

/** An inbox row as it is kept. Times are in ms since 1970, by the backend's clock. */
export interface KeptRow {
  readonly id: string;
  readonly conversation: string;
  readonly data: string;
  readonly dueAt: number;
  readonly tries: number;
}

export interface InboxBackend {
  put(
    row: Pick<KeptRow, "id" | "conversation" | "data"> & { readonly dueAt: number | undefined },
  ): Promise<boolean>;
  take(
    worker: string,
    options: { readonly limit: number; readonly holdMs: number },
  ): Promise<KeptRow[]>;
  finish(id: string, worker: string): Promise<boolean>;
  defer(id: string, worker: string, dueAt: number): Promise<boolean>;
  pending(): Promise<KeptRow[]>;
}

/**
 * What differs between the databases. It is given values that were checked and texts that are JSON already, and it
 * throws a StoreError, and nothing else, when it cannot be sure.
 */
export interface Backend {
  /** Keys are `namespace:key`. How long a value lives is decided by the adapter below it, never by keyv. */
  readonly keyv: Keyv;
  /** What the backend calls itself in a message to the operator. */
  readonly name: string;
  keys(prefix: string): Promise<string[]>;
  append(request: AppendRequest): Promise<Appended>;
  read(conversation: string, after: number, limit: number): Promise<KeptLine[]>;
  last(conversation: string, kind: string): Promise<KeptLine | undefined>;
  chain(conversation: string, after: number, limit: number): Promise<ChainedLine[]>;
  head(conversation: string, mayLag: boolean): Promise<JournalHead | undefined>;
  lineCount(): Promise<number>;
  conversations(): Promise<string[]>;
  uncommittedEnds(): Promise<JournalEnd[]>;
  markCommitted(ends: readonly JournalEnd[]): Promise<void>;
  /** The new lease's fence, or undefined while somebody else holds it. */
  acquire(conversation: string, holder: string, ttlMs: number): Promise<number | undefined>;
  renew(conversation: string, fence: number, ttlMs: number): Promise<boolean>;
  release(conversation: string, fence: number): Promise<void>;
  readonly inbox: InboxBackend;
  close(): Promise<void>;
}
