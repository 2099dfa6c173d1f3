import { ToolError } from "../../../../src/contract/tools/operation.ts";

/** Comparisons that one patch may cost: about a second, so that no patch can keep the server busy. */
const STEP_LIMIT = 50_000_000;

/** Spends the steps of one patch. */
export class Budget {
  #left = STEP_LIMIT;

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left >= 0) return;
    throw new ToolError(
      "executionFailed",
      "Finding where the patch applies takes too long, so nothing was changed. Read the files again and send a smaller patch.",
    );
  }
}

/** A file's lines, numbered so that equal lines have equal numbers: comparing them is then cheap. */
export class LineTable {
  readonly #ids = new Map<string, number>();
  readonly #lines: Int32Array;
  readonly #key: (line: string) => string;

  constructor(lines: readonly string[], key: (line: string) => string) {
    this.#key = key;
    this.#lines = Int32Array.from(lines, (line) => this.#number(key(line)));
  }

  #number(line: string): number {
    const known = this.#ids.get(line);
    if (known !== undefined) return known;
    this.#ids.set(line, this.#ids.size);
    return this.#ids.size - 1;
  }

  /** The place at or after `from` where the lines stand, as near to `near` as there is one. */
  find(
    wanted: readonly string[],
    { from, near }: { from: number; near: number },
    budget: Budget,
  ): number | undefined {
    const pattern = wanted.map((line) => this.#ids.get(this.#key(line)) ?? -1);
    if (pattern.includes(-1)) return undefined;
    if (near >= from && this.#standsAt(pattern, near)) return near;
    budget.spend(this.#lines.length - from + pattern.length);
    return nearest(occurrences(this.#lines, pattern, from), near);
  }

  /** All places at or after `from` where the lines stand. */
  places(wanted: readonly string[], from: number, budget: Budget): number[] {
    const pattern = wanted.map((line) => this.#ids.get(this.#key(line)) ?? -1);
    budget.spend(this.#lines.length - from + pattern.length);
    return [...occurrences(this.#lines, pattern, from)];
  }

  standsAt(wanted: readonly string[], at: number): boolean {
    const pattern = wanted.map((line) => this.#ids.get(this.#key(line)) ?? -1);
    return this.#standsAt(pattern, at);
  }

  #standsAt(pattern: readonly number[], at: number): boolean {
    return at >= 0 && pattern.every((id, index) => this.#lines[at + index] === id);
  }
}

function nearest(places: Iterable<number>, near: number): number | undefined {
  let best: number | undefined;
  for (const place of places) {
    if (best === undefined || Math.abs(place - near) < Math.abs(best - near)) best = place;
    if (place > near) break;
  }
  return best;
}

/** Knuth, Morris and Pratt: one pass over the lines, however repetitive they are. */
function* occurrences(
  lines: Int32Array,
  pattern: readonly number[],
  from: number,
): Generator<number> {
  const fallback = fallbacksOf(pattern);
  let matched = 0;
  for (let index = from; index < lines.length; index++) {
    while (matched > 0 && lines[index] !== pattern[matched]) matched = fallback[matched - 1] ?? 0;
    if (lines[index] === pattern[matched]) matched += 1;
    if (matched === pattern.length) {
      yield index - matched + 1;
      matched = fallback[matched - 1] ?? 0;
    }
  }
}

function fallbacksOf(pattern: readonly number[]): number[] {
  const fallback = [0];
  let matched = 0;
  for (let index = 1; index < pattern.length; index++) {
    while (matched > 0 && pattern[index] !== pattern[matched]) matched = fallback[matched - 1] ?? 0;
    if (pattern[index] === pattern[matched]) matched += 1;
    fallback.push(matched);
  }
  return fallback;
}
