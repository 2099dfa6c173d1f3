/** A code block that is open. */
export interface Fence {
  /** The line that opens it again. */
  readonly line: string;
  readonly marker: string;
}

/** The most that closing or opening a code block takes. Longer opening lines count as text. */
export const FENCE_CHARS = 40;

const FENCE_LINE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^`\r\n]*?)[ \t]*\r?$/;

/** The code block that is open at the end of a text, if it began inside `before`. */
export function fenceAfter(text: string, before: Fence | undefined): Fence | undefined {
  let open = before;
  for (const line of text.split("\n")) {
    if (line.length >= FENCE_CHARS) continue;
    const [, marker, info = ""] = FENCE_LINE.exec(line) ?? [];
    if (marker === undefined) continue;
    if (!open) open = { line: `${marker}${info}`, marker };
    else if (info === "" && marker.startsWith(open.marker)) open = undefined;
  }
  return open;
}

/** What must stand behind a text so that an open code block ends with it. */
export function closingOf(fence: Fence | undefined, text: string): string {
  if (!fence) return "";
  return text.endsWith("\n") || text === "" ? fence.marker : `\n${fence.marker}`;
}
