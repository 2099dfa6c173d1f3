import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Todo, Todos } from "../../../../src/contract/conversation/todo.ts";
import type { Store } from "../../../../src/contract/store.ts";
import type { RunnableTool } from "../../../../src/contract/tools/tool-call.ts";
import { createTodos } from "../../../../src/conversation/todos.ts";
import { Journal } from "../../../../src/journal/journal.ts";
import { openStore } from "../../../../src/store/open-store.ts";
import { createTodoOperations } from "../../../../src/tools/todo/todo-operations.ts";
import { call, contextOf, recordingHub } from "../../../support/calls.ts";

/** The tool on a real store, and a clock that stands still until a test moves it. */
export interface TodoLab extends AsyncDisposable {
  readonly tool: RunnableTool;
  readonly todos: Todos;
  readonly store: Store;
  readonly hub: ReturnType<typeof recordingHub>;
  wait(ms: number): void;
  write(todoList: readonly object[], conversation?: string): Promise<string>;
  items(conversation?: string): Promise<readonly Todo[]>;
  /** Another process on the same store. */
  reopen(): Promise<Todos>;
}

export async function todoLab(): Promise<TodoLab> {
  const directory = mkdtempSync(join(tmpdir(), "todos-"));
  const stores: Store[] = [];
  const open = async () => {
    const store = await openStore({ kind: "sqlite", file: join(directory, "store.db") });
    stores.push(store);
    return store;
  };
  let time = Date.parse("2030-01-01T00:00:00Z");
  const hub = recordingHub();
  const store = await open();
  const todos = createTodos(new Journal(store), hub);
  const tool = createTodoOperations({ todos, now: () => time });
  return {
    tool,
    todos,
    store,
    hub,
    wait: (ms) => {
      time += ms;
    },
    write: async (todoList, conversation = "A") =>
      (await call(tool, { operation: "write", todoList }, contextOf(conversation))).text,
    items: async (conversation = "A") => (await todos.read(conversation))?.items ?? [],
    reopen: async () => createTodos(new Journal(await open()), recordingHub()),
    [Symbol.asyncDispose]: async () => {
      for (const opened of stores) await opened[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
