const BYTE_ORDER_MARK = "\ufeff";

/** Where a text has no line feed, but carriage returns, those end its lines; else they are characters like all others. */
export function splitLines(text: string, { onlyAtNewlines = false } = {}): string[] {
  if (text === "") return [];
  const hasReturns = !onlyAtNewlines && !text.includes("\n") && text.includes("\r");
  return text.split(hasReturns ? /(?<=\r)/ : /(?<=\n)/);
}

/** The mark that some editors put before a text is no part of its first line. */
export function splitMark(text: string): { mark: string; body: string } {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  return { mark, body: text.slice(mark.length) };
}

/** CRLF, LF or CR; empty for a last line without one. */
export function endOf(line: string): string {
  return /\r\n$|\n$|\r$/.exec(line)?.[0] ?? "";
}

/** The end that a new line has beside the line at `at`: that line's own, else the one before or after. */
export function endNear(ends: readonly string[], at: number): string {
  const near = [ends[at], ends[at - 1], ends[at + 1]].find(
    (end) => end !== undefined && end !== "",
  );
  return near ?? "\n";
}

/** Plain newlines become the given end. */
export function withEnds(text: string, end: string): string {
  return end === "\n" ? text : text.replace(/(?<!\r)\n/g, end);
}
