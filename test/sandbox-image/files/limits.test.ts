import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { makeWorkspace, type TestWorkspace } from "./workspace.ts";

const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;

/** The same call by a user who owns the workspace and nothing else. */
function callAsNobody(
  workspace: TestWorkspace,
  operation: string,
  params: object,
): { success: boolean; message?: string } {
  chownSync(workspace.dir, NOBODY, NOBODY);
  chmodSync(dirname(workspace.dir), 0o755);
  const script = fileURLToPath(new URL("./unprivileged-call.ts", import.meta.url));
  const output = execFileSync(
    process.execPath,
    [script, workspace.dir, JSON.stringify({ operation, ...params })],
    {
      uid: NOBODY,
      gid: NOBODY,
      env: { PATH: process.env.PATH },
      encoding: "utf8",
    },
  );
  return JSON.parse(output);
}

describe.skipIf(!isRoot)("what the workspace's user may not do", () => {
  it("1.29 says that a file is not readable or not writable, and leaves it", () => {
    using workspace = makeWorkspace();
    workspace.write("secret", "text\n");
    chmodSync(workspace.path("secret"), 0o600);
    workspace.write("fixed", "text\n");
    chmodSync(workspace.path("fixed"), 0o644);
    workspace.write("locked/f", "text\n");
    chmodSync(workspace.path("locked"), 0o755);
    const call = (operation: string, params: object) => callAsNobody(workspace, operation, params);
    expect(call("read_file", { filePath: "secret" })).toMatchObject({
      success: false,
      message: expect.stringContaining("not readable"),
    });
    const edit = { oldString: "text", newString: "x" };
    expect(call("replace_string", { filePath: "fixed", ...edit })).toMatchObject({
      success: false,
      message: expect.stringContaining("not writable"),
    });
    for (const [operation, params] of [
      ["create_file", { filePath: "locked/new", content: "" }],
      ["delete_file", { filePath: "locked/f" }],
      ["rename_file", { oldPath: "locked/f", newPath: "x" }],
      ["rename_file", { oldPath: "fixed", newPath: "locked/x" }],
    ] as const) {
      expect(call(operation, params)).toMatchObject({
        success: false,
        message: expect.stringContaining("not writable"),
      });
    }
    expect(readdirSync(workspace.dir).sort()).toEqual(["fixed", "locked", "secret"]);
    expect(readdirSync(workspace.path("locked"))).toEqual(["f"]);
    expect(workspace.read("fixed")).toBe("text\n");
  });

  it("lets root edit another's file and leaves it theirs", async () => {
    using workspace = makeWorkspace();
    workspace.write("f", "text\n");
    chownSync(workspace.path("f"), NOBODY, NOBODY);
    await workspace.call("replace_string", { filePath: "f", oldString: "text", newString: "x" });
    expect(
      execFileSync("stat", ["-c", "%u:%g", workspace.path("f")], { encoding: "utf8" }).trim(),
    ).toBe("65534:65534");
  });
});

/** A file system of one megabyte, where the machine lets us have one. */
function tinyDisk(): string | undefined {
  const dir = mkdtempSync(join(tmpdir(), "tiny-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "none", dir], { stdio: "ignore" });
    return dir;
  } catch {
    rmSync(dir, { recursive: true });
    return undefined;
  }
}

describe("a full disk", () => {
  it("fails every write with a sentence and leaves everything as it was", async (test) => {
    const disk = tinyDisk();
    if (!disk) return test.skip("this machine lets nobody mount");
    try {
      using workspace = makeWorkspace();
      writeFileSync(join(disk, "f"), "text\n");
      const big = "y".repeat(2 * 1024 * 1024);
      const f = join(disk, "f");
      const calls: [string, object][] = [
        ["create_file", { filePath: join(disk, "a/b/new"), content: big }],
        ["create_file", { filePath: f, content: big, overwrite: true }],
        ["replace_string", { filePath: f, oldString: "text", newString: big }],
        ["insert_edit", { filePath: f, lineNumber: 1, newText: big, insertOperation: "insert" }],
        [
          "multi_replace_string",
          { filePath: f, replacements: [{ oldString: "text", newString: big }] },
        ],
        [
          "apply_patch",
          {
            patchContent: `--- a/f\n+++ b/f\n@@ -1 +1 @@\n-text\n+other\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+${big}\n`,
            target_directory: disk,
          },
        ],
        ["rename_file", { oldPath: workspace.write("big", big), newPath: join(disk, "x/big") }],
      ];
      for (const [operation, params] of calls) {
        const result = await workspace.call(operation, params);
        expect(result.success, operation).toBe(false);
        expect(result.message, operation).toContain("disk is full");
        expect(readdirSync(disk), operation).toEqual(["f"]);
      }
      expect(readFileSync(f, "utf8")).toBe("text\n");
      expect(workspace.read("big")).toBe(big);
    } finally {
      execFileSync("umount", [disk]);
      rmSync(disk, { recursive: true });
    }
  });
});

/** Puts a link to the outside in the place of a directory, or the directory back. */
function swap(workspace: TestWorkspace, outside: string): void {
  const real = workspace.path("real");
  const aside = workspace.path("aside");
  try {
    if (lstatSync(real).isSymbolicLink()) {
      unlinkSync(real);
      renameSync(aside, real);
    } else {
      renameSync(real, aside);
      symlinkSync(outside, real);
    }
  } catch {
    // The server made the directory anew between the two steps: begin again.
    rmSync(real, { recursive: true, force: true });
    mkdirSync(aside, { recursive: true });
    symlinkSync(outside, real);
  }
}

describe("P-S7 the fence under attack", () => {
  it("never writes through a link that takes a directory's place meanwhile", async () => {
    using workspace = makeWorkspace();
    const outside = mkdtempSync(join(tmpdir(), "outside-"));
    try {
      mkdirSync(workspace.path("real"));
      let stop = false;
      const attacker = (async () => {
        while (!stop) {
          swap(workspace, outside);
          await new Promise(setImmediate);
        }
      })();
      const resolvedOutside: string[] = [];
      for (let n = 0; n < 500; n++) {
        const { filePath } = await workspace.call("create_file", {
          filePath: `real/f${n}`,
          content: "x",
        });
        if (String(filePath).startsWith("/")) resolvedOutside.push(`f${n}`);
      }
      stop = true;
      await attacker;
      // The guard asks about what a path resolves to. Nothing may be outside that was not resolved to be there.
      expect(readdirSync(outside).sort()).toEqual(resolvedOutside.sort());
    } finally {
      rmSync(outside, { recursive: true });
    }
  });
});
