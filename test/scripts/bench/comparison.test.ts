import { describe, expect, it } from "vitest";
import { BOUNDS } from "../../../scripts/bench/compare/bounds.ts";
import {
  type BenchRun,
  compareRuns,
  sidesInOrder,
} from "../../../scripts/bench/compare/comparison.ts";

const runs = (name: string, values: readonly number[], ok = true): BenchRun[] =>
  values.map((value) => ({ figures: { [name]: value }, ok }));

const compareOne = (name: string, before: readonly number[], after: readonly number[]) => ({
  before: runs(name, before),
  after: runs(name, after),
});

describe("the comparison of two revisions", () => {
  it.each([
    [1, "ba"],
    [2, "baab"],
    [3, "baabba"],
    [4, "baabbaab"],
  ])("runs %i rounds in the order %s", (rounds, order) => {
    const letters = { before: "b", after: "a" };
    expect(
      sidesInOrder(rounds)
        .map((side) => letters[side])
        .join(""),
    ).toBe(order);
  });

  it("takes the median of each side, not its best or worst round", () => {
    const compared = compareRuns(compareOne("ms", [1, 100, 2], [3, 2.4, 0.1]));
    expect(compared.figures.ms).toEqual({ before: 2, after: 2.4, ratio: 1.2 });
    expect(compared.ok).toBe(true);
  });

  it.each([
    ["call", "medianMs", 1.35, true],
    ["call", "medianMs", 1.36, false],
    ["call", "p95Ms", 1.5, true],
    ["call", "p95Ms", 1.51, false],
    ["start", "warmMs", 1.1, true],
    ["start", "coldMs", 1.11, false],
    ["terminal", "megabytesPerSecond", 0.9, true],
    ["terminal", "megabytesPerSecond", 0.89, false],
    ["checkpoint", "firstMs", 1.11, false],
    ["checkpoint", "secondMs", 0.2, true],
    ["prefix", "share", 0.99, false],
  ])("%s: %s at %f times the earlier figure is ok: %s", (bench, figure, times, ok) => {
    const bound = BOUNDS[bench]?.[figure];
    if (!bound) throw new Error(`${bench} has no bound of ${figure}.`);
    const compared = compareRuns(compareOne(figure, [1], [times]), { [figure]: bound });
    expect(compared).toMatchObject({ ok, figures: { [figure]: { ok } } });
  });

  it.each([
    [45, true],
    [45.1, false],
  ])("idle: %f MB are ok whatever the earlier figure was: %s", (mb, ok) => {
    expect(compareRuns(compareOne("mb", [10], [mb]), BOUNDS.idle).ok).toBe(ok);
  });

  it("judges by the exact ratio and not by the rounded one", () => {
    const bounds = { ms: { of: "times", atMost: 1.1 } } as const;
    const compared = compareRuns(compareOne("ms", [1000], [1101]), bounds);
    expect(compared.figures.ms).toMatchObject({ ratio: 1.1, ok: false, bound: "≤ 1.1 ×" });
  });

  it("is not ok when most rounds were outside of the benchmark's own bounds", () => {
    const after = [...runs("ms", [1, 1], false), ...runs("ms", [1])];
    const compared = compareRuns({ before: runs("ms", [1, 1, 1]), after });
    expect(compared).toMatchObject({ ok: false, withinOwnBounds: { before: 3, after: 1 } });
  });

  it("fails when a bounded figure is missing on either side", () => {
    const bounds = { ms: { of: "times", atMost: 1.1 } } as const;
    expect(() => compareRuns(compareOne("other", [1], [1]), bounds)).toThrow("no figure ms");
    const before = runs("other", [1]);
    expect(() => compareRuns({ before, after: runs("ms", [1]) }, bounds)).toThrow("before");
  });
});
