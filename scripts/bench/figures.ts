/** `brief` repeats less often, for runs that are themselves repeated. */
export interface BenchOptions {
  readonly effort: "full" | "brief";
}

/** The middle of the measurements: what an ordinary call costs, whatever the machine's worst moment was. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  if (value === undefined) throw new Error("nothing was measured");
  return value;
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Measures rivals turn by turn, so that the machine's noise falls on all of them alike. */
export async function interleaved<Name extends string, Measure>(
  rounds: number,
  rivals: Readonly<Record<Name, () => Promise<Measure>>>,
): Promise<Record<Name, Measure[]>> {
  const names = Object.keys(rivals) as Name[];
  const measured = Object.fromEntries(names.map((name) => [name, [] as Measure[]])) as Record<
    Name,
    Measure[]
  >;
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) measured[name].push(await rivals[name]());
  }
  return measured;
}

export function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
