const KEPT_BYTES = 64 * 1024;
const SHOWN_CHARS = 400;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * A match in a line of megabytes, of which rg prints all. Passes it by and keeps what stands before and after the text.
 * The JSON of rg gives the path first, then the text, then the line's number and the matches.
 */
export class LongMatch {
  readonly #head: string;
  readonly #tail: Buffer[] = [];
  #tailBytes = 0;
  #isInText = true;
  #isEscaped = false;

  /** `start` is the beginning of rg's line, long enough to hold the path. */
  constructor(start: Buffer) {
    const head = start.toString("latin1", 0, KEPT_BYTES);
    const [prefix = ""] = /^.*?"lines":\{"(?:text|bytes)":"/s.exec(head) ?? [];
    this.#head = Buffer.from(prefix, "latin1").toString("utf8");
    this.add(start.subarray(prefix.length));
  }

  add(chunk: Buffer): void {
    const from = this.#isInText ? this.#endOfText(chunk) : 0;
    if (this.#isInText || this.#tailBytes >= KEPT_BYTES) return;
    const piece = Buffer.from(chunk.subarray(from, from + KEPT_BYTES));
    this.#tail.push(piece);
    this.#tailBytes += piece.length;
  }

  /** Behind the quote that ends the text. */
  #endOfText(chunk: Buffer): number {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) {
        this.#isInText = false;
        return at + 1;
      }
    }
    return chunk.length;
  }

  /** The same line with the text cut to its first match; undefined for what is no match. */
  shortened(): string | undefined {
    const tail = Buffer.concat(this.#tail).toString("utf8");
    const path = /"path":(\{"(?:text|bytes)":"(?:[^"\\]|\\.)*"\})/.exec(this.#head)?.[1];
    const line = /"line_number":(\d+),"absolute_offset":(\d+)/.exec(tail);
    if (path === undefined || line === null) return undefined;
    const match = `…${firstMatch(tail).slice(0, SHOWN_CHARS)}…`.toWellFormed();
    return JSON.stringify({
      type: "match",
      data: {
        path: JSON.parse(path),
        lines: { text: match },
        line_number: Number(line[1]),
        absolute_offset: Number(line[2]),
        submatches: [{ match: { text: match.slice(1, -1) }, start: 3 }],
        isCut: true,
      },
    });
  }
}

function firstMatch(tail: string): string {
  const [, kind, text = ""] =
    /"submatches":\[\{"match":\{"(text|bytes)":"((?:[^"\\]|\\[^u]|\\u[0-9a-f]{4})*)/.exec(tail) ??
    [];
  return kind === "bytes"
    ? Buffer.from(text, "base64").toString("utf8")
    : String(JSON.parse(`"${text}"`));
}
