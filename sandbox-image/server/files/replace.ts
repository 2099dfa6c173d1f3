import { ToolError } from "../../../src/contract/tools/operation.ts";
import { fewPieces } from "./fresh-file.ts";
import { asTyped } from "./patch/loosely.ts";
import { dependsOnLineEnds, type Replacement, replaceLines } from "./replace-lines.ts";
import type { TextFile } from "./text-file.ts";

/**
 * Replaces every occurrence, literally: `$&` in newString means nothing. Newlines fit the line ends that the file has. Throws
 * when there is no occurrence.
 */
export function replaceAll(
  bytes: Buffer,
  replacement: Replacement,
  shown: string,
  label = "",
): { pieces: readonly Buffer[]; count: number } {
  const { pieces, count } = replaceIn(bytes, replacement);
  if (count > 0) return { pieces, count };
  throw notFound(bytes, replacement, shown, label);
}

function replaceIn(
  bytes: Buffer,
  replacement: Replacement,
): { pieces: readonly Buffer[]; count: number } {
  // Text that no file can hold.
  if (!replacement.oldString.isWellFormed()) return { pieces: [], count: 0 };
  if (dependsOnLineEnds(replacement) && bytes.includes("\r"))
    return replaceLines(bytes, replacement);
  const replacer = new Replacer(replacement);
  const pieces = replacer.take(bytes, { isWhole: true });
  return { pieces, count: replacer.count };
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
    const { oldString } = this.#replacement;
    const isLiteral = oldString.isWellFormed() && !dependsOnLineEnds(this.#replacement);
    const replacer = isLiteral ? new Replacer(this.#replacement) : undefined;
    for await (const bytes of this.#file.read()) {
      // Which line ends the file has is known in the end only.
      if (!replacer && !this.#file.isWhole) continue;
      const part = replacer ? replacer.take(bytes, this.#file) : this.#replaceWhole(bytes);
      if (replacer) this.#count = replacer.count;
      if (this.#file.isWhole) this.#check(bytes, expected);
      if (part.length > 0) yield part;
    }
  }

  #replaceWhole(bytes: Buffer): readonly Buffer[] {
    const { pieces, count } = replaceIn(bytes, this.#replacement);
    this.#count = count;
    return pieces;
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

  constructor({ oldString, newString }: Replacement) {
    this.#old = Buffer.from(oldString);
    this.#new = Buffer.from(newString);
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

function notFound(bytes: Buffer, { oldString }: Replacement, shown: string, label = ""): ToolError {
  const message = `${label}oldString was not found in ${shown}; nothing was written. `;
  return new ToolError("executionFailed", message + hint(bytes.toString(), oldString));
}

function hint(text: string, oldString: string): string {
  const trimmed = oldString.trim();
  if (trimmed !== "" && text.includes(trimmed)) {
    return "It occurs with different surrounding white space: copy the text exactly as read_file shows it.";
  }
  if (trimmed !== "" && text.toLowerCase().includes(trimmed.toLowerCase())) {
    return "It occurs in different upper and lower case: copy the text exactly as read_file shows it.";
  }
  if (trimmed !== "" && asTyped(text).includes(asTyped(trimmed))) {
    return "It occurs with different quotes, dashes or spaces (such as ’ for '): copy the text exactly as read_file shows it.";
  }
  return "Read the file with read_file and copy the text exactly.";
}
