/** Where one command may end and another begin, in a text that could not be parsed as a whole. */
const BORDERS =
  /;|&&?|\|\|?|\n|[(){}`]|\$\(|[<>]\(|(?<=^|[\s;&|])(?:then|do|else|elif|fi|done|esac)(?=[\s;&|]|$)/g;

/** A bound on the work: what follows is one more piece, and not looked at closely. */
export const MAXIMUM_PIECES = 200;

/** The pieces of a text between its borders, each with where it begins and ends. */
export function piecesOf(text: string): { readonly start: number; readonly end: number }[] {
  const pieces: { start: number; end: number }[] = [];
  let start = 0;
  for (const { 0: border, index } of text.matchAll(BORDERS)) {
    if (pieces.length >= MAXIMUM_PIECES) break;
    if (text.slice(start, index).trim() !== "") pieces.push({ start, end: index });
    start = index + border.length;
  }
  if (text.slice(start).trim() !== "") pieces.push({ start, end: text.length });
  return pieces;
}

/** The words of a piece as far as blanks tell them, without quotes and escapes. */
export function roughWords(piece: string): string[] {
  const words = piece
    .replaceAll(/["'\\]/g, "")
    .split(/\s+/)
    .filter((word) => word !== "");
  const first = words.findIndex((word) => !LEADING.test(word));
  return first < 0 ? [] : words.slice(first, first + 1_000);
}

/** Keywords, assignments and redirections before a program. */
const LEADING = /^(?:if|while|until|for|case|select|function|in|time|!|coproc|\w+=.*|\d*[<>].*)$/;
