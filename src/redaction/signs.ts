/**
 * Rules that look for tokens cost time on every text, and almost every text has nothing for them. So each rule names its
 * signs: three characters each, one of which stands in everything that it can find. Which of them a text has is
 * found out in one go (glance.ts), and only the rules whose signs are there are run.
 */
export interface Signs {
  /** The number of a sign, by the folded codes of its three characters; 0 for what is none. */
  readonly table: Uint8Array;
  /** How many different ones there are. */
  readonly count: number;
  numbersOf(signs: readonly string[]): readonly number[];
}

/** Three folded codes of five bits. */
export const TRIPLE = 0x7fff;

export function createSigns(all: readonly string[]): Signs {
  const table = new Uint8Array(TRIPLE + 1);
  const distinct = [...new Set(all.map(tripleOf))];
  if (distinct.length > 0xff) throw new Error("Too many signs: their number must fit one byte.");
  for (const [index, triple] of distinct.entries()) table[triple] = index + 1;
  return {
    table,
    count: distinct.length,
    numbersOf: (signs) => signs.map((sign) => table[tripleOf(sign)] ?? 0),
  };
}

/** A character in five bits: letters without regard to case, digits all alike, 0 for most others. */
export function fold(code: number): number {
  const letter = code | 0x20;
  if (letter >= 0x61 && letter <= 0x7a) return letter - 0x60;
  if (code >= 0x30 && code <= 0x39) return 27;
  return OTHERS[String.fromCharCode(code)] ?? 0;
}

const OTHERS: Readonly<Record<string, number>> = { _: 28, "-": 29, ":": 30, "/": 30, ".": 31 };

function tripleOf(sign: string): number {
  if (sign.length !== 3) throw new Error(`A sign has three characters, not "${sign}".`);
  return Array.from(sign).reduce((triple, one) => (triple << 5) | fold(one.charCodeAt(0)), 0);
}
