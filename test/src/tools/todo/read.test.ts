import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { flatSchema } from "../../../../src/contract/tools/tool-schema.ts";
import { todoOperations } from "../../../../src/tools/todo/definition.ts";
import { call } from "../../../support/calls.ts";
import { type TodoLab, todoLab } from "./lab.ts";

let lab: TodoLab;
beforeEach(async () => {
  lab = await todoLab();
});
afterEach(() => lab[Symbol.asyncDispose]());

const read = async () => (await call(lab.tool, { operation: "read" })).text;

describe("read", () => {
  it("7.13 says when there are none", async () => {
    const none = "There are no todos in this conversation. Use write or add to create the list.";
    expect(await read()).toBe(none);
    await lab.write([]);
    expect(await read()).toBe(none);
  });

  it("7.13 shows the groups, what is in progress most fully", async () => {
    await lab.write([
      { id: 1, title: "Read the code", description: "All of it.", status: "completed" },
      {
        id: 2,
        title: "Write\ntests",
        description: "For every\nrule.",
        status: "in-progress",
        priority: "high",
        progress: 0.5,
        dependencies: [1, 3],
      },
      {
        id: 3,
        title: "Get a key",
        description: "",
        status: "blocked",
        blockedReason: "Ann is out.",
      },
      { id: 4, title: "Deploy", description: "", status: "not-started", dependencies: [2] },
    ]);
    expect(await read()).toMatchInlineSnapshot(`
      "1/4 completed (25 %)

      In progress:
      - [2] Write tests (high priority, 50 %)
        For every rule.
        Waits for: 3

      Blocked:
      - [3] Get a key (medium priority): Ann is out.

      Not started:
      - [4] Deploy (medium priority)
        Waits for: 2

      Completed:
      - [1] Read the code

      Last updated: 2030-01-01T00:00:00.000Z"
    `);
  });

  it("7.13 says that all are completed, and to add what comes next", async () => {
    await lab.write([{ id: 1, title: "Done", description: "x", status: "completed" }]);
    expect(await read()).toMatchInlineSnapshot(`
      "1/1 completed (100 %)

      Completed:
      - [1] Done

      All todos are completed: ready for new work. Use add for the next todos.

      Last updated: 2030-01-01T00:00:00.000Z"
    `);
    expect(await read()).not.toMatch(/ALL_TASKS_COMPLETE/);
  });

  it("7.13 does not round 199 of 200 up to all", async () => {
    await lab.write(
      Array.from({ length: 200 }, (_, index) => ({
        id: index + 1,
        title: "x",
        description: "x",
        status: index === 0 ? "not-started" : "completed",
      })),
    );
    expect(await read()).toMatch(/^199\/200 completed \(99 %\)/);
  });
});

describe("the definition of todo_operations", () => {
  const { operations } = todoOperations;

  it("2.41 has four operations, all safe and serial, and is the agent's own list", () => {
    expect(Object.keys(operations)).toEqual(["read", "write", "update", "add"]);
    for (const operation of Object.values(operations)) {
      expect(operation).toMatchObject({ level: "safe", category: "todo", execution: "serial" });
    }
    expect(todoOperations.description).toMatch(/not the to-do list of the people/);
  });

  it("1.2 offers the fields and words that are accepted", () => {
    const { todoList } = flatSchema(todoOperations).properties;
    expect(todoList).toMatchObject({
      type: "array",
      items: {
        type: "object",
        required: ["id", "title", "status"],
        properties: {
          id: { type: "integer", minimum: 1 },
          status: { enum: ["not-started", "in-progress", "completed", "blocked"] },
          priority: { enum: ["low", "medium", "high", "critical"] },
          dependencies: { type: "array", items: { type: "integer" } },
          canRunParallel: { type: "boolean" },
          progress: { type: "number" },
        },
      },
    });
  });

  const long = "A title of more than thirty-five characters";
  const completed = { id: 1, title: "Old", status: "completed" };
  it.each([
    ["read", {}, "Reading todo list"],
    ["write", { todoList: [completed, { title: "New", status: "completed" }] }, "Completed: New"],
    ["write", { todoList: [{ title: "T", status: "in-progress" }, { title: "x" }] }, "Starting: T"],
    ["write", { todoList: [{}, {}, "x"] }, "Creating todo list: 3 tasks"],
    ["write", {}, "Creating todo list"],
    ["write", { todoList: [{ status: "completed" }] }, "Completed"],
    [
      "write",
      { todoList: [{ title: long, status: "in-progress" }] },
      `Starting: ${long.slice(0, 32)}...`,
    ],
    [
      "write",
      { todoList: [{ title: "<!channel>", status: "completed" }] },
      "Completed: <!channel>",
    ],
    ["update", { todoUpdates: [{ id: 1 }, { id: 2 }] }, "Updating 2 todos"],
    ["update", { todoUpdates: [{ id: 1 }] }, "Updating 1 todo"],
    ["update", { todoUpdates: null }, "Updating todos"],
    ["add", { newTodos: [{}, {}, {}] }, "Adding 3 todos"],
    ["add", {}, "Adding todos"],
  ] as const)("1.40 %s of %j is shown as %j", (name, args, expected) => {
    expect(operations[name].line(args)).toBe(expected);
  });

  it("1.42 shows the totals per status of a write", () => {
    const todoList = [completed, completed, { status: "blocked" }, { status: "odd" }, null];
    expect(operations.write.details?.({ todoList })).toEqual(["completed: 2", "blocked: 1"]);
    expect(operations.write.details?.({})).toEqual([]);
  });

  it("1.42 shows which todos an update or an addition is about", () => {
    const todoUpdates = [{ id: 2, status: "completed" }, { id: "3", title: "New" }, { id: {} }, 5];
    expect(operations.update.details?.({ todoUpdates })).toEqual([
      "Todo 2: completed",
      "Todo 3: New",
    ]);
    expect(operations.add.details?.({ newTodos: [{ title: "a" }, {}, { title: "b" }] })).toEqual([
      "a",
      "b",
    ]);
  });
});
