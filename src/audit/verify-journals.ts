import { lineHash, startHash } from "../contract/conversation/journal-chain.ts";
import type { ChainedLine, JournalEnd, JournalHead, Store } from "../contract/store.ts";
import { JOURNAL } from "./journal.ts";

/** This line of a journal had this hash. */
export interface Commitment extends JournalEnd {
  /** The audit's record that says so; undefined: the store's record of an end that no record commits to yet. */
  readonly record?: number;
}

interface JournalBreak {
  readonly conversation: string;
  /** The number the line has or should have. */
  readonly seq: number;
  readonly why: string;
}

export interface VerifiedJournals {
  readonly conversations: number;
  readonly lines: number;
  readonly breaks: readonly JournalBreak[];
  /** Lines of versions that had no chain: they may be what they were, and nothing proves it. */
  readonly uncovered: readonly {
    readonly conversation: string;
    readonly lines: number;
    /** ISO 8601. */
    readonly before: string;
  }[];
}

const PAGE = 500;
const MOST_ROUNDS = 20;
const CLOCK_SKEW_MS = 3_600_000;
const CHANGED = "the line or its time was changed";

/**
 * Reads every journal and computes its hash chain anew. Finds each line that was changed, removed, added or moved,
 * and compares with the hashes that the audit's own chain commits to. The bot may go on writing meanwhile:
 * `readCommitments` gives those of all records that there are when it is called.
 */
export async function verifyJournals(
  store: Store,
  readCommitments: () => Promise<readonly Commitment[]>,
): Promise<VerifiedJournals> {
  const countBefore = await store.lineCount();
  const commitments = [...(await readCommitments()), ...(await store.uncommittedEnds())];
  const committed = Map.groupBy(commitments, ({ conversation }) => conversation);
  const listed = new Set(await store.conversations());
  const names = listed.union(new Set(committed.keys()));
  const checks: JournalCheck[] = [];
  for (const name of names) {
    const check = new JournalCheck(name, committed.get(name) ?? []);
    await check.read(store, listed.has(name));
    checks.push(check);
  }
  const lines = checks.reduce((sum, check) => sum + check.lines, 0);
  const countAfter = await store.lineCount();
  const covered = await lastCovered(store, readCommitments);
  for (const check of checks) check.compareEnd(covered);
  const isStill = countBefore === countAfter;
  const isLost = isStill ? lines !== countAfter : lines < countBefore;
  const lost = {
    conversation: "(all)",
    seq: 0,
    why: `there are ${countAfter} lines, but only ${lines} belong to a conversation in order`,
  };
  return {
    conversations: checks.length,
    lines,
    breaks: [...checks.flatMap(({ breaks }) => breaks), ...(isLost ? [lost] : [])],
    uncovered: checks.flatMap((check) => check.uncovered()),
  };
}

/** The last line of each journal to which a record or the store's record commits. */
async function lastCovered(
  store: Store,
  readCommitments: () => Promise<readonly Commitment[]>,
): Promise<ReadonlyMap<string, number>> {
  const covered = new Map<string, number>();
  const uncommitted = await store.uncommittedEnds(); // before the records: a note goes when its record is written
  for (const { conversation, seq } of [...uncommitted, ...(await readCommitments())])
    covered.set(conversation, Math.max(seq, covered.get(conversation) ?? 0));
  return covered;
}

/** One journal, line by line. */
class JournalCheck {
  readonly breaks: JournalBreak[] = [];
  lines = 0;
  readonly #conversation: string;
  readonly #commitments: Map<number, Commitment[]>;
  #head: JournalHead | undefined;
  #hash = "";
  #last = 0;
  #uncovered = 0;

  constructor(conversation: string, commitments: readonly Commitment[]) {
    this.#conversation = conversation;
    this.#commitments = Map.groupBy(commitments, ({ seq }) => seq);
  }

  async read(store: Store, isListed: boolean): Promise<void> {
    this.#head = await store.head(this.#conversation);
    this.#hash = this.#head ? startHash(this.#head) : "";
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      await this.#readOn(store);
      this.#head = await store.head(this.#conversation);
      if ((this.#head?.seq ?? 0) <= this.#last) break; // else the bot has written meanwhile
    }
    if (!isListed && this.#last > 0) this.#broken(1, "the store no longer lists this conversation");
    this.#checkEnd();
    this.#checkMissing();
  }

  /** A committed journal stays so: records that vanish leave lines to which nothing commits. */
  compareEnd(covered: ReadonlyMap<string, number>): void {
    const from = Math.max(covered.get(this.#conversation) ?? 0, this.#uncovered) + 1;
    if (this.#conversation === JOURNAL || from > this.#last) return;
    this.#broken(
      from,
      `no audit record commits to ${range(from, this.#last)}: the end of the audit was removed, or lines were added`,
    );
  }

  uncovered() {
    const { coveredSinceMs } = this.#head ?? {};
    if (this.#uncovered === 0 || coveredSinceMs === undefined) return [];
    const before = new Date(coveredSinceMs).toISOString();
    return [{ conversation: this.#conversation, lines: this.#uncovered, before }];
  }

  async #readOn(store: Store): Promise<void> {
    for (;;) {
      const range = { after: this.#last, limit: PAGE };
      const lines = await store.chain(this.#conversation, range);
      for (const line of lines) this.#check(line);
      if (lines.length < PAGE) return;
    }
  }

  #check(line: ChainedLine): void {
    const expected = this.#last + 1;
    if (line.seq !== expected)
      this.#broken(expected, `found line ${line.seq} where line ${expected} should be`);
    this.#last = line.seq;
    this.lines += 1;
    if (line.isUnreadable) this.#broken(line.seq, "the line cannot be read");
    if (line.seq < (this.#head?.coveredFrom ?? 1)) this.#checkUncovered(line);
    else this.#checkCovered(line);
  }

  #checkCovered(line: ChainedLine): void {
    const hash = lineHash(this.#hash, line);
    if (line.hash === undefined) this.#broken(line.seq, "the line's hash is missing");
    else if (line.hash !== hash) this.#broken(line.seq, CHANGED);
    const given = this.#commitments.get(line.seq) ?? [];
    this.#commitments.delete(line.seq);
    const other = given.find((commitment) => commitment.hash !== hash);
    if (other && line.hash === hash)
      this.#broken(line.seq, `${sourceOf(other)} commits to a different line`);
    // What stands there counts from here on, so that one changed line is reported once.
    this.#hash = line.hash ?? hash;
  }

  #checkUncovered(line: ChainedLine): void {
    this.#uncovered += 1;
    const since = this.#head?.coveredSinceMs;
    if (line.hash !== undefined) this.#broken(line.seq, "a line from before the chain has a hash");
    if (since === undefined) this.#broken(line.seq, "the line is excluded from the chain");
    else if (!(Date.parse(line.at) <= since + CLOCK_SKEW_MS))
      this.#broken(line.seq, "a new line is marked as one from an older version");
  }

  #checkEnd(): void {
    const { seq = 0, hash, coveredFrom = 1 } = this.#head ?? {};
    if (seq !== this.#last)
      this.#broken(
        this.#last + 1,
        `the journal has ${seq} lines, but the last one is ${this.#last}`,
      );
    const isChained = this.#last >= coveredFrom;
    if ((isChained ? this.#hash : undefined) !== hash)
      this.#broken(this.#last, "the last line differs from the stored end of the journal");
  }

  /** Lines that were committed to and not met, the ones behind the last line as one gap. */
  #checkMissing(): void {
    const left = [...this.#commitments.values()].flat();
    for (const commitment of left)
      if (commitment.seq <= this.#last)
        this.#broken(
          commitment.seq,
          `${sourceOf(commitment)} commits to this line, which has no hash now`,
        );
    const gone = left.toSorted((a, b) => b.seq - a.seq)[0];
    if (gone && gone.seq > this.#last)
      this.#broken(
        this.#last + 1,
        `${range(this.#last + 1, gone.seq)} missing: ${sourceOf(gone)} commits to line ${gone.seq}`,
      );
  }

  #broken(seq: number, why: string): void {
    this.breaks.push({ conversation: this.#conversation, seq, why });
  }
}

function sourceOf({ record }: Commitment): string {
  return record === undefined ? "the store's record" : `record ${record} of the audit`;
}

function range(from: number, to: number): string {
  return from === to ? `line ${from}` : `lines ${from} to ${to}`;
}
