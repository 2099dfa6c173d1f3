import { symlinkSync } from "node:fs";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pathsOf } from "../../../src/contract/paths-of.ts";
import { workspaceTools } from "../../../src/contract/tools/workspace-tools.ts";
import { type Lab, permissionLab } from "../../support/permission-lab.ts";
import { caseCount } from "../../support/thorough.ts";
import {
  everyDefinition,
  type KeyedOperation,
  operationsOf,
} from "../tools/support/definitions.ts";

/** The bot's own, which no model can call. */
const INTERNAL = ["approved_code", "checkpoint_operations"];
const operations = operationsOf(await everyDefinition()).filter(
  ({ tool }) => !INTERNAL.includes(tool.name),
);

const patchOf = (path: string) => `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`;

/** Harmless arguments inside the workspace, for operations that need some. */
const INSIDE: Readonly<Record<string, object>> = {
  "file_operations.read_file": { filePath: "a.txt" },
  "file_operations.file_search": { query: "*.ts" },
  "file_operations.grep_search": { query: "x" },
  "file_operations.semantic_search": { query: "x" },
  "file_operations.list_usages": { symbolName: "x" },
  "file_operations.create_file": { filePath: "new.txt", content: "x" },
  "file_operations.replace_string": { filePath: "a.txt", oldString: "a", newString: "b" },
  "file_operations.multi_replace_string": {
    filePath: "a.txt",
    replacements: [{ oldString: "a", newString: "b" }],
  },
  "file_operations.insert_edit": {
    filePath: "a.txt",
    lineNumber: 1,
    newText: "x",
    insertOperation: "insert",
  },
  "file_operations.rename_file": { oldPath: "a.txt", newPath: "b.txt" },
  "file_operations.delete_file": { filePath: "a.txt" },
  "file_operations.apply_patch": { patchContent: patchOf("a.txt") },
  "terminal_operations.run_command": { command: "ls" },
  "terminal_operations.get_terminal_output": { id: "1" },
  "terminal_operations.create_directory": { dirPath: "d" },
  "terminal_operations.send_input": { session_id: "s", input: "ls\r" },
  "terminal_operations.get_output": { session_id: "s" },
  "terminal_operations.get_history": { session_id: "s" },
  "terminal_operations.close_session": { session_id: "s" },
  "memory_operations.search_memory": { query: "x" },
  "memory_operations.store_memory": { content: "x" },
  "memory_operations.set_value": { key: "k", value: "v" },
  "memory_operations.get_value": { key: "k" },
  "memory_operations.delete_value": { key: "k" },
  "todo_operations.write": { todoList: [] },
  "todo_operations.update": { todoUpdates: [{ id: 1, status: "completed" }] },
  "todo_operations.add": { newTodos: [{ title: "x" }] },
  "build_and_version_control.create_and_run_task": {
    task: { label: "t", type: "shell", command: "ls" },
  },
  "build_and_version_control.run_task": { label: "t" },
  "build_and_version_control.get_task_output": { id: "t" },
  "build_and_version_control.git_commit": { message: "m" },
  "document_operations.document_import": { path: "a.txt" },
  "document_operations.document_create": { content: "x", output_path: "x.md" },
  "web_operations.fetch": { url: "https://example.org/" },
  "web_operations.web_search": { query: "x" },
  image_generation: { prompt: "a cat" },
  think: { thoughts: "x" },
  user_collaboration: { prompt: "May I?" },
  run_subagent: { task: "t", instructions: "i" },
  increase_max_iterations: { requested_iterations: 5, reason: "r" },
  read_tool_result: { toolCallId: "c" },
  recall_history: { query: "x" },
};

/** Deeds for people to decide however harmless their arguments are. */
const ALWAYS_ASKS = [
  "file_operations.delete_file",
  "build_and_version_control.create_and_run_task",
  "build_and_version_control.run_task",
  "build_and_version_control.git_commit",
];

/** Standard, and never inside the workspace. */
const REACH_OUT = ["web_operations.fetch", "web_operations.web_search"];

let lab: Lab;
beforeAll(async () => {
  lab = await permissionLab();
  lab.files.write("a.txt", "a\n");
  symlinkSync("/etc", lab.files.path("link"));
});
afterAll(() => lab[Symbol.asyncDispose]());

const check = ({ tool, name }: KeyedOperation, params: object) => lab.checkCall(tool, name, params);

describe.each(operations)("the level of $key", (operation) => {
  const { key } = operation;

  it("1.17 is enforced inside the workspace", async () => {
    const { outcome } = await check(operation, INSIDE[key] ?? {});
    expect(outcome).toBe([...ALWAYS_ASKS, ...REACH_OUT].includes(key) ? "ask" : "allowed");
    expect(operation.operation.level === "elevated").toBe(ALWAYS_ASKS.includes(key));
  });
});

const asking = operations.filter(({ key }) => [...ALWAYS_ASKS, ...REACH_OUT].includes(key));

it.each(asking)("the reason of $key is in plain words", async (operation) => {
  const { reason } = await check(operation, INSIDE[operation.key] ?? {});
  expect(reason).toMatch(/^[A-Z].*\.$/s);
  expect(reason).not.toContain(operation.name);
  expect(reason).not.toContain(operation.tool.name);
});

/** Other spellings of places that no one may write unasked. */
const outside = fc
  .tuple(
    fc.constantFrom(
      "/etc",
      "../../../../../../etc",
      "link",
      "./link/../link",
      "/usr/../etc",
      "//etc",
      "~/../../etc",
    ),
    fc.stringMatching(/^[a-z][a-z0-9 ._-]{0,12}[a-z]$/),
  )
  .map(([where, name]) => `${where}/${name}`);

const PATH_LIKE = /(path|paths|dir|directory|folder|root)$/i;
const onPaths = operations
  .filter(({ tool }) => workspaceTools.some(({ name }) => name === tool.name))
  .flatMap((operation) =>
    Object.keys(operation.operation.params.shape)
      .filter((parameter) => PATH_LIKE.test(parameter))
      .map((parameter) => ({ ...operation, parameter })),
  );

describe.each(onPaths)("$parameter of $key", ({ parameter, ...operation }) => {
  const { key, tool, name } = operation;
  const isList = parameter.endsWith("s");
  const withPath = (path: string) => ({
    ...INSIDE[key],
    [parameter]: isList ? ["a.txt", path] : path,
  });

  it("4.5 is one of the paths that the guard looks at", () => {
    const { params } = { params: { operation: name, ...withPath("/etc/x") } };
    const found = pathsOf(tool.name, name, params).map(({ path }) => path);
    expect(found.some((path) => path.startsWith("/etc/x"))).toBe(true);
  });

  it("4.5 outside the workspace asks where it is written, in whatever spelling", async () => {
    const isRead = operation.operation.repeat === "safe";
    // Root moves nothing that the workload can write.
    const isMove = key === "file_operations.rename_file" && parameter === "newPath";
    const written = isMove ? ["ask", "denied"] : ["ask"];
    await fc.assert(
      fc.asyncProperty(outside, async (path) => {
        const { outcome, reason } = await check(operation, withPath(path));
        expect(isRead ? ["allowed"] : written, path).toContain(outcome);
        if (outcome === "ask") expect(reason).toContain("outside the workspace");
      }),
      { numRuns: caseCount({ perChange: 12, all: 200 }) },
    );
  });
});

describe("paths inside a patch", () => {
  const OUTSIDE = ["../../../../../../etc/x", "link/x", "d/../../../../../../../etc/x"];
  const patch = operations.find(({ key }) => key === "file_operations.apply_patch");
  it.each([
    ["changed", patchOf],
    ["created", (path: string) => `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+b\n`],
    ["deleted", (path: string) => `--- a/${path}\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n`],
  ])("4.5 ask outside the workspace: a file that is %s", async (_, patchContent) => {
    if (!patch) throw new Error("apply_patch is not there");
    for (const path of OUTSIDE) {
      const verdict = await check(patch, { patchContent: patchContent(path) });
      expect(verdict, path).toMatchObject({ outcome: "ask" });
      expect(verdict.reason).toContain("outside the workspace");
    }
  });

  it("4.5 move no file of the workspace outside", async () => {
    if (!patch) throw new Error("apply_patch is not there");
    for (const path of OUTSIDE) {
      const patchContent = `diff --git a/a.txt b/${path}\nsimilarity index 100%\nrename from a.txt\nrename to ${path}\n`;
      expect(await check(patch, { patchContent }), path).toMatchObject({ outcome: "denied" });
    }
  });
});
