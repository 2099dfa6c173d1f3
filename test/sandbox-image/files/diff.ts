/** A plain unified diff of two texts, for tests: whole lines, `context` lines around each change. */
export function unifiedDiff(before: string, after: string, path: string, context = 3): string {
  const steps = lineSteps(linesWithEnds(before), linesWithEnds(after));
  const changed = steps.flatMap(({ sign }, index) => (sign === " " ? [] : [index]));
  if (changed.length === 0) return "";
  const from = before === "" ? "/dev/null" : `a/${path}`;
  const to = after === "" ? "/dev/null" : `b/${path}`;
  const hunks = ranges(changed, context, steps.length).map(([start, end]) =>
    hunkText(steps, start, end),
  );
  return `--- ${from}\n+++ ${to}\n${hunks.join("")}`;
}

interface Step {
  readonly sign: " " | "-" | "+";
  readonly line: string;
}

function linesWithEnds(text: string): string[] {
  return text === "" ? [] : text.split(/(?<=\n)/);
}

/** Longest common subsequence by the table: fine for the small texts of tests. */
function lineSteps(a: readonly string[], b: readonly string[]): Step[] {
  const common = commonLengths(a, b);
  const steps: Step[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const sign = nextSign(a[i], b[j], common(i + 1, j) >= common(i, j + 1));
    steps.push({ sign, line: (sign === "+" ? b[j] : a[i]) ?? "" });
    i += sign === "+" ? 0 : 1;
    j += sign === "-" ? 0 : 1;
  }
  return steps;
}

function nextSign(a: string | undefined, b: string | undefined, dropFirst: boolean): Step["sign"] {
  if (a === b) return " ";
  return a !== undefined && (b === undefined || dropFirst) ? "-" : "+";
}

/** How many lines the rests from i and from j have in common at most. */
function commonLengths(a: readonly string[], b: readonly string[]) {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  const at = (i: number, j: number) => table[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const best = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
      table[i]?.splice(j, 1, best);
    }
  }
  return at;
}

function ranges(changed: readonly number[], context: number, length: number): [number, number][] {
  const found: [number, number][] = [];
  for (const index of changed) {
    const start = Math.max(0, index - context);
    const end = Math.min(length, index + context + 1);
    const last = found.at(-1);
    if (last && start <= last[1]) last[1] = end;
    else found.push([start, end]);
  }
  return found;
}

function hunkText(steps: readonly Step[], start: number, end: number): string {
  const count = (until: number, other: string, from = 0) =>
    steps.slice(from, until).filter(({ sign }) => sign !== other).length;
  const side = (other: string) => {
    const lines = count(end, other, start);
    return `${count(start, other) + (lines > 0 ? 1 : 0)},${lines}`;
  };
  const body = steps
    .slice(start, end)
    .map(({ sign, line }) =>
      line.endsWith("\n") ? `${sign}${line}` : `${sign}${line}\n\\ No newline at end of file\n`,
    );
  return `@@ -${side("+")} +${side("-")} @@\n${body.join("")}`;
}
