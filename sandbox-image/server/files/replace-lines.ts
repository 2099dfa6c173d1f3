export interface Replacement {
  readonly oldString: string;
  readonly newString: string;
}

const LINE_END = /\r\n|\n|\r/g;

/** Whether a newline in the replacement means a line end, whatever the file has there, and not the character. */
export function dependsOnLineEnds({ oldString, newString }: Replacement): boolean {
  const isPlain = !oldString.includes("\r") && !newString.includes("\r");
  const isMultiline = oldString.includes("\n") || newString.includes("\n");
  return isPlain && isMultiline && oldString !== "\n";
}

/**
 * Replaces text over several lines. Exactly first; where that finds nothing, a newline of oldString fits each kind of line
 * end. Lines of newString end as the lines that they replace, or as the line that they stand in.
 */
export function replaceLines(
  bytes: Buffer,
  { oldString, newString }: Replacement,
): { pieces: Buffer[]; count: number } {
  // One character per byte: places in the text are places in the file.
  const text = bytes.toString("latin1");
  const old = Buffer.from(oldString).toString("latin1");
  const fresh = Buffer.from(newString).toString("latin1");
  const exact = literal(old);
  const lenient = exact.replaceAll("\n", "(?:\\r\\n|\\n|\\r)");
  // An exact newline at the beginning could be the second half of a CRLF.
  const patterns = old.startsWith("\n") ? [lenient] : [exact, lenient];
  for (const pattern of patterns) {
    const matches = [...text.matchAll(new RegExp(pattern, "g"))];
    if (matches.length > 0) {
      return { pieces: pieces(bytes, text, matches, { old, fresh }), count: matches.length };
    }
  }
  return { pieces: [], count: 0 };
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

function pieces(
  bytes: Buffer,
  text: string,
  matches: readonly RegExpExecArray[],
  { old, fresh }: { old: string; fresh: string },
): Buffer[] {
  const all: Buffer[] = [];
  let given = 0;
  for (const match of matches) {
    const end = match.index + match[0].length;
    const ends = match[0].match(LINE_END) ?? [];
    const local = ends.at(-1) ?? lineEndAfter(text, end);
    all.push(bytes.subarray(given, match.index));
    all.push(Buffer.from(withOwnEnds(fresh, old, ends, local), "latin1"));
    given = end;
  }
  return [...all, bytes.subarray(given)];
}

/** Lines that old and new text share, at the beginning and at the end, keep their ends; the others end like their line. */
function withOwnEnds(fresh: string, old: string, ends: readonly string[], local: string): string {
  const [newLines, oldLines] = [fresh.split("\n"), old.split("\n")];
  const shorter = Math.min(newLines.length, oldLines.length);
  let before = 0;
  while (before < shorter && newLines[before] === oldLines[before]) before += 1;
  const drift = oldLines.length - newLines.length;
  let after = newLines.length;
  while (after > before && newLines[after - 1] === oldLines[after - 1 + drift]) after -= 1;
  return newLines
    .map((line, index) => {
      if (index === newLines.length - 1) return line;
      return line + (ends[index >= after ? index + drift : index] ?? local);
    })
    .join("");
}

/** How the line at `at` ends; without an end, how the line before it does. */
function lineEndAfter(text: string, at: number): string {
  const next = text.indexOf("\n", at);
  const newline = next >= 0 ? next : text.lastIndexOf("\n", at);
  if (newline < 0) return text.includes("\r") ? "\r" : "\n";
  return text[newline - 1] === "\r" ? "\r\n" : "\n";
}
