import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { failureOf } from "../../../support/calls.ts";
import { type TodoLab, todoLab } from "./lab.ts";

let lab: TodoLab;
beforeEach(async () => {
  lab = await todoLab();
});
afterEach(() => lab[Symbol.asyncDispose]());

const todo = (id: number, more: object = {}) => ({
  id,
  title: `Task ${id}`,
  description: `About ${id}.`,
  status: "not-started",
  ...more,
});
const refusal = (todoList: unknown) => failureOf(lab.tool, { operation: "write", todoList });

describe("a write that breaks a rule", () => {
  const kept = todo(1, { title: "Set up", status: "completed" });
  beforeEach(() => lab.write([kept, todo(2, { status: "in-progress" })]));
  afterEach(async () => {
    // 7.12: whatever was refused has changed nothing.
    expect(await lab.items()).toMatchObject([kept, todo(2, { status: "in-progress" })]);
  });

  it.each([
    [
      "7.4 two in progress are named",
      [todo(2, { status: "in-progress" }), todo(3, { status: "in-progress" })],
      /Only one todo may be in progress.*Todo 2.*Todo 3/,
    ],
    [
      "7.4 being able to run in parallel does not lift the rule",
      [2, 3].map((id) => todo(id, { status: "in-progress", canRunParallel: true })),
      /Only one todo may be in progress/,
    ],
    [
      "7.6 a dependency must exist",
      [todo(5, { dependencies: [10] })],
      /Todo 5 .*depends on non-existent todo 10/,
    ],
    [
      "7.6 also when the write drops it",
      [todo(3, { dependencies: [2] })],
      /Todo 3 .*depends on non-existent todo 2/,
    ],
    [
      "7.7 a circle is refused",
      [todo(2, { dependencies: [3] }), todo(3, { dependencies: [2] })],
      /Todo 2 .*circular[\s\S]*Todo 3 .*circular/,
    ],
    ["7.8 blocked needs a reason", [todo(2, { status: "blocked" })], /Todo 2 .*blockedReason/],
    [
      "7.8 a blank reason is none",
      [todo(2, { status: "blocked", blockedReason: " \n" })],
      /Todo 2 .*blockedReason/,
    ],
    ["7.9 progress above 1", [todo(2, { progress: 1.2 })], /Todo 2 .*progress 1\.2/],
    ["7.9 progress below 0", [todo(2, { progress: -0.1 })], /Todo 2 .*progress -0\.1/],
    ["7.9 progress in percent", [todo(2, { progress: "65%" })], /Todo 2 .*progress/],
    [
      "7.10 ids are unique",
      [todo(2), todo(2, { title: "Twin" })],
      /Id 2 is used 2 times: "Task 2", "Twin"/,
    ],
    ["7.10 ids are positive", [todo(0)], /index 1.*id/],
    ["7.10 ids are whole", [todo(1.5)], /index 1.*id/],
    ["7.10 titles say something", [todo(2, { title: "  " })], /Todo 2 needs a title/],
    [
      "7.14 a missing id is named by its index",
      [{ title: "x", status: "not-started" }],
      /index 1: id is missing/,
    ],
    [
      "7.14 a missing title is named by the id",
      [{ id: 2, status: "not-started" }],
      /Todo 2 .*title is missing/,
    ],
    [
      "7.14 a missing status is named by the id",
      [{ id: 2, title: "x" }],
      /Todo 2 .*status is missing/,
    ],
    [
      "7.14 an unknown status lists the four",
      [todo(2, { status: "done" })],
      /Todo 2 .*not-started.*in-progress.*completed.*blocked/,
    ],
    ["7.14 something else than an object", ["Buy milk"], /index 1: must be an object/],
  ])("%s", async (_, rest, expected) => {
    const { kind, message } = await refusal([kept, ...rest]);
    expect(message).toMatch(expected);
    expect(kind).toBe("invalidParameters");
  });

  it("7.5 completed work must stay; the error names each of it", async () => {
    const { message } = await refusal([todo(2)]);
    expect(message).toContain('Todo 1 ("Set up") is completed and must stay');
  });

  it("reports all violations of all todos together, the unreadable ones included", async () => {
    const { message, violations } = await refusal([
      todo(2, { status: "in-progress" }),
      todo(3, { status: "in-progress", progress: 7 }),
      todo(3, { dependencies: [99] }),
      todo(4, { status: "blocked", title: "" }),
      todo(5, { dependencies: [5] }),
      todo(6, { status: "finished" }),
      { title: "No id", status: "later" },
    ]);
    expect(violations).toMatchObject([
      { rule: "readable", todos: [6] },
      { rule: "readable", todos: [] },
      { rule: "readable", todos: [] },
      { rule: "progress-range", todos: [3] },
      { rule: "titled", todos: [4] },
      { rule: "blocked-has-reason", todos: [4] },
      { rule: "unique-id", todos: [3] },
      { rule: "one-in-progress", todos: [2, 3] },
      { rule: "dependency-exists", todos: [3] },
      { rule: "no-circle", todos: [5] },
      { rule: "completed-stays", todos: [1] },
    ]);
    expect(message.split("\n- ")).toHaveLength(12);
  });
});
