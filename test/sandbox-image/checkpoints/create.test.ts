import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { makeLab } from "./lab.ts";

describe("a checkpoint", () => {
  it("counts what it kept and stands first in the list", async () => {
    using lab = makeLab();
    lab.write("a/b.txt", "hello");
    lab.write(".git/HEAD", "ref: refs/heads/main\n");
    const first = await lab.checkpoints.create({ label: "before the work" });
    const second = await lab.checkpoints.create();
    expect(first).toMatchObject({
      label: "before the work",
      automatic: false,
      files: 2,
      bytes: 26,
    });
    const ids = lab
      .open()
      .list()
      .checkpoints.map(({ checkpoint }) => checkpoint);
    expect(ids).toEqual([second.checkpoint, first.checkpoint]);
  });

  it("adds next to nothing when nothing has changed", async () => {
    using lab = makeLab();
    lab.write("large.bin", Buffer.alloc(3_000_000, 7));
    expect((await lab.checkpoints.create()).added_bytes).toBeGreaterThan(3_000_000);
    expect((await lab.checkpoints.create()).added_bytes).toBe(0);
  });

  it("keeps one copy of equal files", async () => {
    using lab = makeLab();
    for (const name of ["a", "b", "c/d"]) lab.write(name, "x".repeat(100_000));
    expect((await lab.checkpoints.create()).added_bytes).toBeLessThan(110_000);
  });

  it("sees a change of the same length whose time was put back", async () => {
    using lab = makeLab();
    const path = lab.write("f", "old");
    const { atime, mtime } = statSync(path);
    await sleep(150);
    const first = await lab.checkpoints.create();
    writeFileSync(path, "new");
    utimesSync(path, atime, mtime);
    await lab.checkpoints.create();
    await lab.checkpoints.restore(first.checkpoint);
    expect(lab.read("f")).toBe("old");
  });

  it("sees a change within the same tick of the file system's clock", async () => {
    using lab = makeLab();
    for (let round = 0; round < 50; round++) {
      lab.write("f", `a${round % 10}`);
      const kept = await lab.checkpoints.create();
      lab.write("f", `b${round % 10}`);
      const { diff } = await lab.checkpoints.diff(kept.checkpoint);
      expect(diff).toContain(`+b${round % 10}`);
    }
  });

  it("names a file that is too large and leaves it alone at a restore", async () => {
    using lab = makeLab({ limits: { maxFileBytes: 1000 } });
    lab.write("small", "1");
    lab.write("large", "x".repeat(2000));
    const kept = await lab.checkpoints.create();
    expect(kept).toMatchObject({ not_covered: 1 });
    lab.write("small", "2");
    lab.write("large", "y".repeat(3000));
    lab.write("new-large", "z".repeat(3000));
    const report = await lab.checkpoints.restore(kept.checkpoint);
    expect(lab.read("small")).toBe("1");
    expect(lab.read("large")).toBe("y".repeat(3000));
    expect(lab.read("new-large")).toBe("z".repeat(3000));
    expect(report.complete).toBe(false);
    expect(report.skipped.map(({ path }) => path).sort()).toEqual(["large", "new-large"]);
  });

  it("neither keeps nor touches what the settings exclude", async () => {
    using lab = makeLab({ limits: { exclude: ["cache"] } });
    lab.write("cache/x", "1");
    lab.write("f", "1");
    const kept = await lab.checkpoints.create();
    expect(kept.files).toBe(1);
    lab.write("cache/x", "2");
    lab.write("f", "2");
    await lab.checkpoints.restore(kept.checkpoint);
    expect([lab.read("cache/x"), lab.read("f")]).toEqual(["2", "1"]);
  });

  it("says what to do when there are too many files", async () => {
    using lab = makeLab({ limits: { maxEntries: 3 } });
    for (const name of ["a", "b", "c"]) lab.write(name, name);
    await expect(lab.checkpoints.create()).rejects.toThrow("Delete files");
    expect(lab.checkpoints.list().checkpoints).toEqual([]);
  });

  it("does not look deeper than the limit", async () => {
    using lab = makeLab({ limits: { maxDepth: 3 } });
    lab.write("1/2/3/4/5", "deep");
    const kept = await lab.checkpoints.create();
    expect(kept).toMatchObject({ files: 0, not_covered: 1 });
    lab.write("1/2/3/4/6", "new");
    await lab.checkpoints.restore(kept.checkpoint);
    expect([lab.read("1/2/3/4/5"), lab.read("1/2/3/4/6")]).toEqual(["deep", "new"]);
  });

  it("passes by a fifo without waiting for a writer", async () => {
    using lab = makeLab();
    execFileSync("sh", ["-c", "mkfifo pipe"], { cwd: lab.root });
    lab.write("f", "1");
    const kept = await lab.checkpoints.create();
    lab.write("f", "2");
    const report = await lab.checkpoints.restore(kept.checkpoint);
    expect(report).toMatchObject({ complete: true, restored_paths: ["f"] });
    expect(statSync(lab.path("pipe")).isFIFO()).toBe(true);
  });

  it("never follows a link", async () => {
    using lab = makeLab();
    symlinkSync("/etc", lab.path("etc"));
    symlinkSync("/etc/passwd", lab.path("passwd"));
    expect(await lab.checkpoints.create()).toMatchObject({ files: 0, bytes: 0 });
    expect(readdirSync(`${lab.store}/blobs`)).toEqual([]);
  });

  it("keeps the store to root", async () => {
    using lab = makeLab();
    chmodSync(lab.write("f", "1"), 0o666);
    await lab.checkpoints.create();
    const shard = readdirSync(`${lab.store}/blobs`)[0] ?? "";
    const blob = readdirSync(`${lab.store}/blobs/${shard}`)[0] ?? "";
    const modes = ["", "/blobs", `/blobs/${shard}`, `/blobs/${shard}/${blob}`].map(
      (path) => statSync(lab.store + path).mode & 0o077,
    );
    expect(modes).toEqual([0, 0, 0, 0]);
  });

  it("lets several at once take turns", async () => {
    using lab = makeLab();
    lab.write("f", "1");
    const all = await Promise.all([1, 2, 3, 4].map(() => lab.open().create()));
    expect(new Set(all.map(({ checkpoint }) => checkpoint.split("-")[0])).size).toBe(4);
  });

  it("stops when it is told to", async () => {
    using lab = makeLab();
    for (let i = 0; i < 3000; i++) lab.write(`d${i % 10}/${i}`, `content ${i}`);
    const stopped = lab.checkpoints.create({ signal: AbortSignal.timeout(1) });
    await expect(stopped).rejects.toThrow("Stopped");
    expect(lab.checkpoints.list().checkpoints).toEqual([]);
    expect(await lab.checkpoints.create()).toMatchObject({ files: 3000 });
  });
});
