import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Todo, type TodoList, TodoStatus } from "../../../src/contract/conversation/todo.ts";
import { type Store, StoreError } from "../../../src/contract/store.ts";
import { createTodos } from "../../../src/conversation/todos.ts";
import { Journal, LeaseLostError } from "../../../src/journal/journal.ts";
import { recordingHub } from "../../support/calls.ts";
import { type TodoLab, todoLab } from "../tools/todo/lab.ts";

let lab: TodoLab;
beforeEach(async () => {
  lab = await todoLab();
});
afterEach(() => lab[Symbol.asyncDispose]());

const time = "2030-01-01T00:00:00.000Z";
const listOf = (...items: Todo[]): TodoList => ({
  conversation: "A",
  items,
  createdAt: time,
  updatedAt: time,
});
const todo = (id: number): Todo => ({
  id,
  title: "x",
  description: "",
  status: "not-started",
  createdAt: time,
  updatedAt: time,
});

describe("the todos of a conversation", () => {
  it("are read as they were written, whatever is in them", async () => {
    // A number that JSON can hold: it does not tell minus zero from zero.
    const progress = fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0);
    const text = fc.string({ unit: "grapheme" });
    const status = fc.constantFrom(...TodoStatus.options);
    const subtask = fc.record(
      { id: fc.oneof(fc.integer(), text), title: text, status, progress },
      { requiredKeys: ["id", "title", "status"] },
    );
    const item: fc.Arbitrary<Todo> = fc.record(
      {
        id: fc.integer({ min: 1 }),
        title: text,
        description: text,
        status,
        priority: fc.constantFrom("low", "medium", "high", "critical"),
        dependencies: fc.array(fc.integer()),
        canRunParallel: fc.boolean(),
        parallelGroup: text,
        progress,
        blockedReason: text,
        subtasks: fc.array(subtask, { maxLength: 3 }),
        estimatedMinutes: progress,
        verifiedBy: text,
        startedAt: fc.constant(time),
        workedMs: progress,
        createdAt: fc.constant(time),
        updatedAt: fc.constant(time),
      },
      { requiredKeys: ["id", "title", "description", "status", "createdAt", "updatedAt"] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 8 }), async (items) => {
        await lab.todos.write(listOf(...items));
        expect(await lab.todos.read("A")).toEqual(listOf(...items));
      }),
      { numRuns: 100 },
    );
  });

  it("are one journal line per write, among whatever else is written meanwhile", async () => {
    await lab.store.append("A", 0, [{ kind: "message", data: "hello" }]);
    await lab.todos.write(listOf(todo(1)));
    await lab.store.append("A", 2, [
      { kind: "message", data: "more" },
      { kind: "message", data: "and more" },
    ]);
    await lab.todos.write(listOf(todo(1), todo(2)));
    const journal = await lab.store.read("A");
    expect(journal.map(({ kind }) => kind)).toEqual([
      "message",
      "todo",
      "message",
      "message",
      "todo",
    ]);
    expect(journal[4]?.data).toEqual(listOf(todo(1), todo(2)));
  });

  it("are not lost when ten are written at once", async () => {
    const lists = Array.from({ length: 10 }, (_, index) => listOf(todo(index + 1)));
    await Promise.all(lists.map((list) => lab.todos.write(list)));
    const journal = await lab.store.read("A");
    expect(journal.map(({ data }) => data)).toHaveLength(10);
    expect(journal.map(({ data }) => data)).toEqual(expect.arrayContaining(lists));
    expect(await lab.todos.read("A")).toEqual(journal.at(-1)?.data);
  });

  it("are told to those who watch only after they are durable", async () => {
    const hub = recordingHub();
    const broken: Store = {
      ...lab.store,
      append: () => Promise.reject(new StoreError("The disk is full. Make room.")),
    };
    await expect(createTodos(new Journal(broken), hub).write(listOf(todo(1)))).rejects.toThrow(
      "disk is full",
    );
    expect(hub.posted).toEqual([]);
  });

  it("are refused to a replica that has lost the conversation", async () => {
    const hub = recordingHub();
    const fenced: Store = {
      ...lab.store,
      append: () => Promise.resolve({ outcome: "fenced", fence: 7 }),
    };
    await expect(createTodos(new Journal(fenced), hub).write(listOf(todo(1)))).rejects.toThrow(
      LeaseLostError,
    );
    expect(hub.posted).toEqual([]);
  });

  it("are never taken for none when the journal holds something else", async () => {
    await lab.store.append("A", 0, [{ kind: "todo", data: { items: "?" } }]);
    await expect(lab.todos.read("A")).rejects.toThrow(/Line 1 .* should be a "todo"/);
  });
});
