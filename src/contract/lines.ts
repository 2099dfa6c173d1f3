const NEWLINE = 0x0a;

/** Cuts a byte stream into lines. What is over the limit is thrown away up to its end and reported. */
export class LineSplitter {
  #pieces: Buffer[] = [];
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
      this.#keep(chunk.subarray(start, end));
      this.#finishLine();
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
  }

  #keep(piece: Buffer): void {
    if (this.#skipping || piece.length === 0) return;
    this.#length += piece.length;
    if (this.#length > this.#limitBytes) this.#skipRestOfLine();
    else this.#pieces.push(piece);
  }

  #skipRestOfLine(): void {
    this.#pieces = [];
    this.#skipping = true;
    this.#onOverlong();
  }

  #finishLine(): void {
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#length = 0;
    this.#skipping = false;
    const [only] = pieces;
    if (!only) return;
    const line = pieces.length === 1 ? only : Buffer.concat(pieces);
    this.#onLine(line.toString("utf8"));
  }
}
