import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call, contextOf, failureOf } from "../../../support/calls.ts";
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
const update = (...todoUpdates: unknown[]) => call(lab.tool, { operation: "update", todoUpdates });
const add = (...newTodos: unknown[]) => call(lab.tool, { operation: "add", newTodos });

describe("update", () => {
  beforeEach(() =>
    lab.write([todo(1, { status: "completed" }), todo(2, { status: "in-progress" }), todo(3)]),
  );

  it("7.15 tells what was applied, what failed and what was so already", async () => {
    const { text, data } = await update(
      { id: 2, status: "completed" },
      { id: 99, status: "completed" },
      { id: 1, status: "completed" },
    );
    expect(text).toMatchInlineSnapshot(`
      "1 applied, 1 failed, 1 redundant.
      Applied:
      - Todo 2 ("Task 2"): status in-progress → completed, progress.
      Failed:
      - Todo 99 does not exist. Existing ids: 1, 2, 3.
      Redundant; do not repeat these, continue with the next task:
      - Todo 1 ("Task 1") already has these values (completed).

      2/3 completed (66 %)
      Not started: [3] Task 3
      Completed: [1] Task 1, [2] Task 2"
    `);
    expect(data?.applied).toHaveLength(1);
    expect(data?.failed).toHaveLength(1);
    expect(data?.redundant).toHaveLength(1);
    expect(await lab.items()).toMatchObject([{}, { id: 2, status: "completed", progress: 1 }, {}]);
  });

  it("7.4 completing one and starting the next in one call is fine, in either order", async () => {
    await update({ id: 3, status: "in-progress" }, { id: 2, status: "completed" });
    expect((await lab.items()).map(({ status }) => status)).toEqual([
      "completed",
      "completed",
      "in-progress",
    ]);
  });

  it("7.4 starting a second one is refused, and nothing of the call is stored", async () => {
    const before = await lab.todos.read("A");
    const { message, violations } = await failureOf(lab.tool, {
      operation: "update",
      todoUpdates: [{ id: 2, title: "Renamed" }, { id: 3, status: "in-progress" }, { id: 77 }],
    });
    expect(violations).toMatchObject([{ rule: "one-in-progress", todos: [2, 3] }]);
    expect(message).toContain("Todo 77 does not exist");
    expect(await lab.todos.read("A")).toEqual(before);
  });

  it.each([
    [
      "an unknown status",
      { id: 3, status: "done" },
      /Todo 3: status: .*not-started.*in-progress.*completed.*blocked/,
    ],
    ["a missing id", { status: "completed" }, /The update at index 1: id is missing/],
    ["an unknown id", { id: 99, title: "x" }, /Todo 99 does not exist\. Existing ids: 1, 2, 3/],
    ["a progress that is no number", { id: 3, progress: "65%" }, /Todo 3: progress/],
    ["an unknown priority", { id: 3, priority: "urgent" }, /Todo 3: priority: .*critical/],
    ["no object at all", 3, /The update at index 1: must be an object/],
  ])("7.15 %s fails, and the others are applied", async (_, bad, expected) => {
    const { text, data } = await update({ id: 2, progress: 0.5 }, bad);
    expect(text).toContain("1 applied, 1 failed, 0 redundant");
    expect(String(data?.failed)).toMatch(expected);
    expect(await lab.items()).toMatchObject([{}, { progress: 0.5 }, { status: "not-started" }]);
  });

  it("7.15 if every update failed, the call has failed", async () => {
    const failure = await failureOf(lab.tool, {
      operation: "update",
      todoUpdates: [
        { id: 3, status: "done" },
        { id: 99, status: "completed" },
      ],
    });
    expect(failure).toMatchObject({ success: false, applied: [], redundant: [] });
    expect(failure.message).toMatch(/Todo 3: status.*[\s\S]*Todo 99/);
  });

  it("7.15 if nothing changes, nothing is written, and the model is told not to repeat it", async () => {
    const before = await lab.todos.read("A");
    lab.wait(1000);
    const { text } = await update({ id: 2, status: "in-progress" }, { id: 1, status: "completed" });
    expect(text).toContain("0 applied, 0 failed, 2 redundant");
    expect(text).toContain("do not repeat");
    expect(await lab.todos.read("A")).toEqual(before);
    expect(lab.hub.posted).toHaveLength(1);
  });

  it("7.15 completing sets the progress to 1 unless it is given", async () => {
    await update({ id: 2, progress: 0.4 });
    await update({ id: 2, status: "completed" });
    const { text } = await update({ id: 3, status: "completed", progress: 0.8 });
    expect(await lab.items()).toMatchObject([{}, { progress: 1 }, { progress: 0.8 }]);
    expect(text).toMatch(/Todo 3 .*completed, but its progress is 0\.8/);
  });

  it("7.15 changes every field that it names", async () => {
    const fields = {
      title: "New",
      description: "Better.",
      status: "blocked",
      priority: "low",
      progress: 0.3,
      blockedReason: "No key.",
      dependencies: [1],
      canRunParallel: false,
      parallelGroup: "g",
    };
    await update({ id: 2, ...fields });
    expect((await lab.items())[1]).toMatchObject(fields);
  });

  it("7.8 a todo that was freed needs a new reason to be blocked again", async () => {
    await update({ id: 3, status: "blocked", blockedReason: "No key." });
    await update({ id: 3, status: "not-started" });
    const again = { operation: "update", todoUpdates: [{ id: 3, status: "blocked" }] };
    expect((await failureOf(lab.tool, again)).message).toMatch(/Todo 3 .*blockedReason/);
  });

  it("7.2 dates only the todo that changed", async () => {
    lab.wait(1000);
    await update({ id: 3, title: "New" });
    expect((await lab.items()).map(({ updatedAt }) => updatedAt)).toEqual([
      "2030-01-01T00:00:00.000Z",
      "2030-01-01T00:00:00.000Z",
      "2030-01-01T00:00:01.000Z",
    ]);
  });

  it("7.15 without a list it says to write one first", async () => {
    const args = { operation: "update", todoUpdates: [{ id: 1, status: "completed" }] };
    expect((await failureOf(lab.tool, args, contextOf("B"))).message).toMatch(
      /Use write or add first/,
    );
  });
});

describe("add", () => {
  it("7.16 numbers new todos after the highest, and leaves the others alone", async () => {
    await lab.write([todo(1, { status: "completed" }), todo(2), todo(7)]);
    const old = await lab.items();
    lab.wait(1000);
    const { text, data } = await add({ title: "Eighth" }, { title: "Ninth", id: 3 });
    expect(data?.ids).toEqual([8, 9]);
    expect(text).toMatchInlineSnapshot(`
      "Added:
      - Todo 8 ("Eighth")
      - Todo 9 ("Ninth")

      1/5 completed (20 %)
      Not started: [2] Task 2, [7] Task 7, [8] Eighth, [9] Ninth
      Completed: [1] Task 1"
    `);
    expect((await lab.items()).slice(0, 3)).toEqual(old);
  });

  it("7.16 begins a list at 1, not started", async () => {
    await add({ title: "First" });
    expect(await lab.items()).toMatchObject([
      { id: 1, title: "First", description: "", status: "not-started" },
    ]);
  });

  it("7.16 keeps every field, so that a blocked todo can be added", async () => {
    const fields = {
      title: "Deploy",
      description: "To staging.",
      status: "blocked",
      blockedReason: "No key.",
      priority: "high",
      dependencies: [1],
      progress: 0.5,
      canRunParallel: true,
      parallelGroup: "g",
    };
    await add({ title: "Build" }, fields);
    expect((await lab.items())[1]).toMatchObject({ id: 2, ...fields });
  });

  it("7.12 one bad todo keeps all of them out, and every problem is named", async () => {
    await lab.write([todo(1, { status: "in-progress" })]);
    const { message } = await failureOf(lab.tool, {
      operation: "add",
      newTodos: [
        { title: "Good" },
        { description: "No title" },
        { title: "Blocked", status: "blocked" },
        { title: "Second", status: "in-progress", dependencies: [40] },
      ],
    });
    expect(message).toContain("index 1: title is missing");
    expect(message).toMatch(/"Blocked"\) is blocked and needs a blockedReason/);
    expect(message).toMatch(/Only one todo may be in progress.*Todo 1.*Todo 5/);
    expect(message).toMatch(/"Second"\) depends on non-existent todo 40/);
    expect(await lab.items()).toHaveLength(1);
  });

  it("7.18 is serial, and two calls one after the other get distinct ids", async () => {
    expect(lab.tool.definition.operations.add?.execution).toBe("serial");
    const [first, second] = [await add({ title: "a" }), await add({ title: "b" })];
    expect([first.data?.ids, second.data?.ids]).toEqual([[1], [2]]);
  });
});

describe("a call without its parameter", () => {
  it.each([
    ["write", "todoList"],
    ["update", "todoUpdates"],
    ["add", "newTodos"],
  ])("7.17 %s says that it needs %s, with an example", async (operation, parameter) => {
    const example = new RegExp(`${parameter} must be a list.*"operation": "${operation}"`);
    expect((await failureOf(lab.tool, { operation })).message).toMatch(example);
    expect((await failureOf(lab.tool, { operation, [parameter]: "x" })).message).toMatch(example);
  });

  it.each([
    ["update", "todoUpdates"],
    ["add", "newTodos"],
  ])("7.16 %s of nothing is refused", async (operation, parameter) => {
    const { message } = await failureOf(lab.tool, { operation, [parameter]: [] });
    expect(message).toMatch(new RegExp(`${parameter} must not be empty`));
  });

  it("7.17 every example is a call that works", async () => {
    for (const operation of ["write", "update", "add"]) {
      const { message } = await failureOf(lab.tool, { operation });
      const example = /Example: (\{.*\})\. Expected/.exec(message)?.[1] ?? "";
      await expect(call(lab.tool, JSON.parse(example))).resolves.toHaveProperty("text");
    }
  });
});

describe("subtasks", () => {
  const part = (id: number, status: string, more: object = {}) => ({
    id,
    title: `Part ${id}`,
    status,
    ...more,
  });

  it.each([
    ["none done", [part(1, "not-started"), part(2, "not-started")], 0],
    ["one of two done", [part(1, "completed"), part(2, "not-started")], 0.5],
    ["one half done", [part(1, "in-progress", { progress: 0.5 }), part(2, "not-started")], 0.25],
    ["a completed part counts whole", [part(1, "completed", { progress: 0.1 })], 1],
  ])("give their todo its progress: %s [16.1]", async (_, subtasks, progress) => {
    await lab.write([todo(1, { status: "in-progress", subtasks })]);
    expect(await lab.items()).toMatchObject([{ progress }]);
  });

  it("move the progress of their todo when an update changes them [16.1]", async () => {
    await lab.write([todo(1, { subtasks: [part(1, "not-started"), part(2, "not-started")] })]);
    await update({ id: 1, subtasks: [part(1, "completed"), part(2, "not-started")] });
    expect(await lab.items()).toMatchObject([{ progress: 0.5 }]);
  });

  it("that are all completed propose to complete their todo, and open ones are named [16.1 16.3]", async () => {
    await lab.write([todo(1, { status: "in-progress", subtasks: [part(1, "not-started")] })]);
    const done = await update({ id: 1, subtasks: [part(1, "completed")] });
    expect(done.text).toContain('All subtasks of Todo 1 ("Task 1") are completed');
    await lab.write([todo(1, { status: "in-progress", subtasks: [part(1, "not-started")] })]);
    const early = await update({ id: 1, status: "completed" });
    expect(early.text).toContain("is completed, but 1 of its subtasks are not");
  });

  it("with a progress outside 0 to 1 are refused [7.9 16.1]", async () => {
    const { message } = await failureOf(lab.tool, {
      operation: "write",
      todoList: [todo(1, { subtasks: [part(7, "in-progress", { progress: 40 })] })],
    });
    expect(message).toContain("subtask 7 with progress 40");
    expect(await lab.items()).toEqual([]);
  });
});

describe("times", () => {
  const MINUTE = 60_000;

  it("of work add up over interruptions, and only while a todo is in progress [16.2]", async () => {
    await lab.write([todo(1, { status: "in-progress", estimatedMinutes: "20" })]);
    lab.wait(10 * MINUTE);
    await update({ id: 1, status: "not-started" });
    lab.wait(60 * MINUTE);
    await update({ id: 1, status: "in-progress" });
    lab.wait(15 * MINUTE);
    await update({ id: 1, title: "Renamed" });
    await update({ id: 1, status: "completed" });
    expect(await lab.items()).toMatchObject([{ workedMs: 25 * MINUTE, estimatedMinutes: 20 }]);
    expect((await lab.items())[0]).not.toHaveProperty("startedAt");
    const { text } = await call(lab.tool, { operation: "read" });
    expect(text).toContain("- [1] Renamed (took 25 min, estimated 20 min)");
  });

  it("are not taken for an estimate of nothing [16.2]", async () => {
    const todoList = [todo(1, { estimatedMinutes: 0 })];
    const { message } = await failureOf(lab.tool, { operation: "write", todoList });
    expect(message).toContain("estimate of 0 minutes");
  });
});
