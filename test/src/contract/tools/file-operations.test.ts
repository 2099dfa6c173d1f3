import { describe, expect, it } from "vitest";
import { z } from "zod";
import { pathsOf } from "../../../../src/contract/paths-of.ts";
import { fileOperations } from "../../../../src/contract/tools/file-operations.ts";
import { flatSchema, parseCall } from "../../../../src/contract/tools/tool-schema.ts";

describe("file_operations", () => {
  it("2.1 has exactly the sixteen operations", () => {
    expect(flatSchema(fileOperations).properties.operation?.enum).toEqual([
      "read_file",
      "list_dir",
      "get_errors",
      "get_search_results",
      "file_search",
      "grep_search",
      "semantic_search",
      "list_usages",
      "search_index",
      "create_file",
      "replace_string",
      "multi_replace_string",
      "insert_edit",
      "rename_file",
      "delete_file",
      "apply_patch",
    ]);
  });

  it("means the same by one name in every operation, and leaks no default", () => {
    const seen = new Map<string, string>();
    for (const operation of Object.values(fileOperations.operations)) {
      const { properties = {} } = z.toJSONSchema(operation.params, { io: "output" });
      for (const [name, schema] of Object.entries(properties)) {
        const text = JSON.stringify(schema);
        expect(seen.get(name) ?? text, name).toBe(text);
        seen.set(name, text);
      }
    }
    expect(parseCall(fileOperations, { operation: "list_dir" }).params).toEqual({});
    expect(parseCall(fileOperations, { operation: "read_file", filePath: " a " }).params).toEqual({
      filePath: "a",
    });
  });

  it("lets only reads and searches be repeated", () => {
    const safe = Object.entries(fileOperations.operations).filter(
      ([, { repeat }]) => repeat === "safe",
    );
    expect(safe.map(([name]) => name)).toEqual(Object.keys(fileOperations.operations).slice(0, 9));
  });
});

describe("4.5 the paths of a call", () => {
  const paths = (operation: string, params: object) =>
    pathsOf("file_operations", operation, { ...params }).map(
      ({ path, access, link }) => `${access} ${path} ${link}`,
    );

  it.each([
    ["read_file", { filePath: "a" }, ["read a follow"]],
    ["list_dir", { path: "d" }, ["read d follow"]],
    [
      "get_errors",
      { filePaths: ["a", "b"], workspace_path: "w" },
      ["read a follow", "read b follow", "read w follow"],
    ],
    [
      "list_usages",
      { symbolName: "/etc/x", filePaths: ["a"], rootPath: "r" },
      ["read a follow", "read r follow"],
    ],
    ["create_file", { filePath: "a", content: "/etc/passwd" }, ["write a follow"]],
    ["rename_file", { oldPath: "a", newPath: "/etc/b" }, ["write a itself", "write /etc/b itself"]],
    ["delete_file", { filePath: "a" }, ["delete a itself"]],
  ])("of %s %j are all found", (operation, params, expected) => {
    expect(paths(operation, params)).toEqual(expected);
  });

  it("are found in terminal operations as well", () => {
    expect(pathsOf("terminal_operations", "create_directory", { dirPath: "/x" })).toMatchObject([
      { path: "/x", access: "write" },
    ]);
    expect(
      pathsOf("terminal_operations", "run_command", { command: "ls", working_directory: "/x" }),
    ).toMatchObject([{ path: "/x" }]);
  });

  const hunk = "@@ -1 +1 @@\n-1\n+2\n";
  it.each([
    [`--- a/f\n+++ b/../../etc/passwd\n${hunk}`, ["write ./../../etc/passwd follow"]],
    [`--- a/f\n+++ /etc/passwd\n${hunk}`, ["write /etc/passwd follow"]],
    ["--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n", ["delete ./f itself"]],
    [
      "diff --git a/f b/g\nsimilarity index 100%\nrename from f\nrename to ../g\n",
      ["write ./f itself", "write ./../g itself"],
    ],
    [
      `--- a/f\n+++ b/f\n${hunk}--- "a/\\303\\251"\n+++ "b/\\303\\251"\n${hunk}`,
      ["write ./f follow", "write ./é follow"],
    ],
    [
      "*** Begin Patch\n*** Update File: /a\n*** Move to: ../b\n-1\n+2\n*** Add File: ~/x\n+1\n*** End Patch",
      ["write /a itself", "write ./../b itself", "write ./~/x follow"],
    ],
  ])("inside a patch are all found: %j", (patchContent, expected) => {
    expect(paths("apply_patch", { patchContent })).toEqual(expected);
    const dry = paths("apply_patch", { patchContent, dry_run: true, target_directory: "d" });
    expect(dry).toHaveLength(expected.length + 1);
    expect(dry.every((use) => use.startsWith("read "))).toBe(true);
  });

  it("of something that is no patch are an error", () => {
    expect(() => paths("apply_patch", { patchContent: "hello" })).toThrow("no valid header");
    expect(() => paths("apply_patch", {})).toThrow("patchContent");
  });
});
