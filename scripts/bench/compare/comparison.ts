import { median, rounded } from "../figures.ts";

/** The tree of an earlier revision, and this one. */
export type Side = "before" | "after";

/** What one run of a benchmark printed. */
export interface BenchRun {
  readonly figures: Readonly<Record<string, number>>;
  /** Whether it was within the benchmark's own bounds. */
  readonly ok: boolean;
}

/** `times`: after divided by before. `value`: the figure itself, after. */
export interface Bound {
  readonly of: "times" | "value";
  readonly atMost?: number;
  readonly atLeast?: number;
}

interface ComparedFigure {
  readonly before: number;
  readonly after: number;
  readonly ratio: number;
  readonly bound?: string;
  readonly ok?: boolean;
}

export interface ComparedBench {
  readonly figures: Readonly<Record<string, ComparedFigure>>;
  /** Rounds within the benchmark's own bounds. */
  readonly withinOwnBounds: Readonly<Record<Side, number>>;
  readonly ok: boolean;
}

/** ABBA: a machine that becomes slower during the run slows both sides alike. */
export function sidesInOrder(rounds: number): Side[] {
  return Array.from({ length: rounds }, (_, round): Side[] =>
    round % 2 === 0 ? ["before", "after"] : ["after", "before"],
  ).flat();
}

/** Medians over the rounds. A bound on a figure that no run printed is an error, not a success. */
export function compareRuns(
  runs: Readonly<Record<Side, readonly BenchRun[]>>,
  bounds: Readonly<Record<string, Bound>> = {},
): ComparedBench {
  const names = Object.keys(runs.after[0]?.figures ?? {});
  const missing = Object.keys(bounds).find((name) => !names.includes(name));
  if (missing !== undefined) throw new Error(`The benchmark printed no figure ${missing}.`);
  const figures = Object.fromEntries(
    names.map((name) => [name, compareFigure(name, runs, bounds[name])]),
  );
  const within = (side: Side) => runs[side].filter(({ ok }) => ok).length;
  return {
    figures,
    withinOwnBounds: { before: within("before"), after: within("after") },
    ok:
      Object.values(figures).every(({ ok }) => ok !== false) &&
      within("after") * 2 > runs.after.length,
  };
}

function compareFigure(
  name: string,
  runs: Readonly<Record<Side, readonly BenchRun[]>>,
  bound: Bound | undefined,
): ComparedFigure {
  const middle = (side: Side) =>
    median(
      runs[side].map(({ figures }) => {
        const value = figures[name];
        if (value === undefined) throw new Error(`A run ${side} printed no figure ${name}.`);
        return value;
      }),
    );
  const [before, after] = [middle("before"), middle("after")];
  const ratio = after === before ? 1 : after / before;
  const compared = { before: rounded(before), after: rounded(after), ratio: rounded(ratio) };
  if (!bound) return compared;
  const measured = bound.of === "times" ? ratio : after;
  const ok = measured <= (bound.atMost ?? Infinity) && measured >= (bound.atLeast ?? -Infinity);
  return { ...compared, bound: describeBound(bound), ok };
}

function describeBound({ of, atMost, atLeast }: Bound): string {
  const limit = atMost === undefined ? `≥ ${atLeast}` : `≤ ${atMost}`;
  return of === "times" ? `${limit} ×` : limit;
}
