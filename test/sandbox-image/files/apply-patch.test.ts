import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeWorkspace, type TestWorkspace } from "./workspace.ts";

let workspace: TestWorkspace;
beforeEach(() => {
  workspace = makeWorkspace();
});
afterEach(() => workspace[Symbol.dispose]());

const patch = (patchContent: string, extra = {}) =>
  workspace.call("apply_patch", { patchContent, ...extra });
const numbers = (count: number) =>
  Array.from({ length: count }, (_, index) => `${index + 1}\n`).join("");

describe("2.17 apply_patch", () => {
  it("applies two hunks of which the first adds three lines", async () => {
    workspace.write("f", numbers(30));
    const diff =
      "--- a/f\t2020-01-01 00:00:00\n+++ b/f\n@@ -1,3 +1,6 @@\n 1\n+x\n+y\n+z\n 2\n 3\n@@ -20,3 +23,3 @@\n 20\n-21\n+XXI\n 22\n";
    expect(await patch(diff)).toEqual({
      success: true,
      files_modified: 1,
      files: [{ path: "f", hunks_applied: 2, lines_changed: 5 }],
      dry_run: false,
    });
    expect(workspace.read("f")).toBe(
      numbers(30).replace("1\n2\n", "1\nx\ny\nz\n2\n").replace("\n21\n", "\nXXI\n"),
    );
  });

  it("finds hunks that stand elsewhere than they say, and passes over two lines of changed context", async () => {
    workspace.write("f", `new 1\nnew 2\n${numbers(30)}`);
    const diff =
      "--- a/f\n+++ b/f\n@@ -10,5 +10,5 @@\n other\n 11\n-12\n+XII\n 13\n 14\n@@ -20,2 +20,2 @@\n 20\n-21\n+XXI\n";
    expect(await patch(diff)).toMatchObject({ success: true });
    expect(workspace.read("f")).toContain("\n11\nXII\n13\n");
    expect(workspace.read("f")).toContain("\n20\nXXI\n22\n");
  });

  it("changes nothing anywhere when one context is wrong", async () => {
    workspace.write("a", numbers(5));
    workspace.write("b", numbers(5));
    const diff =
      "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+I\n--- a/b\n+++ b/b\n@@ -1,2 +1,2 @@\n-one\n+I\n 2\n--- /dev/null\n+++ b/new/c\n@@ -0,0 +1 @@\n+c\n";
    const result = await patch(diff);
    expect(result.success).toBe(false);
    expect(result.message).toContain("Hunk 1 for b");
    expect(workspace.read("a")).toBe(numbers(5));
    expect(readdirSync(workspace.dir).sort()).toEqual(["a", "b"]);
  });

  it("takes back what was done when the last of several files cannot be put in place", async () => {
    workspace.write("a", "1\n");
    workspace.write("gone", "1\n");
    workspace.write("sub/b", "1\n");
    symlinkSync("nowhere", workspace.path("sub/.x"));
    // The new file's directory is a file by the time it is needed: the patch makes it itself.
    const diff =
      "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n--- /dev/null\n+++ b/n/c\n@@ -0,0 +1 @@\n+c\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+c\n";
    const result = await patch(diff);
    expect(result.success).toBe(false);
    expect([workspace.read("a"), workspace.read("gone"), workspace.read("sub/b")]).toEqual([
      "1\n",
      "1\n",
      "1\n",
    ]);
    expect(readdirSync(workspace.dir).sort()).toEqual(["a", "gone", "sub"]);
  });

  it("makes, deletes, renames and copies files and sets their modes, as git writes it", async () => {
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@x", ...args], {
        cwd: workspace.dir,
        encoding: "utf8",
      });
    git("init", "-q");
    workspace.write("keep me.txt", numbers(20));
    workspace.write("gone", "bye\n");
    workspace.write("empty-gone", "");
    workspace.write("tool.sh", "#!/bin/sh\n");
    workspace.write('übel "q"\ttab', numbers(9));
    workspace.write("no-newline", "a\nb");
    git("add", "-A");
    git("commit", "-qm", "one");
    git("mv", "keep me.txt", "moved me.txt");
    writeFileSync(workspace.path("moved me.txt"), numbers(20).replace("7\n", "VII\n"));
    git("rm", "-q", "gone", "empty-gone");
    chmodSync(workspace.path("tool.sh"), 0o755);
    workspace.write("new dir/new.sh", "echo\n");
    chmodSync(workspace.path("new dir/new.sh"), 0o755);
    workspace.write("empty", "");
    workspace.write('übel "q"\ttab', numbers(9).replace("5\n", "V\n"));
    workspace.write("no-newline", "a\nb\nc\n");
    git("add", "-A");
    const diff = git("diff", "--cached", "-M", "--no-rename-empty");
    const tree = git("write-tree");
    git("reset", "-q", "--hard");
    expect(await patch(diff)).toMatchObject({ success: true, files_modified: 8 });
    git("add", "-A");
    expect(git("write-tree")).toBe(tree);
    expect(statSync(workspace.path("tool.sh")).mode & 0o111).not.toBe(0);
  });

  it("takes the Begin Patch form with anchors, moves, additions and deletions", async () => {
    workspace.write(
      "a.py",
      "class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 1\n",
    );
    workspace.write("old", "x\ny\n");
    workspace.write("gone", "x");
    const diff = `*** Begin Patch
*** Update File: a.py
@@ class B:
@@     def f(self):
-        return 1
+        return 2
*** Update File: old
*** Move to: d/new
 x
-y
+z
*** End of File
*** Add File: added
+one
+
+two

*** Delete File: gone
*** End Patch`;
    expect(await patch(diff)).toMatchObject({ success: true, files_modified: 4 });
    expect(workspace.read("a.py")).toMatch(
      /return 1\n\nclass B:\n {4}def f\(self\):\n {8}return 2\n$/,
    );
    expect(workspace.read("d/new")).toBe("x\nz\n");
    expect(workspace.read("added")).toBe("one\n\ntwo\n");
    expect(readdirSync(workspace.dir).sort()).toEqual(["a.py", "added", "d"]);
  });

  it("keeps CRLF and the missing newline at the end", async () => {
    workspace.write("f", "a\r\nb\r\nc");
    expect(await patch("--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n a\n-b\n+x\n+y\n")).toMatchObject({
      success: true,
    });
    expect(workspace.read("f")).toBe("a\r\nx\r\ny\r\nc");
  });

  it("bears wrong counts, missing line numbers and lost white space, which models write", async () => {
    workspace.write("f", "a  \n\nb\nc\n");
    expect(await patch("--- a/f\n+++ b/f\n@@ -1,9 +1,2 @@\n a\n\n-b\n+x\n c\n")).toMatchObject({
      success: true,
    });
    expect(workspace.read("f")).toBe("a  \n\nx\nc\n");
    expect(await patch("--- f\n+++ f\n@@ @@\n-x\n+y\n")).toMatchObject({ success: true });
    expect(await patch("@@ -3 +3 @@\n-y\n+z\n", { filePath: "f" })).toMatchObject({
      success: true,
    });
    expect(workspace.read("f")).toBe("a  \n\nz\nc\n");
  });

  it("changes nothing on a dry run but reports the same", async () => {
    workspace.write("f", numbers(3));
    const diff = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-1\n+I\n";
    const dry = await patch(diff, { dry_run: true });
    expect(workspace.read("f")).toBe(numbers(3));
    expect(await patch(diff)).toEqual({ ...dry, dry_run: false });
    expect((await patch(diff, { dry_run: true })).success).toBe(false);
  });

  it("takes filePath for the header of a single file, and target_directory as the start", async () => {
    workspace.write("d/f", "1\n");
    const diff = "--- a/wrong\n+++ b/wrong\n@@ -1 +1 @@\n-1\n+2\n";
    expect(await patch(diff, { filePath: "d/f" })).toMatchObject({ files: [{ path: "d/f" }] });
    expect(
      await patch("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-2\n+3\n", { target_directory: "d" }),
    ).toMatchObject({ success: true });
    expect(workspace.read("d/f")).toBe("3\n");
    expect(await patch(`${diff}${diff}`, { filePath: "d/f" })).toMatchObject({
      success: false,
      kind: "invalidParameters",
    });
  });

  it.each([
    ["no patch at all", "hello", "no valid header"],
    [
      "binary",
      "diff --git a/x b/x\nnew file mode 100644\nGIT binary patch\nliteral 3\nabc\n",
      "binary",
    ],
    ["binary files", "diff --git a/x b/x\nBinary files a/x and b/x differ\n", "binary"],
    [
      "a symbolic link",
      "diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+/etc/passwd\n",
      "symbolic links",
    ],
    ["an absent file", "--- a/none\n+++ b/none\n@@ -1 +1 @@\n-1\n+2\n", "does not exist"],
    ["a new file that exists", "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+1\n", "already exists"],
    [
      "a deletion of other text",
      "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n",
      "more content than the patch deletes",
    ],
    ["a directory", "--- a/dir\n+++ b/dir\n@@ -1 +1 @@\n-1\n+2\n", "directory"],
    ["a Begin Patch without a verb", "*** Begin Patch\nhello\n*** End Patch", "expected"],
    ["too many files", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-1\n+1\n".repeat(301), "in parts"],
    ["an empty hunk", "--- a/f\n+++ b/f\n@@ -1,0 +1,0 @@\n", "no lines"],
  ])("refuses %s and says why", async (_what, diff, reason) => {
    workspace.write("f", numbers(3));
    mkdirSync(workspace.path("dir"));
    const result = await patch(diff);
    expect(result.success).toBe(false);
    expect(result.message).toContain(reason);
    expect(workspace.read("f")).toBe(numbers(3));
    expect(readdirSync(workspace.dir).sort()).toEqual(["dir", "f"]);
  });

  it("does not follow a link when it deletes or renames", async () => {
    workspace.write("f", "1\n");
    symlinkSync("f", workspace.path("link"));
    const diff = "--- a/link\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n";
    expect((await patch(diff)).message).toContain("symbolic link");
    expect(existsSync(workspace.path("f"))).toBe(true);
  });
});
