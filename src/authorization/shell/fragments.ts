/** Where one command may end and another begin, in a text that could not be parsed as a whole. */
const BORDERS =
  /;|&&?|\|\|?|\n|[(){}`]|\$\(|[<>]\(|(?<=^|[\s;&|])(?:then|do|else|elif|fi|done|esac)(?=[\s;&|]|$)/g;

/** A bound on the work: what follows is one more piece, and not looked at closely. */
export const MAXIMUM_PIECES = 200;

/** More brackets than that rarely close one command. */
const MAXIMUM_LATER_ENDS = 4;

export interface Piece {
  readonly start: number;
  readonly end: number;
  /** Where it may end instead: brackets that close behind it belong to the command, or to something around it. */
  readonly laterEnds: readonly number[];
  /** As far as quotes tell, a command ends here. */
  readonly endsCommand: boolean;
  /** A pipe follows: what comes next reads what this one prints. */
  readonly feedsNext: boolean;
}

/** The pieces of a text between its borders, each with where it begins and ends. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  const quoted = text.matchAll(QUOTED);
  let quotes = quoted.next().value;
  let start = 0;
  for (const { 0: border, index } of text.matchAll(BORDERS)) {
    if (pieces.length >= MAXIMUM_PIECES) break;
    while (quotes && quotes.index + quotes[0].length <= index) quotes = quoted.next().value;
    const endsCommand = SEPARATOR.test(border) && !(quotes && quotes.index < index);
    const feedsNext = endsCommand && border === "|";
    const last = pieces.at(-1);
    if (text.slice(start, index).trim() !== "")
      pieces.push({ start, end: index, laterEnds: [], endsCommand, feedsNext });
    // `{a,b};`: the border behind the brace is the one that ends the command.
    else if (last && !last.endsCommand) {
      const laterEnds = [...last.laterEnds, index].slice(-MAXIMUM_LATER_ENDS);
      pieces[pieces.length - 1] = { ...last, laterEnds, endsCommand, feedsNext };
    }
    start = index + border.length;
  }
  const last = pieces.at(-1);
  const rest = { endsCommand: true, feedsNext: false };
  if (text.slice(start).trim() !== "")
    pieces.push({ start, end: text.length, laterEnds: [], ...rest });
  else if (last && !last.endsCommand)
    pieces[pieces.length - 1] = { ...last, laterEnds: [...last.laterEnds, text.length], ...rest };
  return pieces;
}

const QUOTED = /\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*"/g;
const SEPARATOR = /^[;&|\n]/;

/** Of a text that cannot be parsed, how many pieces may make one part of it. */
const PIECES_OF_A_PART = [Infinity, 32, 8, 4, 3, 2, 1];

/**
 * How many pieces from that one on may be a part that can be parsed: whole commands first, then whole pipelines, then the
 * most. Half a command may parse as well, and mean less than the whole.
 */
export function lengthsOfPart(pieces: readonly Piece[], from: number): number[] {
  const most = pieces.length - from;
  const counts = PIECES_OF_A_PART.map((one) => Math.min(one, most));
  const ends = (at: number, isEnd: (piece: Piece) => boolean) =>
    pieces.findIndex((piece, index) => index >= at && isEnd(piece)) - from + 1;
  const lengths = [
    ...counts,
    ...counts.map((count) => ends(from + count - 1, ({ endsCommand }) => endsCommand)),
    ends(from, ({ endsCommand, feedsNext }) => endsCommand && !feedsNext),
  ];
  const cuts = (length: number) => {
    const last = pieces[from + length - 1];
    return Number(last?.feedsNext ?? false) + 2 * Number(!(last?.endsCommand ?? true));
  };
  return [...new Set(lengths.filter((one) => one > 0))].sort(
    (one, other) => cuts(one) - cuts(other) || other - one,
  );
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
