import fc from "fast-check";
import { expect, it } from "vitest";
import { caseCount } from "../../support/thorough.ts";
import { makeLab, portrait } from "./lab.ts";
import { applyChanges, changes } from "./trees.ts";

const GENERATED = caseCount({ perChange: 60, all: 500 });

it("brings any tree back byte for byte, and takes the restore back the same way", async () => {
  await fc.assert(
    fc.asyncProperty(changes, changes, async (making, mutating) => {
      using lab = makeLab();
      applyChanges(lab.root, making);
      const original = portrait(lab.root);
      const kept = await lab.checkpoints.create();
      applyChanges(lab.root, mutating);
      const mutated = portrait(lab.root);

      const report = await lab.checkpoints.restore(kept.checkpoint);
      expect(report).toMatchObject({ complete: true, skipped: [] });
      expect(portrait(lab.root)).toEqual(original);

      await lab.checkpoints.restore(report.before);
      expect(portrait(lab.root)).toEqual(mutated);
    }),
    { numRuns: GENERATED },
  );
});
