import { closes, FENCE_LINE, LANGUAGE } from "../lib/text/markdown.ts";

/** A code block that is open. */
export interface Fence {
  /** The line that opens it again, as far within a list or a quote as the first one. */
  readonly line: string;
  /** The line that closes it. */
  readonly end: string;
  readonly marker: string;
}

/** The most that closing or opening a code block takes. */
export const FENCE_CHARS = 40;
/** Longer lines count as text: reading them takes long. */
const LONGEST_LINE = 300;

/** The code block that is open at the end of a text, if it began inside `before`. */
export function fenceAfter(text: string, before: Fence | undefined): Fence | undefined {
  let open = before;
  for (const line of text.split("\n")) {
    if (line.length > LONGEST_LINE || !/```|~~~/.test(line)) continue;
    if (!open) open = openedBy(line.replace(/\r$/, ""));
    else if (closes(line, open.marker)) open = undefined;
  }
  return open;
}

function openedBy(line: string): Fence | undefined {
  const [, before = "", marker, info = ""] = FENCE_LINE.exec(line) ?? [];
  if (marker === undefined) return undefined;
  // A list's own mark would begin another point.
  const end = before.replace(/[^\s>]/g, " ") + marker;
  if (end.length >= FENCE_CHARS) return undefined;
  const language = LANGUAGE.exec(info)?.[0] ?? "";
  const isRoom = end.length + language.length < FENCE_CHARS;
  return { line: isRoom ? end + language : end, end, marker };
}

/** What must stand behind a text so that an open code block ends with it. */
export function closingOf(fence: Fence | undefined, text: string): string {
  if (!fence) return "";
  return text.endsWith("\n") || text === "" ? fence.end : `\n${fence.end}`;
}
