import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { caseCount } from "../../support/thorough.ts";
import { type Lab, makeLab, portrait } from "./lab.ts";
import { applyChanges, type Change, changes } from "./trees.ts";

const CHILD = fileURLToPath(new URL("./child.ts", import.meta.url));
const KILLS = 36;
/** With every change early steps, late ones and some between. */
const STRIDE = caseCount({ perChange: 5, all: 1 });

describe("a restore that is killed", () => {
  it("is completed by running it again, wherever it was killed", async () => {
    for (let kill = 0; kill < KILLS; kill += STRIDE) {
      using lab = makeLab();
      applyChanges(lab.root, generated(kill));
      const original = portrait(lab.root);
      const { checkpoint } = await lab.checkpoints.create();
      applyChanges(lab.root, generated(1000 + kill));
      lab.write("always", "changed");
      const mutated = portrait(lab.root);

      expect(runChild(lab, checkpoint, 1 + kill).signal).toBe("SIGKILL");
      const { unfinished } = lab.checkpoints.list();
      expect(unfinished).toMatchObject({ checkpoint, path: null });

      const report = await lab.checkpoints.restore(checkpoint);
      expect(report).toMatchObject({ complete: true, before: unfinished?.before });
      expect(portrait(lab.root)).toEqual(original);
      expect(lab.checkpoints.list().unfinished).toBeNull();

      await lab.checkpoints.restore(report.before);
      expect(portrait(lab.root)).toEqual(mutated);
    }
  });

  it("leaves nothing behind when another checkpoint is restored instead", async () => {
    using lab = makeLab();
    for (let i = 0; i < 20; i++) lab.write(`f${i}`, "1");
    const { checkpoint } = await lab.checkpoints.create();
    for (let i = 0; i < 20; i++) lab.write(`f${i}`, "2");
    const mutated = portrait(lab.root);
    runChild(lab, checkpoint, 10);
    expect(readdirSync(lab.root).filter(isStaging)).toHaveLength(1);
    const before = lab.checkpoints.list().unfinished?.before ?? "";

    await expect(lab.checkpoints.restore(checkpoint, { path: "f1" })).rejects.toThrow(
      "was interrupted",
    );
    expect((await lab.checkpoints.create()).files).toBe(20);
    await lab.checkpoints.restore(before);
    expect(portrait(lab.root)).toEqual(mutated);
  });
});

describe("a checkpoint that is killed", () => {
  it("leaves a store that works", async () => {
    using lab = makeLab();
    for (let i = 0; i < 400; i++) lab.write(`d${i % 7}/${i}`, `content ${i}`);
    for (let kill = 0; kill < 8; kill++) {
      const child = spawn(process.execPath, [CHILD, "create", lab.root, lab.store]);
      await Promise.race([once(child, "exit"), sleep(60 + 25 * kill)]);
      child.kill("SIGKILL");
    }
    const { checkpoint } = await lab.checkpoints.create();
    const original = portrait(lab.root);
    for (let i = 0; i < 400; i++) lab.write(`d${i % 7}/${i}`, "changed");
    expect(await lab.checkpoints.restore(checkpoint)).toMatchObject({
      complete: true,
      restored: 400,
    });
    expect(portrait(lab.root)).toEqual(original);
    expect(readdirSync(join(lab.store, "aside"))).toEqual([]);
  });
});

function runChild(lab: Lab, id: string, step: number) {
  const words = [CHILD, "restore", lab.root, lab.store, id, String(step)];
  return spawnSync(process.execPath, words, { encoding: "utf8" });
}

/** Many changes at once, so that a restore has enough steps to be killed at. */
function generated(seed: number): Change[] {
  const lists = fc.sample(changes, { seed, numRuns: 10 }).flat();
  const files = Array.from({ length: 20 }, (_, index) => ({
    do: "file" as const,
    path: `many/${index % 3}/${index}`,
    content: Buffer.from(`${seed} ${index}`),
  }));
  return [...lists, ...files];
}

function isStaging(name: string): boolean {
  return name.startsWith(".deckhand-restore-");
}
