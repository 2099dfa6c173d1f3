import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Lab, makeLab } from "./lab.ts";

const PLENTY = { maxBytes: 1e9, maxCount: 1000 };
const KB = 1024;

it("lets the oldest go first and keeps what the others need", async () => {
  using lab = makeLab();
  lab.write("shared", "s".repeat(50 * KB));
  const ids = await versions(lab, 5);
  const { removed } = await lab.checkpoints.collect({ ...PLENTY, maxCount: 2 });
  expect(removed.sort()).toEqual(ids.slice(0, 3));
  expect(await lab.checkpoints.restore(ids[3] ?? "")).toMatchObject({ complete: true });
  expect(lab.read("f")).toBe("3".repeat(100 * KB));
  await expect(lab.checkpoints.restore(ids[0] ?? "")).rejects.toThrow("no checkpoint");
});

it("keeps to the budget of bytes", async () => {
  using lab = makeLab();
  const ids = await versions(lab, 5);
  const { removed, bytes, freedBytes } = await lab.checkpoints.collect({
    ...PLENTY,
    maxBytes: 250 * KB,
  });
  expect(removed.sort()).toEqual(ids.slice(0, 3));
  expect(bytes).toBeLessThanOrEqual(250 * KB);
  expect(freedBytes).toBeGreaterThan(300 * KB);
  expect(blobsOf(lab)).toHaveLength(2);
});

it("never lets the newest go", async () => {
  using lab = makeLab();
  const ids = await versions(lab, 2);
  await lab.checkpoints.collect({ maxBytes: 0, maxCount: 0 });
  expect(lab.checkpoints.list().checkpoints.map(({ checkpoint }) => checkpoint)).toEqual([ids[1]]);
  lab.write("f", "x");
  expect(await lab.checkpoints.restore(ids[1] ?? "")).toMatchObject({ complete: true });
});

it("sweeps what a cut-off collection left", async () => {
  using lab = makeLab();
  const ids = await versions(lab, 3);
  rmSync(join(lab.store, "checkpoints", `${ids[0]}.json`));
  expect(blobsOf(lab)).toHaveLength(3);
  await lab.checkpoints.collect(PLENTY);
  expect(blobsOf(lab)).toHaveLength(2);
});

it("collects by itself when a checkpoint exceeds the limits", async () => {
  using lab = makeLab({ limits: { maxStoreBytes: 450 * KB, maxCheckpoints: 100 } });
  const ids = await versions(lab, 12);
  const kept = lab.checkpoints.list().checkpoints.map(({ checkpoint }) => checkpoint);
  expect(kept[0]).toBe(ids.at(-1));
  expect(kept.length).toBeLessThan(5);
  expect(blobsOf(lab)).toHaveLength(kept.length);

  using other = makeLab({ limits: { maxCheckpoints: 4 } });
  await versions(other, 11);
  expect(other.checkpoints.list().checkpoints.length).toBeLessThanOrEqual(4);
});

it("keeps what an unfinished restore needs", async () => {
  using lab = makeLab();
  const ids = await versions(lab, 3);
  const stopping = lab.open({
    onStep: () => {
      throw new Error("cut off");
    },
  });
  await expect(stopping.restore(ids[0] ?? "")).rejects.toThrow("cut off");
  lab.write("g", "later");
  const newest = await lab.checkpoints.create();
  await lab.checkpoints.collect({ maxBytes: 0, maxCount: 0 });
  const { checkpoints, unfinished } = lab.checkpoints.list();
  const kept = checkpoints.map(({ checkpoint }) => checkpoint);
  expect(kept).toEqual([newest.checkpoint, unfinished?.before, ids[0]]);
  expect(await lab.checkpoints.restore(ids[0] ?? "")).toMatchObject({ complete: true });
});

async function versions(lab: Lab, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let version = 0; version < count; version++) {
    lab.write("f", String(version % 10).repeat(100 * KB + Math.floor(version / 10)));
    ids.push((await lab.checkpoints.create()).checkpoint);
  }
  return ids;
}

function blobsOf(lab: Lab): string[] {
  const blobs = join(lab.store, "blobs");
  return readdirSync(blobs).flatMap((shard) => readdirSync(join(blobs, shard)));
}
