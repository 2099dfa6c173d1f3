import { existsSync, lstatSync, mkdirSync, renameSync, symlinkSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeWorkspace, type TestWorkspace } from "./workspace.ts";

let workspace: TestWorkspace;
beforeEach(() => {
  workspace = makeWorkspace();
  workspace.write("dir/file", "old\n");
  workspace.write("dir/other", "other\n");
  mkdirSync(workspace.settings.homeDir);
});
afterEach(() => workspace[Symbol.dispose]());

/** Every operation that writes, each below dir. */
const WRITES: [string, object][] = [
  ["create_file", { filePath: "dir/new", content: "new" }],
  ["create_file", { filePath: "dir/file", content: "new", overwrite: true }],
  ["replace_string", { filePath: "dir/file", oldString: "old", newString: "new" }],
  [
    "multi_replace_string",
    { filePath: "dir/file", replacements: [{ oldString: "old", newString: "new" }] },
  ],
  [
    "insert_edit",
    { filePath: "dir/file", lineNumber: 1, newText: "new", insertOperation: "insert" },
  ],
  ["rename_file", { oldPath: "dir/file", newPath: "dir/new" }],
  ["delete_file", { filePath: "dir/file" }],
  ["apply_patch", { patchContent: "--- a/dir/file\n+++ b/dir/file\n@@ -1 +1 @@\n-old\n+new\n" }],
];

/** Where all of them lead as long as dir is a directory. */
const seenByTheGuard = () =>
  new Set(["file", "new", "other"].map((name) => workspace.path(`dir/${name}`)));

describe("P-S7 the path that was checked is the path that is used", () => {
  it.each(WRITES)("%s works where the guard saw it lead", async (operation, params) => {
    const checkedPaths = seenByTheGuard();
    expect(await workspace.call(operation, params, { checkedPaths })).toMatchObject({
      success: true,
    });
  });

  it.each(WRITES)("%s is refused once a link leads it elsewhere", async (operation, params) => {
    const checkedPaths = seenByTheGuard();
    const elsewhere = `${workspace.settings.homeDir}/dir`;
    renameSync(workspace.path("dir"), elsewhere);
    symlinkSync(elsewhere, workspace.path("dir"));
    const result = await workspace.call(operation, params, { checkedPaths });
    expect(result).toMatchObject({ success: false, kind: "permissionDenied" });
    expect(result.message).toContain("call again");
    expect(existsSync(`${elsewhere}/new`)).toBe(false);
    expect(lstatSync(`${elsewhere}/file`).size).toBe(4);
  });
});
