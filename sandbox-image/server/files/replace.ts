import { ToolError } from "../../../src/contract/operation.ts";
import { usesCrlf, withCrlf } from "./text-file.ts";

interface Replacement {
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
): { pieces: Buffer[]; count: number; same: boolean } {
  const { oldString, newString } = inLineEndsOf(bytes, replacement);
  const pieces = split(bytes, oldString);
  const count = pieces.length - 1;
  if (count > 0) return { pieces: join(pieces, newString), count, same: oldString === newString };
  throw new ToolError(
    "executionFailed",
    `${label}oldString was not found in ${shown}; nothing was written. ${hint(bytes.toString(), oldString)}`,
  );
}

/** UTF-8 never holds one character inside another, so bytes are found exactly where text would be. */
function split(bytes: Buffer, separator: string): Buffer[] {
  const pieces: Buffer[] = [];
  const length = Buffer.byteLength(separator);
  let start = 0;
  if (separator.isWellFormed()) {
    for (let at = bytes.indexOf(separator); at >= 0; at = bytes.indexOf(separator, start)) {
      pieces.push(bytes.subarray(start, at));
      start = at + length;
    }
  }
  return [...pieces, bytes.subarray(start)];
}

/** In pieces that are written one after the other: copying a large file together takes longer than finding. */
function join(pieces: readonly Buffer[], separator: string): Buffer[] {
  const between = Buffer.from(separator);
  return pieces.flatMap((piece, index) => (index === 0 ? [piece] : [between, piece]));
}

function inLineEndsOf(bytes: Buffer, replacement: Replacement): Replacement {
  const { oldString, newString } = replacement;
  const plain = !oldString.includes("\r") && !newString.includes("\r");
  const multiline = oldString.includes("\n") || newString.includes("\n");
  if (!plain || !multiline || !usesCrlf(bytes.toString())) return replacement;
  // Exactly a newline: the caller means the character, not a line.
  if (oldString === "\n") return replacement;
  return { oldString: withCrlf(oldString), newString: withCrlf(newString) };
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
