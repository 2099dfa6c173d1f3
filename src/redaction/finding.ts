/** A stretch of a text that must not be shown, and what the mask says of it. */
export interface Finding {
  readonly start: number;
  readonly end: number;
  readonly label: string;
  /** True for a value that is known to be secret, and not only by its look. */
  readonly isKnown?: true;
}

/** Finds secrets by their look. */
export interface Rule {
  /** See signs.ts. Without any, it looks through every text. */
  readonly signs?: readonly string[];
  find(text: string): Finding[];
}

/** In order and without overlaps. What overlaps becomes one, with the label of the longest. */
export function merge(findings: readonly Finding[]): Finding[] {
  const merged: Finding[] = [];
  for (const finding of findings.toSorted((one, other) => one.start - other.start)) {
    const last = merged.at(-1);
    if (!last || finding.start >= last.end) {
      merged.push(finding);
      continue;
    }
    const longest = finding.end - finding.start > last.end - last.start ? finding : last;
    merged[merged.length - 1] = {
      ...longest,
      start: last.start,
      end: Math.max(last.end, finding.end),
    };
  }
  return merged;
}
