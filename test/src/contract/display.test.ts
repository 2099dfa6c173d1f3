import { describe, expect, it } from "vitest";
import { fileName, LINE_CHARS, short } from "../../../src/contract/display.ts";
import { buildAndVersionControl } from "../../../src/contract/tools/build-and-version-control.ts";
import { fileOperations } from "../../../src/contract/tools/file-operations.ts";
import type { Operation, RawArgs } from "../../../src/contract/tools/operation.ts";
import { terminalOperations } from "../../../src/contract/tools/terminal-operations.ts";
import { checkpointOperations } from "../../../src/contract/workspace/checkpoints.ts";

const tools = [fileOperations, terminalOperations, buildAndVersionControl, checkpointOperations];

function operation(key: string): Operation {
  const [tool, name = ""] = key.split(".");
  const all: Readonly<Record<string, Operation>> =
    tools.find((one) => one.name === tool)?.operations ?? {};
  const found = all[name];
  if (!found) throw new Error(`There is no ${key}.`);
  return found;
}

/** Operation, arguments, line, details. */
const SHOWN: [string, RawArgs, string, string[]][] = [
  [
    "file_operations.read_file",
    { filePath: "src/deep/notes.md" },
    "Reading file: notes.md",
    ["File: notes.md"],
  ],
  [
    "file_operations.read_file",
    { filePath: "a", startLine: 1, endLine: "100" },
    "Reading file: a",
    ["File: a", "lines 1 to 100"],
  ],
  [
    "file_operations.read_file",
    { filePath: "a", offset: 7 },
    "Reading file: a",
    ["File: a", "from line 7"],
  ],
  ["file_operations.read_file", {}, "Reading file", []],
  [
    "file_operations.list_dir",
    { path: "/workspace/src/" },
    "Listing directory: src",
    ["Directory: src"],
  ],
  ["file_operations.list_dir", { path: "." }, "Listing directory", []],
  ["file_operations.get_errors", { filePaths: ["x/a.ts"] }, "Checking for errors: a.ts", []],
  ["file_operations.get_errors", { filePaths: ["a", "b"] }, "Checking for errors: 2 files", []],
  ["file_operations.get_errors", {}, "Checking for errors", []],
  ["file_operations.get_search_results", {}, "Looking at recent searches", []],
  [
    "file_operations.file_search",
    { query: "**/*.ts", rootPath: "a/b" },
    "Finding files: **/*.ts",
    ["Pattern: **/*.ts", "In: b"],
  ],
  [
    "file_operations.grep_search",
    { query: "TODO.*", isRegexp: true, includePattern: "**/*.swift" },
    "Searching code: TODO.*",
    ["Pattern: TODO.*", "Files: **/*.swift", "regular expression"],
  ],
  ["file_operations.grep_search", {}, "Searching code", []],
  [
    "file_operations.semantic_search",
    { query: "time" },
    "Searching by meaning: time",
    ["Words: time"],
  ],
  ["file_operations.list_usages", { symbolName: "foo" }, "Finding usages: foo", ["Symbol: foo"]],
  ["file_operations.search_index", { query: "app" }, "Searching file index: app", ["Name: app"]],
  ["file_operations.search_index", { indexOperation: "refresh" }, "Refreshing file index", []],
  [
    "file_operations.search_index",
    { indexOperation: "stats" },
    "Reading file index statistics",
    [],
  ],
  [
    "file_operations.create_file",
    { filePath: "/etc/x", content: "a\nb\nc" },
    "Creating file: x",
    ["File: x", "3 lines"],
  ],
  [
    "file_operations.create_file",
    { filePath: "x", content: "a\r\n", overwrite: true },
    "Creating file: x",
    ["File: x", "1 line", "replaces the file if it exists"],
  ],
  ["file_operations.create_file", { filePath: 7, content: null }, "Creating file", []],
  [
    "file_operations.replace_string",
    { filePath: "x", oldString: "old\ntext" },
    "Editing file: x",
    ["File: x", "Replaces: old text"],
  ],
  [
    "file_operations.multi_replace_string",
    { filePath: "x", replacements: [1, 2] },
    "Editing file: x",
    ["File: x", "2 replacements"],
  ],
  [
    "file_operations.insert_edit",
    { filePath: "x", lineNumber: 3, newText: "a" },
    "Editing file: x",
    ["File: x", "Line: 3", "1 line"],
  ],
  [
    "file_operations.rename_file",
    { oldPath: "a/b", newPath: "a/c" },
    "Renaming file: b to c",
    ["From: b", "To: c"],
  ],
  [
    "file_operations.rename_file",
    { oldPath: "a/b", newPath: "z/b" },
    "Moving file: b",
    ["From: b", "To: b"],
  ],
  ["file_operations.delete_file", { filePath: "x" }, "Deleting file: x", ["File: x"]],
  ["file_operations.apply_patch", { patchContent: "1\n2\n" }, "Applying patch", ["2 lines"]],
  [
    "file_operations.apply_patch",
    { filePath: "x", dry_run: "true" },
    "Trying patch: x",
    ["File: x", "changes nothing"],
  ],
  [
    "terminal_operations.run_command",
    { command: "npm test" },
    "Running: npm test",
    ["Command: npm test", "in the foreground"],
  ],
  [
    "terminal_operations.run_command",
    { command: "npm start", isBackground: true, working_directory: "web" },
    "Running: npm start",
    ["Command: npm start", "in the background", "In: web"],
  ],
  ["terminal_operations.run_command", {}, "Running", ["in the foreground"]],
  [
    "terminal_operations.get_terminal_output",
    { id: "p1" },
    "Reading background output",
    ["Process: p1"],
  ],
  ["terminal_operations.get_terminal_buffer", {}, "Looking at the terminal", []],
  ["terminal_operations.get_last_command", {}, "Looking up the last command", []],
  ["terminal_operations.get_terminal_selection", {}, "Reading the selected text", []],
  [
    "terminal_operations.create_directory",
    { dirPath: "a/b" },
    "Creating directory: b",
    ["Directory: b"],
  ],
  ["terminal_operations.create_session", {}, "Creating terminal session", []],
  [
    "terminal_operations.send_input",
    { input: "ls -l\r\n" },
    "Sending to terminal: ls -l",
    ["Input: ls -l"],
  ],
  ["terminal_operations.send_input", { input: "\u0003" }, "Sending to terminal", []],
  ["terminal_operations.get_output", {}, "Reading terminal output", []],
  ["terminal_operations.get_history", {}, "Reading terminal history", []],
  ["terminal_operations.close_session", {}, "Closing terminal session", []],
  [
    "build_and_version_control.create_and_run_task",
    { task: { label: "build", command: "make" } },
    "Running task: build",
    ["Command: make", "in the foreground"],
  ],
  ["build_and_version_control.run_task", { task_label: "test" }, "Running task: test", []],
  ["build_and_version_control.get_task_output", { id: "t" }, "Reading task output: t", []],
  [
    "build_and_version_control.git_commit",
    { message: "Fix it", files: ["a"] },
    "Committing: Fix it",
    ["Message: Fix it", "1 file"],
  ],
  ["build_and_version_control.get_changed_files", {}, "Looking at changed files", []],
  ["checkpoint_operations.create", { label: "before" }, "Saving a checkpoint: before", []],
  ["checkpoint_operations.list", {}, "Listing checkpoints", []],
  ["checkpoint_operations.diff", { checkpoint: "c1" }, "Comparing with checkpoint: c1", []],
  ["checkpoint_operations.restore", { checkpoint: "c1" }, "Restoring checkpoint: c1", []],
  ["checkpoint_operations.trim", {}, "Removing old checkpoints", []],
];

describe("what people see of a call", () => {
  it.each(SHOWN)("1.40, 1.42 %s %j is shown as %j", (key, args, line, details) => {
    expect(operation(key).line(args)).toBe(line);
    expect(operation(key).details?.(args) ?? []).toEqual(details);
  });

  it("1.40 is laid down here for every operation", () => {
    const covered = new Set(SHOWN.map(([key]) => key));
    for (const tool of tools) {
      for (const name of Object.keys(tool.operations))
        expect(covered).toContain(`${tool.name}.${name}`);
    }
  });

  it.each([
    ["terminal_operations.run_command", "command", "Running: ", 80, 70],
    ["terminal_operations.send_input", "input", "Sending to terminal: ", 50, 60],
    ["file_operations.grep_search", "query", "Searching code: ", 50, 70],
    ["build_and_version_control.git_commit", "message", "Committing: ", 50, 70],
  ])("1.41 of %s is cut where it is too long", (key, name, prefix, chars, detailChars) => {
    const lineOf = (length: number) =>
      operation(key)
        .line({ [name]: "x".repeat(length) })
        .slice(prefix.length);
    expect(lineOf(chars)).toBe("x".repeat(chars));
    expect(lineOf(chars + 1)).toBe(`${"x".repeat(chars - 3)}...`);
    const detail = operation(key).details?.({ [name]: "x".repeat(detailChars + 1) })[0] ?? "";
    expect(detail.endsWith(`: ${"x".repeat(detailChars - 3)}...`)).toBe(true);
  });

  it("1.41 of a title is at most 35 characters", () => {
    const line = operation("build_and_version_control.run_task").line({ label: "y".repeat(36) });
    expect(line).toBe(`Running task: ${"y".repeat(32)}...`);
  });

  it.each([
    ["<!DOCTYPE html> <@U123>", "<!DOCTYPE html> <@U123>"],
    ["a\r\nb\tc\u2028d", "a b c d"],
    ["in\u202evisible\u200b", "invisible"],
    ["echo `date`", "echo `date`"],
    ["npm i @types/node", "npm i @types/node"],
    ["cat < a > b", "cat < a > b"],
    ["ls *.ts | grep __init__", "ls *.ts | grep __init__"],
  ])("1.41 %j is shown as %j", (text, shown) => {
    expect(short(text, LINE_CHARS.command)).toBe(shown);
  });

  it("1.41 never cuts within a character, nor takes long for ten megabytes", () => {
    expect(short("😀".repeat(60), 50)).toBe(`${"😀".repeat(47)}...`);
    expect(short("\n".repeat(10_000_000), 50)).toBeUndefined();
    expect(short(`a${"\n".repeat(10_000_000)}`, 50)).toBe("a...");
    expect(short(`\ud83d${"x".repeat(10)}`, 50)?.isWellFormed()).toBe(true);
  });

  it.each([
    ["/workspace/a/b.txt", "b.txt"],
    ["b.txt", "b.txt"],
    ["a/b/", "b"],
    ["~/x", "x"],
    ["/", undefined],
    [".", undefined],
    ["..", undefined],
    ["", undefined],
    [7, undefined],
    [undefined, undefined],
  ])("1.40 takes %j for the file %j", (path, name) => {
    expect(fileName(path)).toBe(name);
  });
});
