import { createHash } from "node:crypto";

const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });

/** The words of a text in lower case, for languages without spaces too; `read_file` are two. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const { segment, isWordLike } of segmenter.segment(text.normalize("NFKC").toLowerCase())) {
    if (isWordLike) words.push(...(segment.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []));
  }
  return words;
}

/** Whether two texts say the same: white space is all that may differ, for `Key` and `key` can be two keys. */
export function normalized(text: string): string {
  return text.normalize("NFC").trim().replace(/\s+/g, " ");
}

/** A name made of `parts`: always the same for the same parts, and free of signs that a store could read as a pattern. */
export function digest(...parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}

/** Words of a question that say nothing about what is looked for. */
export function isFiller(word: string): boolean {
  return FILLERS.has(word);
}

const FILLERS = new Set(
  (
    "a about all an and any are as at be been but by can could did do does for from had has have how i if in into is it " +
    "its me my of on or our say said should so tell that the their them there these they this to us was we were what " +
    "when where which who why will with would you your"
  ).split(" "),
);
