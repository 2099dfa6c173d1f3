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

/**
 * In order and without overlaps. What overlaps becomes one, with the label of what begins first and, of those, of the
 * longest: text that comes in pieces may have shown that label before the rest is there.
 */
export function merge(findings: readonly Finding[]): Finding[] {
  const merged: Finding[] = [];
  const inOrder = (one: Finding, other: Finding) => one.start - other.start || other.end - one.end;
  for (const finding of findings.toSorted(inOrder)) {
    const last = merged.at(-1);
    if (!last || finding.start >= last.end) merged.push(finding);
    else merged[merged.length - 1] = { ...last, end: Math.max(last.end, finding.end) };
  }
  return merged;
}
