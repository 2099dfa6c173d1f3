/** A piece of a file that can answer a question. */
export interface Snippet {
  readonly file: string;
  /** First line, from 1. */
  readonly line: number;
  readonly content: string;
  /** What names or describes the piece: its declaration and the comment above it. */
  readonly context: string;
  readonly isDefinition: boolean;
}

/** Says how well snippets fit a query. By terms today; by embeddings once there are some. */
export interface Scorer {
  /** Files without any of these words cannot fit; an empty list means that every file can. */
  needles(query: string): string[];
  /** One number per snippet, in order; 0 means that it does not fit at all. */
  score(query: string, snippets: readonly Snippet[]): Promise<number[]>;
}

const STOP_WORDS = new Set(
  "a an and are as at be by do does for from how in into is it its of on or that the this to what when where which with".split(
    " ",
  ),
);
const MAX_TERMS = 32;

/** Counts which words of the query occur, and where. */
export const termScorer: Scorer = {
  needles: termsOf,
  score: async (query, snippets) => {
    const whole = query.trim().toLowerCase();
    const terms = termsOf(query);
    return snippets.map((snippet) => scoreOne(snippet, whole, terms));
  },
};

function scoreOne(snippet: Snippet, whole: string, terms: readonly string[]): number {
  const content = snippet.content.toLowerCase();
  const context = snippet.context.toLowerCase();
  let score = content.includes(whole) || context.includes(whole) ? 1 : 0;
  for (const term of terms) {
    if (context.includes(term)) score += 0.5;
    if (content.includes(term)) score += 0.3;
  }
  return snippet.isDefinition ? score * 1.2 : score;
}

function termsOf(query: string): string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}_$]+/gu) ?? [query.trim().toLowerCase()];
  const telling = words.filter((word) => word.length > 1 && !STOP_WORDS.has(word));
  return [...new Set(telling.length > 0 ? telling : words)].slice(0, MAX_TERMS);
}
