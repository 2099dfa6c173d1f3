/** More marks on one letter than any writing system uses. */
const MARKS_ON_ONE_LETTER = 8;
/** Real text changes its direction by the letters it uses; these are for rare corrections. */
const MOST_DIRECTION_MARKS = 200;

/** Letters beyond Latin may be shaped together, a whole run of them at once. */
const COSTLY = /[\p{M}\p{Cf}\u0250-\u{10ffff}]/u;
/** Scripts that break without a blank; 100 letters of the others are longer than any word. */
const BREAKING = ["Han", "Hiragana", "Katakana", "Hangul", "Thai", "Lao", "Khmer", "Myanmar"];
const SHAPED = `[^\\s\\u0000-\\u024f${BREAKING.map((name) => `\\p{Script=${name}}`).join("")}]`;
const UNBROKEN = new RegExp(`${SHAPED}{100}(?=${SHAPED})`, "gu");
const LONG_WORD = /\S{100}(?=\S)/gu;
const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const RIGHT_TO_LEFT_RUN = new RegExp(`${RIGHT_TO_LEFT.source}+`, "gu");
const PIECE = /[^\n]{1000}/gu;
/** Text of two languages turns at most every few words; this many turns in 1,000 characters are no text. */
const MOST_TURNS_IN_PIECE = 150;
const LONG_RUN = new RegExp(`([\\p{M}\\p{Cf}]{${MARKS_ON_ONE_LETTER}})[\\p{M}\\p{Cf}]+`, "gu");
const DIRECTION_MARK = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const JOINED = /(?:[^\s\u200d]{1,4}\u200d){9,}/gu;

/**
 * Text that takes a renderer about as long as other text of its length: runs of combining and invisible characters
 * are cut, and so are floods of direction marks and joiners, each of which can freeze a page for seconds. Long runs
 * without a blank get blanks, because some scripts bring a browser down without. Text that keeps changing its
 * direction is shown from left to right.
 */
export function boundLayout(text: string): string {
  if (!COSTLY.test(text)) return text;
  let directionMarks = 0;
  return text
    .replace(LONG_RUN, "$1")
    .replace(DIRECTION_MARK, (mark) => {
      directionMarks += 1;
      return directionMarks > MOST_DIRECTION_MARKS ? "" : mark;
    })
    .replace(JOINED, (run) => run.replaceAll("\u200d", ""))
    .replace(UNBROKEN, "$& ")
    .replace(LONG_WORD, (word) => (RIGHT_TO_LEFT.test(word) ? `${word} ` : word))
    .replace(PIECE, (piece) => (turns(piece) > MOST_TURNS_IN_PIECE ? leftToRight(piece) : piece));
}

function turns(text: string): number {
  return text.match(RIGHT_TO_LEFT_RUN)?.length ?? 0;
}

/** One direction on a line of its own: with an override over a longer line a browser is hardly faster. */
function leftToRight(text: string): string {
  return `\u202d${text}\u202c\n`;
}
