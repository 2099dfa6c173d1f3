import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Lab, makeLab } from "./lab.ts";

const KB = 1024;
const MB = 1024 * KB;
const DISK_USE = 'du -sk "$0"';

/** What the store takes of its disk, as the kernel counts it. */
function diskUse(lab: Lab): number {
  return (
    Number(execFileSync("sh", ["-c", DISK_USE, lab.store], { encoding: "utf8" }).split("\t")[0]) *
    KB
  );
}

/** Directories are not counted by the store: 256 shards and a few others. */
const FOLDERS = 280 * 4 * KB;

const floods: readonly (readonly [string, (lab: Lab, turn: number) => void])[] = [
  ["one large file that changes", (lab) => lab.write("big", randomBytes(700 * KB))],
  ["a file larger than a piece", (lab) => lab.write("huge", randomBytes(1200 * KB))],
  [
    "many tiny files that change",
    (lab) => {
      for (let file = 0; file < 150; file += 1) lab.write(`tiny/${file}`, randomBytes(16));
    },
  ],
  [
    "empty files and long names, which only fill the manifests",
    (lab, turn) => {
      const folder = `${turn}${`/${"n".repeat(200)}`.repeat(4)}`;
      for (let file = 0; file < 300; file += 1)
        lab.write(`${folder}/${"n".repeat(200)}${file}`, "");
    },
  ],
];

describe("the checkpoint store", () => {
  const limit = 3 * MB;

  it.each(floods)("stays within its limit with %s", async (_, change) => {
    using lab = makeLab({ limits: { maxStoreBytes: limit } });
    let evicted = 0;
    for (let turn = 0; turn < 12; turn += 1) {
      rmSync(lab.path(String(turn - 1)), { recursive: true, force: true });
      change(lab, turn);
      evicted += (await lab.checkpoints.create()).evicted ?? 0;
      expect(diskUse(lab)).toBeLessThanOrEqual(limit + FOLDERS);
    }
    expect(evicted).toBeGreaterThan(0);
    const [newest] = lab.checkpoints.list().checkpoints;
    change(lab, 99);
    expect(await lab.checkpoints.restore(newest?.checkpoint ?? "")).toMatchObject({
      complete: true,
    });
  });

  it("grows beyond it without one (careless control)", async () => {
    using lab = makeLab();
    for (let turn = 0; turn < 12; turn += 1) {
      lab.write("big", randomBytes(700 * KB));
      await lab.checkpoints.create();
    }
    expect(diskUse(lab)).toBeGreaterThan(limit + FOLDERS);
  });

  it("evicts nothing for a checkpoint that would not fit anyway, and says why it fails", async () => {
    using lab = makeLab({ limits: { maxStoreBytes: limit } });
    lab.write("small", randomBytes(100 * KB));
    const { checkpoint } = await lab.checkpoints.create();
    lab.write("large", randomBytes(4 * MB));
    await expect(lab.checkpoints.create()).rejects.toThrow(/no room for a checkpoint.*of the 3 MB/);
    expect(diskUse(lab)).toBeLessThanOrEqual(limit + FOLDERS);
    rmSync(lab.path("large"));
    lab.write("small", "changed");
    expect(await lab.checkpoints.restore(checkpoint)).toMatchObject({ complete: true });
  });

  it("makes the last checkpoint before go when only that leaves room for the turn's own", async () => {
    using lab = makeLab({ limits: { maxStoreBytes: limit } });
    for (let turn = 0; turn < 4; turn += 1) {
      lab.write("file", randomBytes(1800 * KB));
      const { checkpoint } = await lab.checkpoints.create();
      expect(lab.checkpoints.list().checkpoints.map((one) => one.checkpoint)).toEqual([checkpoint]);
    }
  });

  it("never evicts the checkpoint that is being restored", async () => {
    using lab = makeLab({ limits: { maxStoreBytes: limit } });
    lab.write("file", "wanted");
    const { checkpoint } = await lab.checkpoints.create();
    for (let turn = 0; turn < 2; turn += 1) {
      lab.write("file", randomBytes(900 * KB));
      await lab.checkpoints.create();
    }
    lab.write("file", randomBytes(1300 * KB));
    const report = await lab.checkpoints.restore(checkpoint);
    expect(report).toMatchObject({ complete: true, evicted: expect.any(Number) });
    expect(lab.checkpoints.list().checkpoints).toHaveLength(4 - (report.evicted ?? 0));
    expect(lab.read("file")).toBe("wanted");
  });

  it("is brought within a smaller limit, the oldest checkpoints first and never the newest", async () => {
    using lab = makeLab();
    for (let turn = 0; turn < 6; turn += 1) {
      lab.write("file", randomBytes(900 * KB));
      await lab.checkpoints.create();
    }
    const before = lab.checkpoints.list().checkpoints;
    const smaller = lab.open({ limits: { maxStoreBytes: limit } });
    expect(await smaller.trim()).toEqual({ evicted: 4 });
    expect(smaller.list().checkpoints).toEqual(before.slice(0, 2));
    expect(diskUse(lab)).toBeLessThanOrEqual(limit + FOLDERS);
    expect(await smaller.trim()).toEqual({ evicted: 0 });
    expect(await lab.open({ limits: { maxStoreBytes: KB } }).trim()).toEqual({ evicted: 1 });
    expect(smaller.list().checkpoints).toEqual(before.slice(0, 1));
  });

  it("does not count content twice that it holds already", async () => {
    using lab = makeLab({ limits: { maxStoreBytes: limit } });
    const content = randomBytes(2 * MB);
    lab.write("file", content);
    const first = await lab.checkpoints.create();
    lab.write("file", content);
    expect(await lab.checkpoints.create()).not.toHaveProperty("evicted");
    expect(lab.checkpoints.list().checkpoints.map((one) => one.checkpoint)).toContain(
      first.checkpoint,
    );
  });
});
