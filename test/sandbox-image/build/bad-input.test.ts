import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { rootBuildHandlers } from "../../../sandbox-image/server/build/handlers.ts";
import { serve } from "../../../sandbox-image/server/tools.ts";
import { buildAndVersionControl } from "../../../src/contract/tools/build-and-version-control.ts";
import { flatSchema, parseCall } from "../../../src/contract/tools/tool-schema.ts";
import { BuildLab } from "./workspace.ts";

const HUGE = "x".repeat(10 * 1024 * 1024);
const task = { label: "t", type: "shell", command: "touch canary" };
const create = "create_and_run_task";

const BAD: readonly (readonly [string, object, RegExp])[] = [
  [create, {}, /task/],
  [create, { task: "echo" }, /task/],
  [create, { task: null }, /task/],
  [create, { task: [] }, /task/],
  [create, { task: { ...task, label: "" } }, /label must not be empty/],
  [create, { task: { ...task, label: 5 } }, /label/],
  [create, { task: { ...task, label: HUGE } }, /at most 200/],
  [create, { task: { ...task, command: "" } }, /command must not be empty/],
  [create, { task: { ...task, command: "touch canary\0" } }, /NUL/],
  [create, { task: { ...task, command: `touch canary #${HUGE}` } }, /script file/],
  [create, { task: { ...task, args: { a: 1 } } }, /args/],
  [create, { task: { ...task, isBackground: "maybe" } }, /isBackground/],
  [create, { task: { ...task, problemMatcher: [1] } }, /problemMatcher/],
  [create, { task, workspaceFolder: 7 }, /workspaceFolder/],
  [create, { task, workspaceFolder: "a\0b" }, /NUL/],
  [create, { task, workspaceFolder: "nope" }, /does not exist/],
  [create, { task, workspaceFolder: "a.txt" }, /is a file/],
  [create, { task, workspaceFolder: HUGE }, /too long/],
  ["run_task", {}, /label must name/],
  ["run_task", { label: "" }, /label/],
  ["run_task", { label: ["t"] }, /label/],
  ["run_task", { label: "a\0b" }, /NUL/],
  ["run_task", { task_label: HUGE }, /at most 200/],
  ["run_task", { label: "nope" }, /No task "nope"/],
  ["run_task", { label: "__proto__" }, /No task/],
  ["run_task", { label: "t", workspaceFolder: "nope" }, /does not exist/],
  ["get_task_output", {}, /id or label/],
  ["get_task_output", { id: 5 }, /id/],
  ["get_task_output", { id: "" }, /id/],
  ["get_task_output", { id: HUGE }, /at most 200/],
  ["get_task_output", { id: "task-99" }, /Known runs: none/],
  ["git_commit", {}, /message/],
  ["git_commit", { message: "" }, /message must not be empty/],
  ["git_commit", { message: " \n\t" }, /message must not be empty/],
  ["git_commit", { message: 5 }, /message/],
  ["git_commit", { message: "a\0b" }, /NUL/],
  ["git_commit", { message: HUGE }, /at most 30000/],
  ["git_commit", { message: "x", files: [] }, /at least one/],
  ["git_commit", { message: "x", files: [""] }, /files/],
  ["git_commit", { message: "x", files: [5] }, /files/],
  ["git_commit", { message: "x", files: ["a\0b"] }, /NUL/],
  ["git_commit", { message: "x", files: [HUGE] }, /too long/],
  ["git_commit", { message: "x", files: Array(1000).fill("y".repeat(200)) }, /directories/],
  ["git_commit", { message: "x", files: Array(1001).fill("y") }, /1000/],
  ["git_commit", { message: "x", files: ["nope"] }, /does not exist/],
  ["git_commit", { message: "x", files: [".git/config"] }, /no changes/],
  ["git_commit", { message: "x", all: "perhaps" }, /all/],
  ["git_commit", { message: "x", repositoryPath: "nope" }, /does not exist/],
  ["git_commit", { message: "x", repositoryPath: "a.txt" }, /is a file/],
  ["git_commit", { message: "x", repositoryPath: "" }, /repositoryPath/],
  ["git_commit", { message: "x", repositoryPath: "--help" }, /does not exist/],
  ["get_changed_files", { sourceControlState: ["stashed"] }, /sourceControlState/],
  ["get_changed_files", { sourceControlState: "all" }, /sourceControlState/],
  ["get_changed_files", { sourceControlState: 1 }, /sourceControlState/],
  ["get_changed_files", { repositoryPath: 5 }, /repositoryPath/],
  ["get_changed_files", { repositoryPath: "a\0b" }, /NUL/],
  ["get_changed_files", { repositoryPath: HUGE }, /too long/],
  ["get_changed_files", { repositoryPath: "/proc/self/nope" }, /does not exist/],
  ["get_changed_files", { repositoryPath: "/" }, /not in a git repository/],
  ["no_such_operation", {}, /Available: create_and_run_task/],
];

describe("build_and_version_control", () => {
  it("2.42 offers exactly five operations", () => {
    expect(flatSchema(buildAndVersionControl).properties.operation).toMatchObject({
      enum: [
        "create_and_run_task",
        "run_task",
        "get_task_output",
        "git_commit",
        "get_changed_files",
      ],
    });
  });

  it("1.3 ignores unknown parameters", () => {
    const call = { operation: "git_commit", message: "x", foo: 1, all: "False" };
    expect(parseCall(buildAndVersionControl, call).params).toEqual({ message: "x", all: false });
  });

  it("refuses bad input with a sentence, changes nothing and runs nothing", async () => {
    await using lab = new BuildLab();
    lab.repository();
    const state = () => [lab.git(["status", "--porcelain"]), lab.git(["rev-parse", "HEAD"])];
    lab.write("new", "");
    const before = state();
    for (const [operation, params, reason] of BAD) {
      const result = await lab.call(operation, params);
      const what = `${operation} ${JSON.stringify(params).slice(0, 100)}`;
      expect(result.success, what).toBe(false);
      expect(result.message, what).toMatch(reason);
      expect(result.message?.length, what).toBeLessThan(1500);
    }
    expect(state()).toEqual(before);
    expect(readdirSync(lab.dir)).not.toContain("canary");
  });

  it("does as root only what makes sense there", async () => {
    await using lab = new BuildLab();
    lab.repository();
    const served = serve(buildAndVersionControl, rootBuildHandlers(lab.settings));
    const { signal } = new AbortController();
    const context = { callId: "c", conversation: "main", signal, progress: () => {} };
    const call = (operation: string, params: object) =>
      served.prepare({ operation, ...params }).run(context);
    expect(await call(create, { task })).toMatchObject({ success: true, exitCode: 0 });
    expect(await call("git_commit", { message: "x" })).toMatchObject({ success: true });
    const refused = { success: false, kind: "permissionDenied" };
    const server = { ...task, isBackground: true };
    expect(await call(create, { task: server })).toMatchObject(refused);
    expect(await call("run_task", { label: "t" })).toMatchObject(refused);
    expect(await call("get_task_output", { label: "t" })).toMatchObject(refused);
    expect(await call("get_changed_files", {})).toMatchObject(refused);
  });
});
