/** Beyond this many changed lines the shortest way is not looked for: the whole middle counts as replaced. */
const MAX_EDITS = 2000;
const CONTEXT = 3;

interface Step {
  readonly sign: " " | "-" | "+";
  readonly line: string;
}

/** The hunks of a unified diff; "" when the texts are equal. */
export function unifiedHunks(before: string, after: string): string {
  const steps = stepsBetween(linesOf(before), linesOf(after));
  let text = "";
  let done = 0;
  const passed = { before: 0, after: 0 };
  for (const [start, end] of hunksOf(steps)) {
    // Between hunks nothing differs, so both sides go on by the same number of lines.
    passed.before += start - done;
    passed.after += start - done;
    text += hunkText(steps.slice(start, end), passed);
    done = end;
  }
  return text;
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.split(/(?<=\n)/);
}

function stepsBetween(a: readonly string[], b: readonly string[]): Step[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  const longest = Math.min(a.length, b.length) - head;
  while (tail < longest && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const middle = shortest(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  return [...kept(a.slice(0, head)), ...middle, ...kept(a.slice(a.length - tail))];
}

function kept(lines: readonly string[]): Step[] {
  return lines.map((line) => ({ sign: " ", line }));
}

/** Myers: how far each diagonal gets with one more edit, until one reaches the end; then the way back. */
function shortest(a: readonly string[], b: readonly string[]): Step[] {
  const reached: Int32Array[] = [];
  let last = new Int32Array(3);
  for (let edits = 0; edits <= Math.min(MAX_EDITS, a.length + b.length); edits++) {
    const next = advance(a, b, last, edits);
    reached.push(last);
    if (endsAt(next, a.length - b.length, edits) >= a.length) return wayBack(a, b, reached, edits);
    last = next;
  }
  return [
    ...a.map((line): Step => ({ sign: "-", line })),
    ...b.map((line): Step => ({ sign: "+", line })),
  ];
}

/** Row `edits` holds diagonals -edits-1 … edits+1, so that its neighbours can be asked for without a check. */
function at(row: Int32Array, diagonal: number, edits: number): number {
  return row[diagonal + edits + 1] ?? 0;
}

function endsAt(row: Int32Array, diagonal: number, edits: number): number {
  return Math.abs(diagonal) <= edits ? at(row, diagonal, edits) : -1;
}

function goesDown(row: Int32Array, diagonal: number, edits: number): boolean {
  if (diagonal === -edits) return true;
  return diagonal !== edits && at(row, diagonal - 1, edits - 1) < at(row, diagonal + 1, edits - 1);
}

function advance(
  a: readonly string[],
  b: readonly string[],
  last: Int32Array,
  edits: number,
): Int32Array<ArrayBuffer> {
  const next = new Int32Array(2 * edits + 3);
  for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
    let x = startOf(last, diagonal, edits);
    while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++;
    next[diagonal + edits + 1] = x;
  }
  return next;
}

function startOf(last: Int32Array, diagonal: number, edits: number): number {
  if (edits === 0) return 0;
  if (goesDown(last, diagonal, edits)) return at(last, diagonal + 1, edits - 1);
  return at(last, diagonal - 1, edits - 1) + 1;
}

function wayBack(
  a: readonly string[],
  b: readonly string[],
  reached: readonly Int32Array[],
  total: number,
): Step[] {
  const steps: Step[] = [];
  let x = a.length;
  let y = b.length;
  for (let edits = total; edits >= 0; edits--) {
    const row = reached[edits] ?? new Int32Array(3);
    const down = goesDown(row, x - y, edits);
    const start = startOf(row, x - y, edits);
    for (; x > start; y--) steps.push({ sign: " ", line: a[--x] ?? "" });
    if (edits === 0) break;
    steps.push(down ? { sign: "+", line: b[--y] ?? "" } : { sign: "-", line: a[--x] ?? "" });
  }
  return steps.reverse();
}

/** Changed stretches with their context, as ranges of steps. */
function hunksOf(steps: readonly Step[]): [number, number][] {
  const hunks: [number, number][] = [];
  for (const [index, { sign }] of steps.entries()) {
    if (sign === " ") continue;
    const start = Math.max(0, index - CONTEXT);
    const end = Math.min(steps.length, index + CONTEXT + 1);
    const last = hunks.at(-1);
    if (last && start <= last[1]) last[1] = end;
    else hunks.push([start, end]);
  }
  return hunks;
}

/** Counts the hunk's lines to what was passed. */
function hunkText(body: readonly Step[], passed: { before: number; after: number }): string {
  const lines = body.map(({ sign, line }) =>
    line.endsWith("\n") ? sign + line : `${sign}${line}\n\\ No newline at end of file\n`,
  );
  const before = body.filter(({ sign }) => sign !== "+").length;
  const after = body.filter(({ sign }) => sign !== "-").length;
  const head = `@@ -${range(passed.before, before)} +${range(passed.after, after)} @@\n`;
  passed.before += before;
  passed.after += after;
  return head + lines.join("");
}

function range(passed: number, length: number): string {
  return `${passed + (length > 0 ? 1 : 0)},${length}`;
}
