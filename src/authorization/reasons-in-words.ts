interface Reason {
  readonly why: string;
  /** The part of the command that it is about; empty where it is about all of it. */
  readonly segment: string;
}

/** What a command was asked about for, each thing once: "writes outside the workspace (/etc/a, /etc/b): cp x y". */
export function reasonsInWords(reasons: readonly Reason[]): string {
  const details = new Map<string, Reason & { readonly details: readonly string[] }>();
  for (const { why, segment } of reasons) {
    const [, words = why, detail] = /^(.+) \(([^()]+)\)$/s.exec(why) ?? [];
    const key = JSON.stringify([words, segment]);
    const known = details.get(key)?.details ?? [];
    const all = detail === undefined || known.includes(detail) ? known : [...known, detail];
    details.set(key, { why: words, segment, details: all });
  }
  return [...details.values()].map(inWords).join("; ");
}

function inWords({
  why,
  segment,
  details,
}: Reason & { readonly details: readonly string[] }): string {
  const words = details.length === 0 ? why : `${why} (${details.join(", ")})`;
  return segment === "" ? words : `${words}: ${segment}`;
}
