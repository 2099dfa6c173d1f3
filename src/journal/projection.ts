import type { JournalLine } from "../contract/store.ts";
import { dataOf, isKnown, type LineData, type LineKind, unreadable } from "./lines.ts";

/** What a journal adds up to, for one purpose: the same lines make the same state, whoever reads them and when. */
export interface Projection<State> {
  initial(): State;
  /** `version` is that of the journal up to this line. Throws for a line that it needs and cannot read. */
  add(state: State, line: JournalLine, version: number): void;
}

/** What each kind of line changes. Others are no concern of the projection, whatever they hold. */
export type Fold<State> = {
  readonly [Kind in LineKind]?: (state: State, data: LineData<Kind>, line: JournalLine) => void;
};

interface FoldOptions<State> {
  /** Kinds that count by being there, whatever they hold. */
  readonly facts?: { readonly [Kind in LineKind]?: (state: State) => void };
  /**
   * Families of kinds ("grant" for "grant.given") of which every one has to be understood. A kind that this version does not
   * know is refused by its name in these, and left alone in others.
   */
  readonly needs?: readonly string[];
}

export function addBy<State>(
  fold: Fold<State>,
  { facts = {}, needs = [] }: FoldOptions<State> = {},
): Projection<State>["add"] {
  return (state, line, version) => {
    const { kind } = line;
    if (!isKnown(kind)) {
      if (needs.includes(kind.split(".")[0] ?? "")) throw unreadable(line, version);
      return;
    }
    facts[kind]?.(state);
    // Each kind comes with its own data; the compiler cannot follow that through the table.
    const change = fold[kind] as ((...args: [State, unknown, JournalLine]) => void) | undefined;
    if (change) change(state, dataOf(kind, line, version), line);
  };
}

/** One journal as far as it was read, added up. */
export class Folded<State> {
  readonly state: State;
  readonly #projection: Projection<State>;
  #seq = 0;
  /** As long as no line names another, it was written by a version that named none. */
  #version = 1;

  constructor(projection: Projection<State>) {
    this.state = projection.initial();
    this.#projection = projection;
  }

  get seq(): number {
    return this.#seq;
  }

  get version(): number {
    return this.#version;
  }

  /** Two readers at once are given the same lines; the second to come finds them added. */
  add(line: JournalLine): void {
    if (line.seq <= this.#seq) return;
    if (line.kind === "journal.version") this.#version = dataOf(line.kind, line).version;
    this.#projection.add(this.state, line, this.#version);
    this.#seq = line.seq;
  }
}
