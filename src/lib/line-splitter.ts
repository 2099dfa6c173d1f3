const NEWLINE = 0x0a;
const EMPTY = Buffer.alloc(0);
const FIRST_BYTES = 4096;

/** Cuts a byte stream into lines. What is over the limit is thrown away up to its end and reported. */
export class LineSplitter {
  /** The line so far. One buffer, not a list of pieces: a million pieces of one byte would take a hundred times as much. */
  #kept: Buffer = EMPTY;
  #length = 0;
  #skipping = false;
  readonly #limitBytes: number;
  readonly #onLine: (line: string) => void;
  readonly #onOverlong: () => void;

  constructor(on: { line: (line: string) => void; overlong: () => void }, limitBytes: number) {
    this.#onLine = on.line;
    this.#onOverlong = on.overlong;
    this.#limitBytes = limitBytes;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#endLine(chunk.subarray(start, end));
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
  }

  /** A line that came in one piece is not copied. */
  #endLine(piece: Buffer): void {
    const isWhole = this.#length === 0 && !this.#skipping && piece.length <= this.#limitBytes;
    if (!isWhole) this.#keep(piece);
    const line = isWhole ? piece : this.#kept.subarray(0, this.#length);
    const isSkipped = this.#skipping;
    this.#kept = EMPTY;
    this.#length = 0;
    this.#skipping = false;
    if (!isSkipped && line.length > 0) this.#onLine(line.toString("utf8"));
  }

  #keep(piece: Buffer): void {
    if (this.#skipping || piece.length === 0) return;
    const length = this.#length + piece.length;
    if (length > this.#limitBytes) {
      this.#skipRestOfLine();
      return;
    }
    if (length > this.#kept.length) this.#grow(length);
    piece.copy(this.#kept, this.#length);
    this.#length = length;
  }

  #grow(length: number): void {
    const size = Math.max(FIRST_BYTES, length, Math.min(2 * this.#kept.length, this.#limitBytes));
    const grown = Buffer.allocUnsafe(size);
    this.#kept.copy(grown, 0, 0, this.#length);
    this.#kept = grown;
  }

  #skipRestOfLine(): void {
    this.#kept = EMPTY;
    this.#length = 0;
    this.#skipping = true;
    this.#onOverlong();
  }
}
