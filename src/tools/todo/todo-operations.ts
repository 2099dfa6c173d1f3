import type { TodoList, Todos } from "../../contract/conversation/todo.ts";
import { count } from "../../contract/display.ts";
import { ToolError } from "../../contract/tools/operation.ts";
import type { Answer, RunnableTool } from "../../contract/tools/tool-call.ts";
import { implement } from "../implement.ts";
import { applyUpdates, changedSince, draftOf, stamped } from "./changes.ts";
import { todoOperations } from "./definition.ts";
import {
  type Draft,
  NewTodo,
  nameOf,
  type Problem,
  readItems,
  subtaskProgress,
  WrittenTodo,
} from "./items.ts";
import { type Violation, violationsOf, warningsOf } from "./rules.ts";
import { listText, section, statusText } from "./text.ts";

interface Parts {
  readonly todos: Todos;
  /** Milliseconds, as `Date.now` gives them. */
  readonly now: () => number;
}

/** The agent's own work list. Either a call keeps all the rules, or nothing is stored. */
export function createTodoOperations(parts: Parts): RunnableTool {
  const { todos } = parts;
  return implement(todoOperations, {
    read: async (_, { conversation }) => {
      const list = await todos.read(conversation);
      return { text: listText(list), data: { todos: list?.items ?? [] } };
    },
    write: async ({ todoList }, { conversation }) =>
      write(parts, todoList, conversation, await todos.read(conversation)),
    update: async ({ todoUpdates }, { conversation }) =>
      update(parts, todoUpdates, conversation, await todos.read(conversation)),
    add: async ({ newTodos }, { conversation }) =>
      add(parts, newTodos, conversation, await todos.read(conversation)),
  });
}

async function write(
  parts: Parts,
  todoList: readonly unknown[],
  conversation: string,
  before: TodoList | undefined,
): Promise<Answer> {
  const { items, partial, problems } = readItems(WrittenTodo, todoList);
  refuse([...problems.map(unreadable), ...violationsOf(partial, before?.items)]);

  const drafts = items.map(
    (item): Draft => ({ description: "", ...item, ...subtaskProgress(item) }),
  );
  const list = stamped(conversation, drafts, before, time(parts));
  await parts.todos.write(list);

  const previous = before?.items.length ?? 0;
  const text = `The list now has ${count(list.items.length, "todo")} (before: ${previous}).`;
  const hints = items.filter((item) => !item.description?.trim()).map(withoutDescription);
  return report([text], before, list, { previousCount: previous, hints });
}

async function update(
  parts: Parts,
  todoUpdates: readonly unknown[],
  conversation: string,
  before: TodoList | undefined,
): Promise<Answer> {
  if (!before || before.items.length === 0) {
    throw new ToolError("invalidParameters", "There is no todo list yet. Use write or add first.");
  }
  const { drafts, applied, failed, redundant } = applyUpdates(before.items, todoUpdates);
  const outcome = { applied, failed, redundant };
  refuse(violationsOf(drafts, before.items), failed);
  if (failed.length === todoUpdates.length) {
    const message = ["No update could be applied.", ...section("Failed", failed)].join("\n");
    throw new ToolError("invalidParameters", message, outcome);
  }

  const list = stamped(conversation, drafts, before, time(parts));
  if (applied.length > 0) await parts.todos.write(list);

  const text = [
    `${applied.length} applied, ${failed.length} failed, ${redundant.length} redundant.`,
    ...section("Applied", applied),
    ...section("Failed", failed),
    ...section("Redundant; do not repeat these, continue with the next task", redundant),
  ];
  return report(text, before, applied.length > 0 ? list : before, outcome);
}

async function add(
  parts: Parts,
  newTodos: readonly unknown[],
  conversation: string,
  before: TodoList | undefined,
): Promise<Answer> {
  const old = before?.items ?? [];
  const highest = old.reduce((id, todo) => Math.max(id, todo.id), 0);
  const { items, partial, problems } = readItems(NewTodo, newTodos);
  // Numbered even if some are not readable, so that what can be judged is judged in the same call.
  const sketches = partial.map((item, index) => ({ ...item, id: highest + 1 + index }));
  refuse([...problems.map(unreadable), ...violationsOf([...old, ...sketches], old)]);

  const added = items.map(
    (item, index): Draft => ({
      description: "",
      status: "not-started",
      ...item,
      ...subtaskProgress(item),
      id: highest + 1 + index,
    }),
  );
  const drafts = [...old.map(draftOf), ...added];
  const list = stamped(conversation, drafts, before, time(parts));
  await parts.todos.write(list);

  const ids = added.map((todo) => todo.id);
  return report(section("Added", added.map(nameOf)), before, list, { ids });
}

function time({ now }: Parts): string {
  return new Date(now()).toISOString();
}

function unreadable({ index, id, message }: Problem): Violation {
  const name = id === undefined ? `The todo at index ${index}` : `Todo ${id} (index ${index})`;
  return {
    rule: "readable",
    todos: id === undefined ? [] : [id],
    message: `${name}: ${message}.`,
  };
}

/** Ends the call if a rule is broken. What failed for other reasons is told along. */
function refuse(violations: readonly Violation[], failed: readonly string[] = []): void {
  if (violations.length === 0) return;
  const lines = [
    "Nothing was changed. Correct this and try again.",
    ...violations.map(({ message }) => `- ${message}`),
    ...section("Also not applied", failed),
  ];
  throw new ToolError("invalidParameters", lines.join("\n"), { violations });
}

function withoutDescription(todo: { readonly id: number; readonly title: string }): string {
  return `${nameOf(todo)} has no description: say what to do and how to tell that it is done.`;
}

function report(
  text: readonly string[],
  before: TodoList | undefined,
  list: TodoList,
  { hints = [], ...data }: Record<string, unknown> & { hints?: readonly string[] },
): Answer {
  const warnings = warningsOf(changedSince(before, list), list.items);
  return {
    text: [
      ...text,
      "",
      statusText(list),
      ...section("Warnings", warnings),
      ...section("Hints", hints),
    ].join("\n"),
    data: { ...data, warnings, todos: list.items },
  };
}
