import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fileOperations } from "../../../src/contract/tools/file-operations.ts";
import { makeWorkspace, type TestWorkspace } from "./workspace.ts";

let workspace: TestWorkspace;
beforeAll(() => {
  workspace = makeWorkspace();
  workspace.write("f", "text\n");
  workspace.write("bin", Buffer.from([0, 255, 1]));
  workspace.write("latin1", Buffer.from("caf\xe9\n", "latin1"));
  mkdirSync(workspace.path("dir"));
  symlinkSync("loop", workspace.path("loop"));
  execFileSync("mkfifo", [workspace.path("pipe")]);
});
afterAll(() => workspace[Symbol.dispose]());

const HUGE = "x".repeat(10 * 1024 * 1024);
const patchOf = (path: string) => `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-text\n+other\n`;

/** Parameters with which each operation works. */
const GOOD: Readonly<Record<keyof typeof fileOperations.operations, Record<string, unknown>>> = {
  read_file: { filePath: "f" },
  list_dir: { path: "dir" },
  get_errors: { filePaths: ["f"], workspace_path: "." },
  get_search_results: {},
  file_search: { query: "*", rootPath: "." },
  grep_search: { query: "x", includePattern: "*" },
  semantic_search: { query: "x", rootPath: ".", includePattern: "*" },
  list_usages: { symbolName: "x", filePaths: ["f"], rootPath: "." },
  search_index: { query: "x", extension: "ts", indexOperation: "stats" },
  create_file: { filePath: "new", content: "x" },
  replace_string: { filePath: "f", oldString: "text", newString: "x" },
  multi_replace_string: { filePath: "f", replacements: [{ oldString: "text", newString: "x" }] },
  insert_edit: { filePath: "f", lineNumber: 1, newText: "x", insertOperation: "insert" },
  rename_file: { oldPath: "f", newPath: "new" },
  delete_file: { filePath: "f" },
  apply_patch: { patchContent: patchOf("f"), filePath: "f", target_directory: "." },
};
const PATHS = [
  "filePath",
  "path",
  "oldPath",
  "newPath",
  "rootPath",
  "workspace_path",
  "target_directory",
];
/** Text of any length is fine here. */
const BODIES = ["content", "newString", "newText"];

type Case = [string, string, Record<string, unknown>];

function cases(): Case[] {
  return Object.entries(GOOD).flatMap(([operation, good]) => {
    const shape: Record<string, { safeParse(value: unknown): { success: boolean } }> =
      fileOperations.operations[operation as keyof typeof GOOD].params.shape;
    return Object.entries(good).flatMap(([name, value]): Case[] => {
      const optional = shape[name]?.safeParse(undefined).success ?? false;
      const bad = { ...(optional ? {} : { missing: undefined }), ...badValues(name, value) };
      return Object.entries(bad).map(([what, worse]) => [
        operation,
        `${name}: ${what}`,
        { ...good, [name]: worse },
      ]);
    });
  });
}

function badValues(name: string, good: unknown): Record<string, unknown> {
  return {
    "wrong type": { odd: true },
    null: null,
    ...(typeof good === "string" ? { NUL: "a\0b" } : {}),
    ...(typeof good === "string" && !BODIES.includes(name) ? { "10 MB": HUGE } : {}),
    ...(PATHS.includes(name) ? BAD_PATHS : {}),
  };
}

const BAD_PATHS = {
  loop: "loop/x",
  "file as directory": "f/x",
  "256-byte name": `d/${"n".repeat(256)}`,
};

const FILE_EDITS = [
  "replace_string",
  "multi_replace_string",
  "insert_edit",
  "read_file",
  "apply_patch",
] as const;
const onFile = (operation: (typeof FILE_EDITS)[number], filePath: string) => ({
  ...GOOD[operation],
  filePath,
});

/** Everything in the workspace: names, kinds, contents. */
function snapshot(directory = workspace.dir): unknown {
  return readdirSync(directory, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) return [entry.name, snapshot(path)];
      return [
        entry.name,
        entry.isFile() ? readFileSync(path, "latin1") : "other",
        entry.isFile() && statSync(path).mtimeMs,
      ];
    });
}

async function refused(operation: string, params: object): Promise<string> {
  const before = snapshot();
  const result = await workspace.call(operation, params);
  expect(result.success, JSON.stringify(result).slice(0, 500)).toBe(false);
  expect(["invalidParameters", "executionFailed"]).toContain(result.kind);
  const message = result.message ?? "";
  expect(message.length).toBeGreaterThan(20);
  expect(message.length).toBeLessThan(3000);
  expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  expect(snapshot()).toEqual(before);
  return message;
}

describe("bad input", () => {
  it.each(cases())("%s refuses %s and changes nothing", async (operation, _what, params) => {
    await refused(operation, params);
  });

  it.each(
    FILE_EDITS.flatMap((operation) =>
      ["bin", "latin1", "dir", "pipe", "none", "loop", "f/x"].map(
        (file) => [operation, file] as const,
      ),
    ),
  )("%s refuses %s and says what to do next", async (operation, file) => {
    const message = await refused(operation, onFile(operation, file));
    expect(message).toMatch(/list_dir|read_file|create_file|command|ls -l|file_search/);
  });

  it.each([
    ["create_file", { filePath: "dir", content: "", overwrite: true }, "list_dir"],
    ["delete_file", { filePath: "dir" }, "rm -r"],
    ["list_dir", { path: "f" }, "read_file"],
    ["replace_string", { filePath: "none", oldString: "a", newString: "b" }, "create_file"],
    ["read_file", { filePath: "dir" }, "list_dir"],
    [
      "insert_edit",
      { filePath: "f", lineNumber: 1, newText: "x", insertOperation: "append" },
      "insertOperation",
    ],
    ["multi_replace_string", { filePath: "f", replacements: [] }, "must not be empty"],
    ["multi_replace_string", { filePath: "f", replacements: [{ oldString: "a" }] }, "newString"],
    ["file_search", { query: "!x" }, "glob"],
    ["list_dir", { path: 'no "such"\nplace' }, "does not exist"],
  ])("1.29 %s %j names the way out", async (operation, params, word) => {
    expect(await refused(operation, params)).toContain(word);
  });
});
