import { LongMatch } from "./long-match.ts";

const NEWLINE = 0x0a;
const LINE_LIMIT_BYTES = 4 * 1024 * 1024;

/** Cuts what rg prints with --json into lines; a match in a line of megabytes comes shortened. */
export class JsonLines {
  readonly #onLine: (line: string) => void;
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #long: LongMatch | undefined;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, end));
      this.#endLine();
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
  }

  #keep(piece: Buffer): void {
    if (piece.length === 0) return;
    if (this.#long) {
      this.#long.add(piece);
      return;
    }
    this.#kept.push(piece);
    this.#keptBytes += piece.length;
    if (this.#keptBytes <= LINE_LIMIT_BYTES) return;
    this.#long = new LongMatch(Buffer.concat(this.#kept));
    this.#kept = [];
    this.#keptBytes = 0;
  }

  #endLine(): void {
    const line = this.#long ? this.#long.shortened() : Buffer.concat(this.#kept).toString("utf8");
    this.#long = undefined;
    this.#kept = [];
    this.#keptBytes = 0;
    if (line) this.#onLine(line);
  }
}

/** Cuts at NUL, which no file name holds. */
export class NullSeparated {
  readonly #onPart: (part: Buffer) => void;
  /** What no NUL has followed yet. */
  rest: Buffer = Buffer.alloc(0);

  constructor(onPart: (part: Buffer) => void) {
    this.#onPart = onPart;
  }

  push(chunk: Buffer): void {
    const bytes = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    let start = 0;
    for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, start)) {
      this.#onPart(bytes.subarray(start, end));
      start = end + 1;
    }
    this.rest = Buffer.from(bytes.subarray(start));
  }
}
