import { ToolError } from "../../../src/contract/operation.ts";
import { fewPieces } from "./fresh-file.ts";
import { usesCrlf, withCrlf } from "./line-ends.ts";
import type { TextFile } from "./text-file.ts";

export interface Replacement {
  readonly oldString: string;
  readonly newString: string;
}

/**
 * Replaces every occurrence, literally: `$&` in newString means nothing. In a file whose lines all end with CRLF, text
 * given with plain newlines means the same lines with CRLF. Throws when there is no occurrence.
 */
export function replaceAll(
  bytes: Buffer,
  replacement: Replacement,
  shown: string,
  label = "",
): { pieces: readonly Buffer[]; count: number } {
  const isWhole = true;
  const replacer = Replacer.for(bytes, { isWhole }, replacement);
  const pieces = replacer?.take(bytes, { isWhole }) ?? [];
  if (replacer?.count) return { pieces, count: replacer.count };
  throw notFound(bytes, replacement, shown, label);
}

/** The same for a file that is still being read: what is certain already can be written meanwhile. */
export class Replacing {
  readonly #file: TextFile;
  readonly #replacement: Replacement;
  readonly #shown: string;
  #count = 0;

  constructor(file: TextFile, replacement: Replacement, shown: string) {
    this.#file = file;
    this.#replacement = replacement;
    this.#shown = shown;
  }

  /** How many occurrences there were so far. */
  get count(): number {
    return this.#count;
  }

  /** Nothing before the first occurrence. Throws at the end when there was none, or not the expected number. */
  async *parts(expected?: number): AsyncGenerator<readonly Buffer[]> {
    let replacer: Replacer | undefined;
    for await (const bytes of this.#file.read()) {
      replacer ??= Replacer.for(bytes, this.#file, this.#replacement);
      const pieces = replacer?.take(bytes, this.#file) ?? [];
      this.#count = replacer?.count ?? 0;
      if (this.#file.isWhole) this.#check(bytes, expected);
      if (pieces.length > 0) yield pieces;
    }
  }

  #check(bytes: Buffer, expected = this.#count): void {
    if (this.#count === 0) throw notFound(bytes, this.#replacement, this.#shown);
    if (this.#count === expected) return;
    throw new ToolError(
      "executionFailed",
      `oldString occurs ${this.#count} times in ${this.#shown}, not ${expected}; nothing was written. ` +
        "Add surrounding lines to oldString, or correct expectedReplacements.",
      { replacementCount: 0, occurrences: this.#count },
    );
  }
}

interface Progress {
  /** Whether nothing follows the bytes that are there. */
  readonly isWhole: boolean;
}

/**
 * Gives the new text in pieces that are written one after the other: copying a large file together takes longer than
 * finding. UTF-8 never holds one character inside another, so bytes are found exactly where text would be.
 */
class Replacer {
  count = 0;
  readonly #old: Buffer;
  readonly #new: Buffer;
  /** Up to here the pieces have been given. */
  #given = 0;
  #searched = 0;

  private constructor({ oldString, newString }: Replacement) {
    this.#old = Buffer.from(oldString);
    this.#new = Buffer.from(newString);
  }

  /** Undefined while the bytes do not tell which line ends the file has, and for text that no file can hold. */
  static for(bytes: Buffer, { isWhole }: Progress, replacement: Replacement): Replacer | undefined {
    if (!replacement.oldString.isWellFormed()) return undefined;
    if (!dependsOnLineEnds(replacement) || hasPlainNewline(bytes)) return new Replacer(replacement);
    return isWhole ? new Replacer(inLineEndsOf(bytes, replacement)) : undefined;
  }

  /** What the bytes so far add to the pieces; they begin with those of the last time. */
  take(bytes: Buffer, { isWhole }: Progress): readonly Buffer[] {
    const pieces: Buffer[] = [];
    const find = () => bytes.indexOf(this.#old, this.#searched);
    for (let at = find(); at >= 0; at = find()) {
      pieces.push(bytes.subarray(this.#given, at), this.#new);
      this.#given = at + this.#old.length;
      this.#searched = this.#given;
      this.count += 1;
    }
    // The last bytes may be the beginning of an occurrence.
    const certain = isWhole ? bytes.length : bytes.length - this.#old.length + 1;
    this.#searched = Math.max(this.#searched, certain);
    if (this.count > 0 && certain > this.#given) {
      pieces.push(bytes.subarray(this.#given, certain));
      this.#given = certain;
    }
    return fewPieces(pieces);
  }
}

/** Exactly a newline: then the caller means the character, not a line. */
function dependsOnLineEnds({ oldString, newString }: Replacement): boolean {
  const isPlain = !oldString.includes("\r") && !newString.includes("\r");
  const isMultiline = oldString.includes("\n") || newString.includes("\n");
  return isPlain && isMultiline && oldString !== "\n";
}

/** Whether the first line ends with a plain newline: then the file's line ends are not CRLF. */
function hasPlainNewline(bytes: Buffer): boolean {
  const first = bytes.indexOf("\n");
  return first >= 0 && bytes[first - 1] !== CARRIAGE_RETURN;
}

const CARRIAGE_RETURN = 0x0d;

function inLineEndsOf(bytes: Buffer, replacement: Replacement): Replacement {
  if (!usesCrlf(bytes.toString())) return replacement;
  const { oldString, newString } = replacement;
  return { oldString: withCrlf(oldString), newString: withCrlf(newString) };
}

function notFound(bytes: Buffer, replacement: Replacement, shown: string, label = ""): ToolError {
  const { oldString } = dependsOnLineEnds(replacement)
    ? inLineEndsOf(bytes, replacement)
    : replacement;
  const message = `${label}oldString was not found in ${shown}; nothing was written. `;
  return new ToolError("executionFailed", message + hint(bytes.toString(), oldString));
}

function hint(text: string, oldString: string): string {
  const trimmed = oldString.trim();
  if (trimmed !== "" && text.includes(trimmed)) {
    return "It is there with other white space around it: copy the text exactly as read_file shows it.";
  }
  if (trimmed !== "" && text.toLowerCase().includes(trimmed.toLowerCase())) {
    return "It is there in other upper and lower case: copy the text exactly as read_file shows it.";
  }
  return "Read the file with read_file and copy the text exactly.";
}
