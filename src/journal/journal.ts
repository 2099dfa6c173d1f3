import { type Json, type NewLine, type Store, StoreError } from "../contract/store.ts";
import { applyLine } from "./conversation/fold.ts";
import { type ConversationState, noState } from "./conversation/state.ts";
import type { ConversationLine } from "./conversation-lines.ts";

/** Somebody else works on the conversation now: nothing may be done in its name here any more. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

export interface WriteOptions {
  /** Of the lease in whose name it is written. */
  readonly fence?: number;
  readonly claims?: readonly string[];
}

const PAGE_LINES = 1000;
const KEPT_CONVERSATIONS = 200;
const MOST_ATTEMPTS = 1000;

/**
 * The journals of all conversations, each added up. Nothing lives here that is not written down: what is kept in memory
 * only saves reading the same lines twice.
 */
export class Journal {
  readonly #store: Store;
  readonly #kept = new Map<string, ConversationState>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** The conversation up to its last line. The same object every time, as long as it is kept. */
  async read(conversation: string): Promise<ConversationState> {
    const state = this.#of(conversation);
    for (;;) {
      const lines = await this.#store.read(conversation, { after: state.seq, limit: PAGE_LINES });
      for (const line of lines) applyLine(state, line);
      if (lines.length < PAGE_LINES) return state;
    }
  }

  /**
   * Decides on what is true now and writes it in the same instant: when anybody has written in between, it is decided again.
   * False: there was nothing to write, or one of the claims is taken.
   */
  async write(
    conversation: string,
    propose: (state: ConversationState) => readonly ConversationLine[],
    options: WriteOptions = {},
  ): Promise<boolean> {
    // At first on what is known here: the store says so if that is not all.
    let state = this.#of(conversation);
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const lines = propose(state).map(asNewLine);
      if (lines.length === 0 && attempt > 0) return false;
      const appended =
        lines.length > 0 && (await this.#append(conversation, state, lines, options));
      state = await this.read(conversation);
      if (appended && appended !== "moved") return appended === "written";
    }
    throw new StoreError(`The journal of ${conversation} changes too fast to be written to.`);
  }

  async #append(
    conversation: string,
    { seq }: ConversationState,
    lines: readonly NewLine[],
    { fence, claims }: WriteOptions,
  ): Promise<"written" | "claimed" | "moved"> {
    const { outcome } = await this.#store.append(conversation, seq, lines, {
      ...(claims ? { claims } : {}),
      ...(fence === undefined ? {} : { fence }),
    });
    if (outcome !== "fenced") return outcome;
    throw new LeaseLost(`Another replica works on ${conversation} now.`);
  }

  #of(conversation: string): ConversationState {
    const state = this.#kept.get(conversation) ?? noState();
    this.#kept.delete(conversation);
    this.#kept.set(conversation, state);
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size > KEPT_CONVERSATIONS) this.#kept.delete(oldest);
    return state;
  }
}

/** Optional fields that are not there must not become values that JSON does not have. */
function asNewLine({ kind, data }: ConversationLine): NewLine {
  return { kind, data: JSON.parse(JSON.stringify(data)) as Json };
}
