import { lineHash, startHash } from "../contract/journal-chain.ts";
import type { ChainedLine, JournalHead, Store } from "../contract/store.ts";

/** A record of the audit says that this line of a journal had this hash. */
export interface Commitment {
  readonly conversation: string;
  readonly record: number;
  readonly seq: number;
  readonly hash: string;
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
const CHANGED = "the line or the time in it is not what it was";

/**
 * Reads every journal and computes its hash chain anew. Finds each line that was changed, removed, added or moved,
 * and compares with the hashes that the audit's own chain commits to. The bot may go on writing meanwhile.
 */
export async function verifyJournals(
  store: Store,
  commitments: readonly Commitment[],
): Promise<VerifiedJournals> {
  const countBefore = await store.lineCount();
  const committed = Map.groupBy(commitments, ({ conversation }) => conversation);
  const names = new Set([...(await store.conversations()), ...committed.keys()]);
  const checks: JournalCheck[] = [];
  for (const name of names) {
    const check = new JournalCheck(name, committed.get(name) ?? []);
    await check.read(store);
    checks.push(check);
  }
  const lines = checks.reduce((sum, check) => sum + check.lines, 0);
  const countAfter = await store.lineCount();
  const isStill = countBefore === countAfter;
  const isLost = isStill ? lines !== countAfter : lines < countBefore;
  const lost = {
    conversation: "(all)",
    seq: 0,
    why: `there are ${countAfter} lines, but ${lines} belong to a conversation in their order`,
  };
  return {
    conversations: checks.length,
    lines,
    breaks: [...checks.flatMap(({ breaks }) => breaks), ...(isLost ? [lost] : [])],
    uncovered: checks.flatMap((check) => check.uncovered()),
  };
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

  async read(store: Store): Promise<void> {
    this.#head = await store.head(this.#conversation);
    this.#hash = this.#head ? startHash(this.#head) : "";
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      await this.#readOn(store);
      this.#head = await store.head(this.#conversation);
      if ((this.#head?.seq ?? 0) <= this.#last) break; // else the bot has written meanwhile
    }
    this.#checkEnd();
    for (const [{ seq, record } = { seq: 0, record: 0 }] of this.#commitments.values())
      this.#broken(seq, `record ${record} of the audit commits to this line, which is not there`);
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
      this.#broken(expected, `line ${line.seq} stands where ${expected} should`);
    this.#last = line.seq;
    this.lines += 1;
    if (line.isUnreadable) this.#broken(line.seq, "the line cannot be read");
    if (line.seq < (this.#head?.coveredFrom ?? 1)) this.#checkUncovered(line);
    else this.#checkCovered(line);
  }

  #checkCovered(line: ChainedLine): void {
    const hash = lineHash(this.#hash, line);
    if (line.hash !== hash) this.#broken(line.seq, CHANGED);
    const given = this.#commitments.get(line.seq) ?? [];
    this.#commitments.delete(line.seq);
    const other = given.find((commitment) => commitment.hash !== hash);
    if (other && line.hash === hash)
      this.#broken(line.seq, `record ${other.record} of the audit says that it was another line`);
    // What stands there counts from here on, so that one changed line is reported once.
    this.#hash = line.hash ?? hash;
  }

  #checkUncovered(line: ChainedLine): void {
    this.#uncovered += 1;
    const since = this.#head?.coveredSinceMs;
    if (line.hash !== undefined) this.#broken(line.seq, "an old line has a hash");
    if (since === undefined) this.#broken(line.seq, "the line is excluded from the chain");
    else if (!(Date.parse(line.at) <= since + CLOCK_SKEW_MS))
      this.#broken(line.seq, "a new line is passed off as one of an older version");
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
      this.#broken(
        this.#last,
        "the last line is another one than the note of the journal's end says",
      );
  }

  #broken(seq: number, why: string): void {
    this.breaks.push({ conversation: this.#conversation, seq, why });
  }
}
