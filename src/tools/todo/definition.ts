import { z } from "zod";
import { TodoStatus } from "../../contract/conversation/todo.ts";
import {
  count,
  detail,
  details,
  LINE_CHARS,
  phrase,
  saying,
  short,
} from "../../contract/display.ts";
import { defineTool, type RawArgs } from "../../contract/tools/operation.ts";
import { NewTodo, TodoUpdate, WrittenTodo } from "./items.ts";

const EXAMPLES = {
  todoList:
    '{"operation": "write", "todoList": [{"id": 1, "title": "Read the failing test", ' +
    '"description": "Find out what it expects.", "status": "in-progress"}]}',
  todoUpdates: '{"operation": "update", "todoUpdates": [{"id": 1, "status": "completed"}]}',
  newTodos:
    '{"operation": "add", "newTodos": [{"title": "Run all tests", "description": "All must pass."}]}',
};

/**
 * Offered to the model as a list of such items, but handed on unread: the tool judges each item by itself, so
 * that it can name every one that is wrong and, in an update, still take the others.
 */
function unread(name: keyof typeof EXAMPLES, item: z.ZodObject) {
  const { $schema: _, ...schema } = z.toJSONSchema(item, {
    io: "output",
    override: ({ jsonSchema }) => {
      // Any whole number, and fields that nobody asked for are passed over: nothing worth telling.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      delete jsonSchema.additionalProperties;
    },
  });
  return z.array(z.unknown().meta(schema), {
    error: `${name} must be a list of todos. Example: ${EXAMPLES[name]}`,
  });
}

function atLeastOne(name: keyof typeof EXAMPLES, item: z.ZodObject) {
  return unread(name, item).min(1, `${name} must not be empty. Example: ${EXAMPLES[name]}`);
}

const common = { level: "safe", category: "todo", execution: "serial" } as const;

export const todoOperations = defineTool({
  name: "todo_operations",
  position: 80,
  description:
    "Your own work list for this conversation: what you, the agent, plan to do. It is not the " +
    "to-do list of the people in the thread. They see it, so keep it true: mark a todo in-progress before you " +
    "start it and completed as soon as it is done. Only these operations change it; saying so in a message " +
    "does not.",
  operations: {
    read: {
      ...common,
      summary: "show the list with its progress",
      repeat: "safe",
      params: z.object({}),
      line: saying("Reading todo list"),
    },
    write: {
      ...common,
      summary: "replace the whole list; completed todos must stay in it",
      repeat: "safe",
      params: z.object({
        todoList: unread("todoList", WrittenTodo).describe("write: the whole list."),
      }),
      line: writeLine,
      details: writeDetails,
    },
    update: {
      ...common,
      summary: "change todos, e.g. complete one and start the next",
      repeat: "safe",
      params: z.object({
        todoUpdates: atLeastOne("todoUpdates", TodoUpdate).describe(
          "update: for each todo its id and what changes.",
        ),
      }),
      line: (args) => countLine("Updating", "todo", args.todoUpdates),
      details: (args) => titles(args.todoUpdates, updateDetail),
    },
    add: {
      ...common,
      summary: "append new todos; they are numbered after the highest id",
      repeat: "unsafe",
      params: z.object({
        newTodos: atLeastOne("newTodos", NewTodo).describe("add: the new todos, without ids."),
      }),
      line: (args) => countLine("Adding", "todo", args.newTodos),
      details: (args) => titles(args.newTodos, (todo) => titleOf(todo)),
    },
  },
});

function writeLine(args: RawArgs): string {
  const todos = records(args.todoList);
  const completed = todos.findLast((todo) => todo.status === "completed");
  if (completed) return phrase("Completed", titleOf(completed));
  const started = todos.find((todo) => todo.status === "in-progress");
  if (started) return phrase("Starting", titleOf(started));
  const tasks = Array.isArray(args.todoList) ? count(args.todoList.length, "task") : undefined;
  return phrase("Creating todo list", tasks);
}

function writeDetails(args: RawArgs): string[] {
  const byStatus = Map.groupBy(records(args.todoList), (todo) => todo.status);
  return details(
    ...TodoStatus.options.map((status) => {
      const number = byStatus.get(status)?.length;
      return detail(status, number === undefined ? undefined : String(number));
    }),
  );
}

function updateDetail(todo: RawArgs): string | undefined {
  const id = typeof todo.id === "number" || typeof todo.id === "string" ? todo.id : "?";
  return detail(`Todo ${short(String(id), 10)}`, short(todo.status, 20) ?? titleOf(todo));
}

const SHOWN_DETAILS = 10;

function titles(given: unknown, show: (todo: RawArgs) => string | undefined): string[] {
  return details(...records(given).slice(0, SHOWN_DETAILS).map(show));
}

function countLine(what: string, noun: string, given: unknown): string {
  return Array.isArray(given) ? `${what} ${count(given.length, noun)}` : `${what} ${noun}s`;
}

function titleOf(todo: RawArgs): string | undefined {
  return short(todo.title, LINE_CHARS.title);
}

function records(given: unknown): RawArgs[] {
  if (!Array.isArray(given)) return [];
  return given.filter((item) => typeof item === "object" && item !== null);
}
