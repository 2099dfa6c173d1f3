import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { isRoot, type Lab, makeLab, portrait } from "./lab.ts";

describe("an unusual name", () => {
  it.each([
    ["not UTF-8", Buffer.from("caf\xe9.txt", "latin1"), '"caf\\351.txt"'],
    ["another that is not UTF-8", Buffer.from([0xff]), '"\\377"'],
    ["a newline", Buffer.from("a\n--- b"), '"a\\n--- b"'],
    ["a newline at its end", Buffer.from("a\n"), '"a\\n"'],
    ["a direction mark", Buffer.from("a\u202Eb"), '"a\\342\\200\\256b"'],
    ["a quote", Buffer.from('a"b'), '"a\\"b"'],
    ["a backslash", Buffer.from("a\\351"), '"a\\\\351"'],
    ["what looks quoted", Buffer.from('"a\\n"'), '"\\"a\\\\n\\""'],
    ["an umlaut", Buffer.from("\u00fc"), "\u00fc"],
  ])("is told apart in the diff and brought back by it: %s", async (_, name, shown) => {
    using lab = makeLab();
    const at = (bytes: Buffer) => Buffer.concat([Buffer.from(`${lab.root}/`), bytes]);
    const neighbour = Buffer.from([0xfe]);
    for (const file of [name, neighbour]) writeFileSync(at(file), "before\n");
    const { checkpoint } = await lab.checkpoints.create();
    for (const file of [name, neighbour]) writeFileSync(at(file), "after\n");
    const { changes, diff } = await lab.checkpoints.diff(checkpoint);
    expect(changes.map(({ path }) => path).sort()).toEqual(['"\\376"', shown].sort());
    expect(diff.split("\n").filter((line) => line.startsWith("--- "))).toHaveLength(2);
    const report = await lab.checkpoints.restore(checkpoint, { path: shown });
    expect(report).toMatchObject({ complete: true, restored: 1 });
    expect(readFileSync(at(name), "utf8")).toBe("before\n");
    expect(readFileSync(at(neighbour), "utf8")).toBe("after\n");
    await lab.checkpoints.restore(report.before);
    expect(readFileSync(at(name), "utf8")).toBe("after\n");
  });
});

describe("a restore", () => {
  it("reports what it restored and what it deleted", async () => {
    using lab = makeLab();
    lab.write("changed", "1");
    lab.write("gone/deep", "1");
    lab.write("same", "1");
    const kept = await lab.checkpoints.create();
    lab.write("changed", "2");
    rmSync(lab.path("gone"), { recursive: true });
    lab.write("new/file", "1");
    expect(await lab.checkpoints.restore(kept.checkpoint)).toMatchObject({
      complete: true,
      restored_paths: ["changed", "gone", "gone/deep"],
      deleted_paths: ["new", "new/file"],
      skipped: [],
    });
  });

  it("changes nothing when there is nothing to change", async () => {
    using lab = makeLab();
    lab.write("a/b", "1");
    const kept = await lab.checkpoints.create();
    const { ino } = lstatSync(lab.path("a/b"));
    const report = await lab.checkpoints.restore(kept.checkpoint);
    expect(report).toMatchObject({ complete: true, restored: 0, deleted: 0 });
    expect(lstatSync(lab.path("a/b")).ino).toBe(ino);
  });

  it("can be taken back by restoring the checkpoint it made before", async () => {
    using lab = makeLab();
    lab.write("f", "old");
    const kept = await lab.checkpoints.create();
    lab.write("f", "new");
    const { before } = await lab.checkpoints.restore(kept.checkpoint);
    await lab.checkpoints.restore(before);
    expect(lab.read("f")).toBe("new");
    const newest = lab.checkpoints.list().checkpoints[0];
    expect(newest).toMatchObject({ automatic: true, label: `before restoring ${before}` });
  });

  it("exchanges files, directories and links for one another", async () => {
    using lab = makeLab();
    lab.write("file", "1");
    lab.write("folder/inside", "1");
    symlinkSync("file", lab.path("link"));
    const kept = await lab.checkpoints.create();
    const original = portrait(lab.root);
    renameSync(lab.path("file"), lab.path("x"));
    renameSync(lab.path("folder"), lab.path("file"));
    renameSync(lab.path("link"), lab.path("folder"));
    mkdirSync(lab.path("link"));
    await lab.checkpoints.restore(kept.checkpoint);
    expect(portrait(lab.root)).toEqual(original);
  });

  it("does not write through another name of the same file", async () => {
    using lab = makeLab();
    lab.write("f", "old");
    const kept = await lab.checkpoints.create();
    const elsewhere = join(lab.top, "elsewhere");
    appendFileSync(lab.path("f"), " and new");
    linkSync(lab.path("f"), elsewhere);
    await lab.checkpoints.restore(kept.checkpoint);
    expect(lab.read("f")).toBe("old");
    expect(execFileSync("cat", [elsewhere], { encoding: "utf8" })).toBe("old and new");
  });

  it("says so when the store has lost a content", async () => {
    using lab = makeLab();
    lab.write("f", "old");
    lab.write("g", "old too");
    const kept = await lab.checkpoints.create();
    lab.write("f", "new");
    lab.write("g", "new too");
    damageBlob(lab, "old");
    const report = await lab.checkpoints.restore(kept.checkpoint);
    expect(report).toMatchObject({ complete: false, restored_paths: ["g"], skipped_total: 1 });
    expect(report.skipped[0]).toEqual({
      path: "f",
      why: "not restored: its stored content is damaged or missing",
    });
    expect(lab.read("f")).toBe("new");
  });

  it("stops when it is told to, says so, and can be finished later", async () => {
    using lab = makeLab();
    for (let i = 0; i < 400; i++) lab.write(`d${i % 9}/${i}`, "1");
    const { checkpoint } = await lab.checkpoints.create();
    for (let i = 0; i < 400; i++) lab.write(`d${i % 9}/${i}`, "2");
    const stop = new AbortController();
    const stopping = lab.open({ onStep: () => stop.abort() });
    const restore = stopping.restore(checkpoint, { signal: stop.signal });
    await expect(restore).rejects.toThrow("is not finished: restore it again to finish it");
    expect(lab.checkpoints.list().unfinished).toMatchObject({ checkpoint });
    expect(await lab.checkpoints.restore(checkpoint)).toMatchObject({ complete: true });
    expect(lab.checkpoints.list().unfinished).toBeNull();
  });

  it("goes on where something has just taken away what was to be removed", async () => {
    using lab = makeLab();
    lab.write("f", "old");
    const { checkpoint } = await lab.checkpoints.create();
    lab.write("f", "new");
    lab.write("extra", "x");
    const meanwhile = (label: string) => {
      if (label === "remove extra") rmSync(lab.path("extra"));
    };
    const report = await lab.open({ onStep: meanwhile }).restore(checkpoint);
    expect(report).toMatchObject({ complete: true });
    expect(readdirSync(lab.root)).toEqual(["f"]);
    expect(lab.read("f")).toBe("old");
  });

  it("names what something exchanges each time it is to be removed, and restores the rest", async () => {
    using lab = makeLab();
    lab.write("f", "old");
    const { checkpoint } = await lab.checkpoints.create();
    lab.write("f", "new");
    lab.write("extra/inside", "x");
    const meanwhile = (label: string) => {
      if (label === "remove extra") lab.write("extra/again", "x");
    };
    const report = await lab.open({ onStep: meanwhile }).restore(checkpoint);
    expect(report).toMatchObject({ complete: false });
    const why = "not restored: a process in the workspace kept changing it";
    expect(report.skipped).toContainEqual({ path: "extra", why });
    expect(lab.read("f")).toBe("old");
  });

  it("says which checkpoints there are when asked for another one", async () => {
    using lab = makeLab();
    const { checkpoint } = await lab.checkpoints.create();
    await expect(lab.checkpoints.restore("c99-00000000")).rejects.toThrow(checkpoint);
  });

  it.runIf(isRoot)("works with the few capabilities that the root server has", async () => {
    using lab = makeLab();
    lab.write("d/f", "1");
    const script = "chown -R 1000:4321 d; chmod 2775 d; chmod 6755 d/f; chmod 0 . ; chmod 755 .";
    execFileSync("sh", ["-c", script], { cwd: lab.root });
    const kept = await lab.checkpoints.create();
    const original = portrait(lab.root);
    rmSync(lab.path("d"), { recursive: true });
    const few = ["chown", "dac_override", "fowner", "setuid", "setgid", "setpcap", "kill"];
    const bound = ["-all", ...few.map((name) => `+${name}`)].join(",");
    const child = fileURLToPath(new URL("./child.ts", import.meta.url));
    const words = [process.execPath, child, "restore", lab.root, lab.store, kept.checkpoint];
    execFileSync("sh", ["-c", `exec setpriv --bounding-set=${bound} "$@"`, "sh", ...words]);
    expect(portrait(lab.root)).toEqual(original);
  });
});

describe("a restore of one path", () => {
  it("brings back a file and leaves the rest as it is", async () => {
    using lab = await changedLab();
    const report = await lab.checkpoints.restore(lab.kept, { path: "a/one" });
    expect(report).toMatchObject({ complete: true, path: "a/one", restored_paths: ["a/one"] });
    expect([lab.read("a/one"), lab.read("a/two"), lab.read("b")]).toEqual(["1", "2", "2"]);
  });

  it("brings back a directory and deletes what was not in it", async () => {
    using lab = await changedLab();
    const report = await lab.checkpoints.restore(lab.kept, { path: join(lab.root, "a") });
    expect(report.deleted_paths).toEqual(["a/three"]);
    expect([lab.read("a/one"), lab.read("a/two"), lab.read("b")]).toEqual(["1", "1", "2"]);
  });

  it("makes the way to it again", async () => {
    using lab = await changedLab();
    rmSync(lab.path("a"), { recursive: true });
    await lab.checkpoints.restore(lab.kept, { path: "a/one" });
    expect(readdirSync(lab.path("a"))).toEqual(["one"]);
  });

  it("deletes a path that did not exist then", async () => {
    using lab = await changedLab();
    const report = await lab.checkpoints.restore(lab.kept, { path: "a/three" });
    expect(report).toMatchObject({ deleted_paths: ["a/three"], restored: 0 });
    expect(existsSync(lab.path("a/three"))).toBe(false);
  });

  it.each(["..", "../x", "/deckhand-test/x", "a/../../x"])("refuses %s", async (path) => {
    using lab = await changedLab();
    await expect(lab.checkpoints.restore(lab.kept, { path })).rejects.toThrow("outside");
  });

  it("refuses a path that nobody knows", async () => {
    using lab = await changedLab();
    await expect(lab.checkpoints.restore(lab.kept, { path: "nope" })).rejects.toThrow("neither");
    expect(lab.checkpoints.list().unfinished).toBeNull();
  });

  it("refuses to go through what is now a link", async () => {
    using lab = await changedLab();
    rmSync(lab.path("a"), { recursive: true });
    symlinkSync(lab.top, lab.path("a"));
    const restore = lab.checkpoints.restore(lab.kept, { path: "a/one" });
    await expect(restore).rejects.toThrow("Restore a itself instead");
  });
});

async function changedLab(): Promise<Lab & { kept: string }> {
  const lab = makeLab();
  for (const name of ["a/one", "a/two", "b"]) lab.write(name, "1");
  const { checkpoint: kept } = await lab.checkpoints.create();
  for (const name of ["a/one", "a/two", "a/three", "b"]) lab.write(name, "2");
  return { ...lab, kept };
}

function damageBlob(lab: Lab, content: string): void {
  const { hash } = process.getBuiltinModule("node:crypto");
  const name = hash("sha256", content);
  writeFileSync(join(lab.store, "blobs", name.slice(0, 2), name), "bad");
}
