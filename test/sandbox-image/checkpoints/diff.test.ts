import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unifiedHunks } from "../../../sandbox-image/server/checkpoints/unified.ts";
import { caseCount } from "../../support/thorough.ts";
import { isRoot, makeLab } from "./lab.ts";

describe("a diff against now", () => {
  it("shows what changed as a unified diff", async () => {
    using lab = makeLab();
    lab.write("src/a.txt", "one\ntwo\nthree\nfour\nfive\n");
    const { checkpoint } = await lab.checkpoints.create();
    lab.write("src/a.txt", "one\ntwo\n3\nfour\nfive\n");
    expect(await lab.checkpoints.diff(checkpoint)).toEqual({
      checkpoint,
      against: "now",
      added: 0,
      removed: 0,
      changed: 1,
      changes: [{ path: "src/a.txt", change: "changed" }],
      diff: "--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1,5 +1,5 @@\n one\n two\n-three\n+3\n four\n five\n",
      truncated: false,
    });
  });

  it("names new and removed files, directories and links", async () => {
    using lab = makeLab();
    lab.write("old", "1\n");
    symlinkSync("old", lab.path("link"));
    const { checkpoint } = await lab.checkpoints.create();
    rmSync(lab.path("old"));
    unlinkSync(lab.path("link"));
    symlinkSync("new", lab.path("link"));
    chmodSync(lab.write("folder/new", "2\n"), 0o600);
    const { diff } = await lab.checkpoints.diff(checkpoint);
    expect(diff.split("\n")).toEqual([
      "new directory folder (mode 0755)",
      "new file folder/new (mode 0600)",
      "--- /dev/null",
      "+++ b/folder/new",
      "@@ -0,0 +1,1 @@",
      "+2",
      'link link: "old" → "new"',
      "removed file old",
      "--- a/old",
      "+++ /dev/null",
      "@@ -1,1 +0,0 @@",
      "-1",
      "",
    ]);
  });

  it.runIf(isRoot)("notes modes and owners", async () => {
    using lab = makeLab();
    lab.write("f", "1");
    const { checkpoint } = await lab.checkpoints.create();
    chownSync(lab.path("f"), 1000, 1001);
    chmodSync(lab.path("f"), 0o755);
    const { diff } = await lab.checkpoints.diff(checkpoint);
    expect(diff).toBe("mode of f: 0644 → 0755\nowner of f: 0:0 → 1000:1001\n");
  });

  it("notes binary and large files by their sizes only", async () => {
    using lab = makeLab();
    lab.write("binary", Buffer.from([0, 1, 2]));
    lab.write("large", "x\n".repeat(400_000));
    const { checkpoint } = await lab.checkpoints.create();
    lab.write("binary", Buffer.from([0, 1, 2, 3]));
    lab.write("large", "y\n".repeat(400_000));
    const { diff } = await lab.checkpoints.diff(checkpoint);
    expect(diff).toBe(
      "binary file binary: 3 bytes → 4 bytes\nlarge file large: 800000 bytes → 800000 bytes\n",
    );
  });

  it("keeps to the given paths", async () => {
    using lab = makeLab();
    for (const name of ["a/x", "ab", "b"]) lab.write(name, "1\n");
    const { checkpoint } = await lab.checkpoints.create();
    for (const name of ["a/x", "ab", "b"]) lab.write(name, "2\n");
    const { changes } = await lab.checkpoints.diff(checkpoint, { paths: ["a", "b"] });
    expect(changes.map(({ path }) => path)).toEqual(["a/x", "b"]);
  });

  it("is bounded and counts everything all the same", async () => {
    using lab = makeLab();
    const { checkpoint } = await lab.checkpoints.create();
    for (let i = 0; i < 30; i++) lab.write(`f${i}`, "line\n".repeat(1000));
    const { diff, added, truncated } = await lab.checkpoints.diff(checkpoint);
    expect({ added, truncated }).toEqual({ added: 30, truncated: true });
    expect(diff.length).toBeLessThan(61_000);
    expect(diff).toContain("the rest is not shown");
  });

  it("quotes a name that could pass for a line of the diff", async () => {
    using lab = makeLab();
    const { checkpoint } = await lab.checkpoints.create();
    lab.write("x\n+++ b/innocent", "1\n");
    const { diff } = await lab.checkpoints.diff(checkpoint);
    expect(diff).toContain('+++ "b/x\\n+++ b/innocent"\n');
    expect(diff.split("\n")).not.toContain("+++ b/innocent");
  });
});

it("shows what lies between two checkpoints", async () => {
  using lab = makeLab();
  lab.write("f", "1\n");
  const first = await lab.checkpoints.create();
  lab.write("f", "2\n");
  const second = await lab.checkpoints.create();
  lab.write("f", "3\n");
  const { diff } = await lab.checkpoints.diff(first.checkpoint, { against: second.checkpoint });
  expect(diff).toBe("--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-1\n+2\n");
});

describe("the hunks", () => {
  const text = fc
    .tuple(fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 30 }), fc.boolean())
    .map(([lines, ended]) => lines.join("\n") + (ended && lines.length > 0 ? "\n" : ""));

  it("turn one text into the other when patch applies them", () => {
    using lab = makeLab();
    const [file, patch] = [lab.path("file"), join(lab.top, "patch")];
    fc.assert(
      fc.property(text, text, (before, after) => {
        const hunks = unifiedHunks(before, after);
        expect(hunks === "").toBe(before === after);
        if (hunks === "") return;
        writeFileSync(file, before);
        writeFileSync(patch, `--- a/file\n+++ b/file\n${hunks}`);
        execFileSync("git", ["apply", "--unidiff-zero", "--whitespace=nowarn", patch], {
          cwd: lab.root,
        });
        expect(lab.read("file")).toBe(after);
      }),
      { numRuns: caseCount({ perChange: 40, all: 150 }) },
    );
  });

  it("give up looking for the shortest way when everything changed", () => {
    const lines = (mark: string) =>
      Array.from({ length: 5000 }, (_, i) => `${mark}${i}\n`).join("");
    const hunks = unifiedHunks(`same\n${lines("a")}`, `same\n${lines("b")}`);
    expect(hunks.startsWith("@@ -1,5001 +1,5001 @@\n same\n-a0\n")).toBe(true);
  });
});
