/** A stretch of a text that must not be shown, and what the mask says of it. */
export interface Finding {
  readonly start: number;
  readonly end: number;
  readonly label: string;
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
    const label = finding.end - finding.start > last.end - last.start ? finding.label : last.label;
    merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, finding.end), label };
  }
  return merged;
}
