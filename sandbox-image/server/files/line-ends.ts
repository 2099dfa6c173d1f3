/** A CRLF is one line end, and the newline at the end of a file begins no further line. Lines keep their ends. */
export function splitLines(text: string): string[] {
  return text === "" ? [] : text.split(/(?<=\n)/);
}

/** Whether every line ends with CRLF; a file with both kinds counts as LF. */
export function usesCrlf(text: string): boolean {
  const first = text.indexOf("\n");
  return first > 0 && text[first - 1] === "\r" && !/(?<!\r)\n/.test(text);
}

/** Puts the file's own line ends on text that was written with plain newlines. */
export function withCrlf(text: string): string {
  return text.replace(/\r?\n/g, "\r\n");
}
