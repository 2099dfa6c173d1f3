import { OperatorError } from "../lib/operator-error.ts";
import type { ChainStart, KeptLine } from "./conversation/journal-chain.ts";

/** What can be kept: plain JSON. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };

/** One fact about a conversation. Lines are numbered from 1 without gaps and never change. */
export interface JournalLine {
  readonly seq: number;
  /** When it was written, by the clock of whoever wrote it (ISO 8601). */
  readonly at: string;
  readonly kind: string;
  readonly data: Json;
}

/** A line as it is kept, with its hash. Without a hash it was written by a version that had no chain. */
export interface ChainedLine extends KeptLine {
  readonly hash?: string;
  /** It is there but is no line that this version writes. */
  readonly isUnreadable?: boolean;
}

/** The end of a conversation's journal, kept beside it. */
export interface JournalHead extends ChainStart {
  readonly seq: number;
  /** Of the last line; undefined as long as no line is chained. */
  readonly hash?: string;
}

/** Where a journal ended when it was written to. */
export interface JournalEnd {
  readonly conversation: string;
  readonly seq: number;
  readonly hash: string;
}

export type NewLine = Pick<JournalLine, "kind" | "data">;

export interface AppendOptions {
  /**
   * Names that may be taken once and for all (an event id, a one-time grant), by whatever conversation. If one of
   * them is taken already, nothing is written.
   */
  readonly claims?: readonly string[];
  /** The fence of the writer's lease. If the conversation has seen a higher one, nothing is written. */
  readonly fence?: number;
  /** Small values that are set with the lines: unlike them, they can be deleted one day. */
  readonly documents?: readonly NewDocument[];
}

/** A document as it is set together with lines. */
export interface NewDocument {
  readonly namespace: string;
  readonly key: string;
  readonly value: Json;
}

/** Either everything was written, or nothing and why. Of several reasons, "fenced" is told before "claimed" before "moved". */
export type Appended =
  | { readonly outcome: "written"; readonly seq: number }
  /** Somebody else has written: `seq` is the last line there is. Read on and decide again. */
  | { readonly outcome: "moved"; readonly seq: number }
  | { readonly outcome: "claimed"; readonly claim: string }
  | { readonly outcome: "fenced"; readonly fence: number };

/** Small values by key. A key that is not there is `undefined`; a store that cannot answer throws. */
export interface Documents {
  get(key: string): Promise<Json | undefined>;
  set(key: string, value: Json, options?: { readonly ttlMs?: number }): Promise<void>;
  /** True when there was something to delete. */
  delete(key: string): Promise<boolean>;
  /** Every key that begins so, in order. */
  keys(prefix?: string): Promise<string[]>;
}

/** The right to work on one conversation, until it runs out. */
export interface Lease {
  /** Higher than that of every earlier lease of this conversation. */
  readonly fence: number;
  /** False when it has run out, was released or taken over: then nothing may be done in its name any more. */
  renew(ttlMs: number): Promise<boolean>;
  release(): Promise<void>;
}

/** Something that happened outside and must be looked at exactly once. */
export interface InboxRow {
  readonly id: string;
  readonly conversation: string;
  readonly data: Json;
  /** ISO 8601. Nobody is given it before. */
  readonly dueAt: string;
  /** How often it was taken: 1 the first time. */
  readonly tries: number;
}

export interface Inbox {
  /** Durable once this resolves. False: this id was put before, and nothing has changed. */
  put(row: {
    readonly id: string;
    readonly conversation: string;
    readonly data: Json;
    readonly dueAt?: string;
  }): Promise<boolean>;
  /** Takes due rows, those due first before the others, for `holdMs`: until then nobody is given them. */
  take(
    worker: string,
    options: { readonly limit: number; readonly holdMs: number },
  ): Promise<InboxRow[]>;
  /** Done with. False when the worker does not have it: the hold had run out and somebody else took it. Its id stays known. */
  finish(id: string, worker: string): Promise<boolean>;
  /** Gives it back, to be taken again from `dueAt` on. */
  defer(id: string, worker: string, dueAt: string): Promise<boolean>;
  /** What waits or is held, in the same order. */
  pending(conversation?: string): Promise<InboxRow[]>;
}

/** A store that cannot be used. The message says what the operator must do; it never means "not there". */
export class StoreError extends OperatorError {
  override readonly name = "StoreError";
}

/** Something that is kept and cannot be understood. It stays so until the operator has done what the message says. */
export class UnreadableError extends StoreError {}

/** Everything that outlives the process. Every method throws a StoreError when it cannot be sure. */
export interface Store extends AsyncDisposable {
  documents(namespace: string): Documents;
  /** The one atomic write: lines, claims, documents and the fence check succeed or fail together. */
  append(
    conversation: string,
    afterSeq: number,
    lines: readonly NewLine[],
    options?: AppendOptions,
  ): Promise<Appended>;
  read(
    conversation: string,
    range?: { readonly after?: number; readonly limit?: number },
  ): Promise<JournalLine[]>;
  /** The last line of a kind, without reading the others. */
  last(conversation: string, kind: string): Promise<JournalLine | undefined>;
  /** For verification: lines in the order of their numbers, with all that their hashes cover. */
  chain(
    conversation: string,
    range: { readonly after: number; readonly limit: number },
  ): Promise<ChainedLine[]>;
  /** Undefined: the conversation has no journal. `mayLag`: an earlier head that this process knows will do. */
  head(
    conversation: string,
    options?: { readonly mayLag?: boolean },
  ): Promise<JournalHead | undefined>;
  /** Number of lines in all journals, also of those that belong to no conversation. */
  lineCount(): Promise<number>;
  /** Every conversation that has a journal. */
  conversations(): Promise<string[]>;
  /** Ends of journals that were written to and not marked as committed since; kept with the lines, atomically. */
  uncommittedEnds(): Promise<JournalEnd[]>;
  /** The audit now commits to these ends. An end that has moved on meanwhile stays uncommitted. */
  markCommitted(ends: readonly JournalEnd[]): Promise<void>;
  /**
   * Undefined: somebody else holds it. Whoever holds it already gets a new one, and the old one ends. From here on
   * nothing is appended with an older fence.
   */
  lease(conversation: string, holder: string, ttlMs: number): Promise<Lease | undefined>;
  readonly inbox: Inbox;
}
