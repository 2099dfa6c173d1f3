import { setImmediate as nextTurnOfTheLoop } from "node:timers/promises";
import {
  type JournalLine,
  type Json,
  type NewLine,
  type Store,
  StoreError,
} from "../contract/store.ts";
import { BoundedMap } from "../lib/bounded.ts";
import type { DeepReadonly } from "../lib/deep-readonly.ts";
import { conversationState } from "./conversation/fold.ts";
import type { ConversationState } from "./conversation/state.ts";
import {
  type ConversationLine,
  dataOf,
  JOURNAL_VERSION,
  type Line,
  type LineData,
  type LineKind,
} from "./lines.ts";
import { Folded, type Projection } from "./projection.ts";

/** Somebody else works on the conversation now: nothing may be done in its name here any more. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}

interface Writer {
  /** Of the lease in whose name it is written. */
  readonly fence?: number | undefined;
}

export interface WriteOptions extends Writer {
  readonly claims?: readonly string[];
}

/** An answer, and the lines that must stand in the journal before it is given. */
export interface Proposal<Answer, Written extends Line = Line> {
  readonly answer: Answer;
  readonly lines?: readonly Written[];
  readonly claims?: readonly string[];
  /** The answer where one of the claims is taken. Without one, it is decided again. */
  readonly otherwise?: Answer;
}

/** What is known of one journal. */
interface Kept {
  /** Its last line, as far as that is known. */
  end: number;
  readonly folded: Map<Projection<unknown>, Folded<unknown>>;
}

const PAGE_LINES = 1000;
/** Of what is not kept: others want to get on between two pages. */
const SMALL_PAGE_LINES = 200;
const KEPT_CONVERSATIONS = 200;
const MOST_ATTEMPTS = 1000;

/**
 * The journals of all conversations: the only reader of their lines, and the only writer. Nothing lives here that is not
 * written down: what is kept in memory only saves reading the same lines twice.
 */
export class Journal {
  readonly #store: Pick<Store, "append" | "read" | "last" | "conversations">;
  /** By conversation, the most recently used last. */
  readonly #kept = new BoundedMap<string, Kept>(KEPT_CONVERSATIONS);

  constructor(store: Pick<Store, "append" | "read" | "last" | "conversations">) {
    this.#store = store;
  }

  /** The conversation up to its last line. The same object every time, as long as it is kept. */
  read(conversation: string): Promise<ConversationState>;
  /** The same for another purpose. */
  read<State>(conversation: string, projection: Projection<State>): Promise<DeepReadonly<State>>;
  async read(conversation: string, projection: Projection<unknown> = conversationState) {
    const kept = this.#of(conversation);
    const folded = foldedIn(kept, projection);
    for await (const lines of this.#pages(conversation, folded)) {
      for (const line of lines) folded.add(line);
      share(kept, lines);
    }
    return folded.state;
  }

  /** The same from its first line on and without keeping it, for what is asked rarely. */
  async fold<State>(
    conversation: string,
    projection: Projection<State>,
  ): Promise<DeepReadonly<State>> {
    const folded = new Folded(projection);
    for await (const lines of this.#pages(conversation, folded, SMALL_PAGE_LINES)) {
      for (const line of lines) folded.add(line);
      if (lines.length === SMALL_PAGE_LINES) await nextTurnOfTheLoop();
    }
    return folded.state as DeepReadonly<State>;
  }

  /** What the last line of a kind says, without reading the others. */
  async last<Kind extends LineKind>(
    conversation: string,
    kind: Kind,
  ): Promise<LineData<Kind> | undefined> {
    const line = await this.#store.last(conversation, kind);
    return line && dataOf(kind, line);
  }

  /** Every conversation that has a journal. */
  conversations(): Promise<string[]> {
    return this.#store.conversations();
  }

  /** Whether anything was ever written down about a conversation. */
  async has(conversation: string): Promise<boolean> {
    return (await this.#store.read(conversation, { limit: 1 })).length > 0;
  }

  /**
   * Decides on what is true now and writes it in the same instant: when anybody has written in between, it is decided again.
   * False: there was nothing to write, or one of the claims is taken.
   */
  write(
    conversation: string,
    propose: (state: ConversationState) => readonly ConversationLine[],
    { claims, fence }: WriteOptions = {},
  ): Promise<boolean> {
    const isToWrite = (state: ConversationState): Proposal<boolean> => {
      const lines = propose(state);
      return { answer: lines.length > 0, lines, otherwise: false, ...(claims ? { claims } : {}) };
    };
    return this.decide(conversation, conversationState, isToWrite, { fence });
  }

  /** The same with an answer of its own, and on what a journal adds up to for another purpose. */
  async decide<State, Answer>(
    conversation: string,
    projection: Projection<State>,
    propose: (state: DeepReadonly<State>) => Proposal<Answer>,
    writer: Writer = {},
  ): Promise<Answer> {
    // At first on what is known here: the store says so if that is not all.
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const known = foldedIn(this.#of(conversation), projection);
      const {
        answer,
        lines = [],
        claims = [],
        otherwise,
      } = propose(known.state as DeepReadonly<State>);
      if (lines.length === 0 && attempt > 0) return answer;
      const outcome =
        lines.length === 0
          ? "moved"
          : await this.#append(conversation, known, lines, { ...writer, claims });
      await this.read(conversation, projection);
      if (outcome === "written") return answer;
      if (outcome === "claimed" && otherwise !== undefined) return otherwise;
    }
    throw tooFast(conversation);
  }

  /** Writes what is true whatever else was written. */
  async append(
    conversation: string,
    lines: readonly Line[],
    { fence }: Writer = {},
  ): Promise<void> {
    const kept = this.#of(conversation);
    const all = lines.map(asNewLine);
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const options = optionsOf({ fence });
      const appended = await this.#store.append(conversation, kept.end, all, options);
      if (appended.outcome === "fenced") throw lost(conversation);
      if (appended.outcome !== "claimed") kept.end = Math.max(kept.end, appended.seq);
      if (appended.outcome === "written") return;
    }
    throw tooFast(conversation);
  }

  async #append(
    conversation: string,
    { seq, version }: Folded<unknown>,
    lines: readonly Line[],
    options: WriteOptions,
  ): Promise<"written" | "claimed" | "moved"> {
    const opening: Line[] =
      version < JOURNAL_VERSION
        ? [{ kind: "journal.version", data: { version: JOURNAL_VERSION } }]
        : [];
    const all = [...opening, ...lines].map(asNewLine);
    const { outcome } = await this.#store.append(conversation, seq, all, optionsOf(options));
    if (outcome === "fenced") throw lost(conversation);
    return outcome;
  }

  async *#pages(
    conversation: string,
    folded: Pick<Folded<unknown>, "seq">,
    limit = PAGE_LINES,
  ): AsyncGenerator<JournalLine[]> {
    for (;;) {
      const lines = await this.#store.read(conversation, { after: folded.seq, limit });
      yield lines;
      if (lines.length < limit) return;
    }
  }

  #of(conversation: string): Kept {
    const kept = this.#kept.get(conversation) ?? { end: 0, folded: new Map() };
    this.#kept.set(conversation, kept);
    return kept;
  }
}

function foldedIn<State>({ folded }: Kept, projection: Projection<State>): Folded<State> {
  // Each projection has its own state; the compiler cannot follow that through the map.
  const key = projection as Projection<unknown>;
  const known = folded.get(key) ?? new Folded(key);
  folded.set(key, known);
  return known as Folded<State>;
}

/** What else is kept of the conversation need not read these lines again. */
function share(kept: Kept, lines: readonly JournalLine[]): void {
  kept.end = Math.max(kept.end, lines.at(-1)?.seq ?? 0);
  for (const folded of kept.folded.values()) {
    try {
      for (const line of lines) if (line.seq === folded.seq + 1) folded.add(line);
    } catch {
      // It stays where it is, and says so to whoever asks for it.
    }
  }
}

function optionsOf({ claims = [], fence }: WriteOptions) {
  return { ...(claims.length > 0 ? { claims } : {}), ...(fence === undefined ? {} : { fence }) };
}

function lost(conversation: string): LeaseLostError {
  return new LeaseLostError(`Another replica has taken over ${conversation}.`);
}

function tooFast(conversation: string): StoreError {
  return new StoreError(
    `The journal of ${conversation} could not be written because others kept writing to it.`,
  );
}

/** Optional fields that are not there must not become values that JSON does not have. */
function asNewLine({ kind, data }: Line): NewLine {
  return { kind, data: JSON.parse(JSON.stringify(data)) as Json };
}
