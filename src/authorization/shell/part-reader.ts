import { lengthsOfPart, MAXIMUM_PIECES, piecesOf, roughWords } from "./fragments.ts";
import { literalWord, UNKNOWN_WORDS, type Word } from "./word.ts";

/** Judges the parts of a text that cannot be parsed as a whole. */
export interface PartReader {
  /** False when the part cannot be parsed either. */
  readPart(part: string): boolean;
  /** The words of a piece that cannot be parsed, as far as blanks tell them. */
  readWords(words: readonly Word[], piece: string): void;
  /** There is more than can be judged: nothing that follows is looked at. */
  tooLong(): void;
  readonly isExhausted: boolean;
}

/** Behind a piece: the output of another command belongs to it. */
const SUBSTITUTED = /^(?:`|\$\(|[<>]\(|\{)/;

/** Hands every part that may be a command to the reader, the longest that can be parsed first. */
export function readPartsOf(text: string, reader: PartReader): void {
  const pieces = piecesOf(text);
  if (pieces.length > MAXIMUM_PIECES) {
    reader.tooLong();
    return;
  }
  for (let index = 0; index < pieces.length && !reader.isExhausted; ) {
    const start = pieces[index]?.start ?? 0;
    const lengths = new Set(lengthsOfPart(pieces, index));
    // Without anything around its pieces, all of it together is the text that could not be parsed.
    if (text.slice(start, pieces.at(-1)?.end).trim() === text.trim()) lengths.delete(pieces.length);
    const length = [...lengths].find((one) => {
      const last = pieces[index + one - 1];
      const ends = last ? [...last.laterEnds.toReversed(), last.end] : [text.length];
      return ends.some((end) => reader.readPart(text.slice(start, end)));
    });
    index += length ?? 1;
    const end = pieces[index - 1]?.end ?? text.length;
    const goesOn = SUBSTITUTED.test(text.slice(end, end + 2));
    if (length === undefined || goesOn) {
      const piece = text.slice(pieces[index - 1]?.start, end);
      reader.readWords([...roughWords(piece).map(literalWord), ...(goesOn ? [MORE] : [])], piece);
    }
  }
}

/** Where a substitution follows, the command has more words than the piece. */
const MORE: Word = { text: "…", shape: UNKNOWN_WORDS };
