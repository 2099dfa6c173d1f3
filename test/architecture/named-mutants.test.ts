import { join } from "node:path";
import { expect, it } from "vitest";
import { isApplicable, namedMutants } from "../../scripts/mutants/named.ts";

const ROOT = join(import.meta.dirname, "../..");

it("every named fault fits the source that it changes", () => {
  const stale = namedMutants.filter((mutant) => !isApplicable(ROOT, mutant));
  expect(namedMutants.length).toBeGreaterThan(200);
  expect(stale.map(({ file, fault }) => `${file}: ${fault}`)).toEqual([]);
});
