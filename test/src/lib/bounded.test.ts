import { expect, it } from "vitest";
import { BoundedMap, BoundedSet } from "../../../src/lib/bounded.ts";

it("a bounded map drops the entry that was set longest ago", () => {
  const kept = new BoundedMap<string, number>(2);
  kept.set("a", 1).set("b", 2).set("a", 3).set("c", 4);
  expect([...kept]).toEqual([
    ["a", 3],
    ["c", 4],
  ]);
});

it("a bounded map drops a key that is undefined as well", () => {
  const kept = new BoundedMap<string | undefined, number>(1);
  kept.set(undefined, 1).set("b", 2);
  expect([...kept.keys()]).toEqual(["b"]);
});

it("a bounded set drops the value that was added longest ago", () => {
  const kept = new BoundedSet<number>(2);
  for (const value of [1, 2, 1, 3]) kept.add(value);
  expect([...kept]).toEqual([1, 3]);
});
