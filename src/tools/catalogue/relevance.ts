import type { ArchiveChunk } from "../../contract/conversation/archive.ts";

const WEIGHTS = { summary: 3, topics: 2, content: 1 } as const;

/** The words of a query, each once. A query without any letter or digit is one term by itself. */
export function termsOf(query: string): string[] {
  const found = folded(query).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [folded(query).trim()];
  // "a" is in everything; alone it is all that there is to look for.
  const telling = found.filter((term) => !/^[a-z]$/.test(term));
  return [...new Set(telling.length > 0 ? telling : found)];
}

/** How well a chunk fits: each term counts for the summary, the topics and the content that it occurs in. */
export function relevance(chunk: ArchiveChunk, terms: readonly string[]): number {
  const summary = folded(chunk.summary);
  const topics = chunk.topics.map(folded);
  const contents = chunk.messages.map(({ text }) => folded(text));
  return terms.reduce((score, term) => {
    const has = (text: string) => text.includes(term);
    return (
      score +
      (has(summary) ? WEIGHTS.summary : 0) +
      (topics.some(has) ? WEIGHTS.topics : 0) +
      (contents.some(has) ? WEIGHTS.content : 0)
    );
  }, 0);
}

/** How many of the terms occur in a text. */
export function termsIn(text: string, terms: readonly string[]): number {
  const whole = folded(text);
  return terms.filter((term) => whole.includes(term)).length;
}

/** Equal for texts that differ only in case or in how their characters are composed. */
function folded(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}
