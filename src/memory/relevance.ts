import { isFiller, normalized, wordsOf } from "./words.ts";

/** How much the two halves weigh: what part of the question was found, and how alike both texts are. */
const COVERAGE_WEIGHT = 0.6;
const LIKENESS_WEIGHT = 0.4;
/** A word that only begins so, or has a typing error, against the word itself. */
const NEARLY = 0.7;
const SHORTEST_TELLING_WORD = 3;

/** Which words of the question an index found, and what it found for them. */
export interface WordMatch {
  readonly queryTerms: readonly string[];
  readonly terms: readonly string[];
}

/**
 * Puts a number from 0 to 1 on how well a text answers a question, without embeddings: 0.6 for the share of the
 * question's telling words that the text has, 0.4 for the share of words that both have in common. All words of a short
 * question found in a long text give 0.6 and a little; half of them give 0.3, the default threshold; above 0.8 there is
 * only what says nearly the same. The very same text is 1.
 */
export function relevanceTo(query: string): (text: string, match: WordMatch) => number {
  const same = normalized(query);
  const telling = tellingWords(query);
  const ownWords = longWords(query);
  return (text, match) => {
    if (normalized(text) === same) return 1;
    const coverage = coverageOf(telling, match);
    const likeness = jaccard(ownWords, longWords(text));
    return Math.min(1, COVERAGE_WEIGHT * coverage + LIKENESS_WEIGHT * likeness);
  };
}

function tellingWords(query: string): ReadonlySet<string> {
  const words = wordsOf(query);
  const telling = words.filter((word) => !isFiller(word));
  return new Set(telling.length > 0 ? telling : words);
}

function longWords(text: string): ReadonlySet<string> {
  return new Set(wordsOf(text).filter((word) => word.length >= SHORTEST_TELLING_WORD));
}

function coverageOf(telling: ReadonlySet<string>, { queryTerms, terms }: WordMatch): number {
  const found = new Set(queryTerms);
  const exactly = new Set(terms);
  let covered = 0;
  for (const word of telling) {
    if (exactly.has(word)) covered += 1;
    else if (found.has(word)) covered += NEARLY;
  }
  return telling.size === 0 ? 0 : covered / telling.size;
}

function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const both = a.intersection(b).size;
  const any = a.size + b.size - both;
  return any === 0 ? 0 : both / any;
}
