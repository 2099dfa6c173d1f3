/** One way to compare a patch's lines with those of a file. */
export interface Comparison {
  readonly key: (line: string) => string;
  /** What was disregarded; absent for the exact one. */
  readonly without?: string;
}

/** Exactly first; each of the others disregards more of what models get wrong. */
export const COMPARISONS: readonly Comparison[] = [
  { key: (line) => line },
  { key: (line) => line.trimEnd(), without: "white space at line ends" },
  { key: plain, without: "typographic quotes, dashes and spaces" },
];

function plain(line: string): string {
  return asTyped(line).trimEnd();
}

/** As a keyboard writes it. */
export function asTyped(text: string): string {
  return text
    .replace(/[\u2018\u2019\u201a\u201b\u2032]/g, "'")
    .replace(/[\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/\u2026/g, "...")
    .replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, " ");
}

/** `@@ ... @@` stands for whatever comes before. */
export function isEllipsis(anchor: string): boolean {
  return /^(\.{2,}|\u2026)$/.test(anchor);
}
