const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Which lines are wanted, from 1, and how many bytes of them are enough. */
export interface WantedLines {
  readonly first: number;
  readonly count: number;
  readonly enoughBytes: number;
}

/** Counts the lines of a text that passes by in pieces, and keeps those that are wanted. */
export class LineWindow {
  readonly #wanted: WantedLines;
  readonly #lineEnd: number;
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  #ended = 0;
  #isInLine = false;
  #hasReturn = false;

  constructor(wanted: WantedLines, { lineEnd = LINE_FEED } = {}) {
    this.#wanted = wanted;
    this.#lineEnd = lineEnd;
  }

  add(piece: Buffer): void {
    const { first, count } = this.#wanted;
    const from = this.#skipTo(piece, 0, first - 1);
    const to = this.#skipTo(piece, from, first - 1 + count);
    this.#keep(piece.subarray(from, to));
    this.#skipTo(piece, to, Number.POSITIVE_INFINITY);
    this.#isInLine = piece.at(-1) !== this.#lineEnd;
    this.#hasReturn ||= this.#ended === 0 && piece.includes(CARRIAGE_RETURN);
  }

  /** Where line `line` (from 0) begins, or the piece's end; counts the line ends on the way. */
  #skipTo(piece: Buffer, from: number, line: number): number {
    const lineEnd = this.#lineEnd;
    let ended = this.#ended;
    let at = from;
    for (; at < piece.length && ended < line; at++) if (piece[at] === lineEnd) ended += 1;
    this.#ended = ended;
    return at;
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0 || this.#keptBytes > this.#wanted.enoughBytes) return;
    this.#kept.push(Buffer.from(bytes));
    this.#keptBytes += bytes.length;
  }

  /** The wanted lines with their ends; where they exceed enough bytes, only the first, and the last of those cut. */
  lines(): string[] {
    const text = Buffer.concat(this.#kept).toString("utf8");
    if (text === "") return [];
    return text.split(this.#lineEnd === LINE_FEED ? /(?<=\n)/ : /(?<=\r)/);
  }

  get totalLines(): number {
    return this.#ended + (this.#isInLine ? 1 : 0);
  }

  /** A text without any line feed, but with carriage returns, has lines that end with those. */
  withReturns(): LineWindow | undefined {
    if (this.#ended > 0 || !this.#hasReturn || this.#lineEnd !== LINE_FEED) return undefined;
    return new LineWindow(this.#wanted, { lineEnd: CARRIAGE_RETURN });
  }
}
