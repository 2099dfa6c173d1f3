import { escapeAt, lengthOf } from "./escapes.ts";
import { BELOW_TOP, type Fingerprints, GEAR, PRINT_SHIFT } from "./fingerprints.ts";
import { fold, type Signs, TRIPLE } from "./signs.ts";
import {
  BASE64_OF,
  bytesOf,
  Entries,
  HEX_OF,
  INVISIBLE_OF,
  KIND_OF,
  PLAIN,
  SPECIAL,
  textOf,
  type ViewName,
  visibleView,
} from "./views.ts";

/** What one look at a text tells: for almost every text, that there is nothing to find in it. */
export interface Glance {
  /** False: no known value stands there, in whatever encoding. */
  readonly mayHoldKnown: boolean;
  /** The text as people see it. */
  readonly seen: string;
  /** Whether one of these signs is there; a rule without signs has to look itself. */
  has(signs: readonly number[] | undefined): boolean;
}

/** What is to be found in each view of a text. */
export type Prints = Readonly<Record<ViewName, Fingerprints>>;

/** The answer about one text is valid until the next one is looked at. */
export function createGlance(signs: Signs, prints: Prints): (text: string) => Glance {
  const [all, visible] = [new Entries(), new Entries()];
  /** In which look each sign was last met. */
  const metIn = new Uint32Array(signs.count + 1);
  let look = 0;

  return (text) => {
    look += 1;
    const now = look;
    const goal: Goal = { prints, signs: signs.table, metIn, look };
    const has: Glance["has"] = (numbers) =>
      numbers?.some((number) => metIn[number] === now) ?? true;
    const raw = { codes: all.read(text), length: text.length };
    const found = scan(text, raw, goal);
    if (found !== HIDES) return { mayHoldKnown: found === MAYBE, seen: text, has };
    const view = visibleView(visible, text, raw.codes);
    const seen = textOf(view);
    const isThere = [scan(seen, view, goal), scanAsItIs(raw, prints.raw, goal)].includes(MAYBE);
    return { mayHoldKnown: isThere, seen, has };
  };
}

interface Goal {
  readonly prints: Prints;
  /** The numbers of signs, and the look in which each was met. */
  readonly signs: Uint8Array;
  readonly metIn: Uint32Array;
  readonly look: number;
}

type Codes = { readonly codes: Uint16Array; readonly length: number };

const NOTHING = 0;
const MAYBE = 1;
const HIDES = 2;

/** Of every code: its fold, to which views it belongs, and whether it takes a closer look. */
const [IN_PLAIN, IN_LETTERS, IN_DIGITS, CLOSER] = [0x20, 0x40, 0x80, 0x100];
const TRAITS = new Uint16Array(0x10000).map((_, code) => {
  const isPlain = KIND_OF[code] === PLAIN;
  const isCloser = KIND_OF[code] === SPECIAL || INVISIBLE_OF[code] === 1 || code === 0x78;
  return (
    (code < 0x80 ? fold(code) : 0) |
    (isPlain ? IN_PLAIN : 0) |
    (isPlain && BASE64_OF[code] ? IN_LETTERS : 0) |
    (HEX_OF[code] ? IN_DIGITS : 0) |
    (isCloser ? CLOSER : 0)
  );
});
/** What a code adds in the view of letters or digits, 0 for what does not belong there. */
const PLAIN_GEAR = GEAR.map((gear, code) => (KIND_OF[code] === PLAIN ? gear : 0));
const LETTER_GEAR = GEAR.map((_, code) =>
  KIND_OF[code] === PLAIN && BASE64_OF[code] ? (GEAR[BASE64_OF[code]] ?? 0) : 0,
);
const DIGIT_GEAR = GEAR.map((_, code) => (HEX_OF[code] ? (GEAR[HEX_OF[code]] ?? 0) : 0));

/**
 * Looks for signs, and for fingerprints in all views but the raw one, at once. Every character of every text goes through
 * this loop, so it branches only where something is to be looked at more closely: a code that does not belong to
 * a view moves its fingerprint by nothing and adds nothing.
 */
function scan(text: string, { codes, length }: Codes, goal: Goal): number {
  const { signs, metIn, look } = goal;
  const { unescaped, base64, hex, visible } = goal.prints;
  const [plainTops, letterTops, digitTops] = [unescaped.tops, base64.tops, hex.tops];
  let [plain, letters, digits, digitsBefore, digitsLong] = [0, 0, 0, 0, 0];
  let triple = 0;
  let found = visible.prints.size > 0 ? scanAsItIs({ codes, length }, visible, goal) : NOTHING;
  /** Up to here the characters are those of an escape, which stands for another one in two of the views. */
  let escapedTo = 0;
  for (let at = 0; at < length; at += 1) {
    const code = codes[at] as number;
    const traits = TRAITS[code] as number;
    triple = ((triple << 5) | (traits & 0x1f)) & TRIPLE;
    digitsLong = digitsBefore;
    digitsBefore = digits;
    digits = ((digits << ((traits & IN_DIGITS) >>> 5)) + (DIGIT_GEAR[code] as number)) | 0;
    if (at >= escapedTo) {
      plain = ((plain << ((traits & IN_PLAIN) >>> 3)) + (PLAIN_GEAR[code] as number)) | 0;
      letters = ((letters << ((traits & IN_LETTERS) >>> 4)) + (LETTER_GEAR[code] as number)) | 0;
    }
    const isWorthIt =
      (signs[triple] as number) |
      (plainTops[plain >>> BELOW_TOP] as number) |
      (letterTops[letters >>> BELOW_TOP] as number) |
      (digitTops[digits >>> BELOW_TOP] as number) |
      (traits & CLOSER);
    if (isWorthIt === 0) continue;
    metIn[signs[triple] as number] = look;
    if (unescaped.prints.has(plain) || base64.prints.has(letters) || hex.prints.has(digits))
      found = MAYBE;
    if ((traits & CLOSER) === 0) continue;
    if (INVISIBLE_OF[code] === 1) return HIDES;
    // The 0 of 0x does not count.
    if (code === 0x78 && codes[at - 1] === 0x30) digits = digitsLong;
    if (code === 0x78 || at < escapedTo) continue;
    const written = escapeAt(text, at);
    escapedTo = at + lengthOf(written);
    for (let bytes = bytesOf(written, code); bytes > 0; bytes = Math.floor(bytes / 0x100)) {
      const byte = bytes & 0xff;
      plain = ((plain << PRINT_SHIFT) + (GEAR[byte] as number)) | 0;
      const letter = BASE64_OF[byte] as number;
      if (letter !== 0) letters = ((letters << PRINT_SHIFT) + (GEAR[letter] as number)) | 0;
      if (unescaped.prints.has(plain) || base64.prints.has(letters)) found = MAYBE;
    }
  }
  return found;
}

/** Looks for fingerprints of the codes as they are, and for signs. */
function scanAsItIs({ codes, length }: Codes, { prints, tops }: Fingerprints, goal: Goal): number {
  const { signs, metIn, look } = goal;
  let [print, triple, found] = [0, 0, NOTHING];
  for (let at = 0; at < length; at += 1) {
    const code = codes[at] as number;
    triple = ((triple << 5) | ((TRAITS[code] as number) & 0x1f)) & TRIPLE;
    metIn[signs[triple] as number] = look;
    print = ((print << PRINT_SHIFT) + (GEAR[code] as number)) | 0;
    if (tops[print >>> BELOW_TOP] === 1 && prints.has(print)) found = MAYBE;
  }
  return found;
}
