import type { Todo } from "../../contract/conversation/todo.ts";
import type { ReminderItem } from "../../contract/model.ts";
import { oneLine } from "../own-elements.ts";

const TITLE_CHARS = 200;
const REASON_CHARS = 300;
/** Of each kind: a list that is longer can be read with the tool. */
const SHOWN = 50;

/** How the todo list stands, and what that means for the next step. */
export function todoReminder(todos: readonly Todo[]): ReminderItem | undefined {
  if (todos.length === 0) return undefined;
  const having = (status: Todo["status"]) => todos.filter((todo) => todo.status === status);
  const [running, waiting, blocked] = [
    having("in-progress"),
    having("not-started"),
    having("blocked"),
  ];
  const text = [
    `Completed: ${having("completed").length} of ${todos.length}`,
    ...section("In progress", running, titled),
    ...section("Not started", waiting, titled),
    ...section("Blocked", blocked, (todo) => `${titled(todo)}${reasonOf(todo)}`),
    "",
    ruleFor(running, [...waiting, ...blocked]),
    "Only todo_operations changes this list; writing about it in your answer does not.",
  ].join("\n");
  return { type: "reminder", element: "todoList", text };
}

/** Proposes to complete the todos whose command or task has passed. */
export function completionReminder(
  todos: readonly Todo[],
  hasPassed: (check: string) => boolean,
): ReminderItem | undefined {
  const proven = todos.filter(
    ({ status, verifiedBy }) =>
      status !== "completed" && verifiedBy !== undefined && hasPassed(verifiedBy),
  );
  if (proven.length === 0) return undefined;
  const text = [
    ...section("The check of these todos has passed", proven, (todo) => {
      return `${titled(todo)} (${oneLine(todo.verifiedBy ?? "", TITLE_CHARS)})`;
    }),
    "Mark each of them completed now, unless something is still missing.",
  ].join("\n");
  return { type: "reminder", text };
}

function section(
  name: string,
  todos: readonly Todo[],
  line: (todo: Todo) => string,
): readonly string[] {
  if (todos.length === 0) return [];
  const more = todos.length > SHOWN ? [`- … and ${todos.length - SHOWN} more`] : [];
  return [`${name}:`, ...todos.slice(0, SHOWN).map((todo) => `- ${line(todo)}`), ...more];
}

function titled({ id, title }: Todo): string {
  return `[${id}] ${oneLine(title, TITLE_CHARS)}`;
}

function reasonOf({ blockedReason }: Todo): string {
  return blockedReason === undefined ? "" : ` (${oneLine(blockedReason, REASON_CHARS)})`;
}

function ruleFor(running: readonly Todo[], left: readonly Todo[]): string {
  if (running.length > 0) {
    const which = running.map(({ id }) => `[${id}]`).join(" ");
    return (
      `Go on with ${which}. It is in progress already: do not mark it so again. ` +
      "Mark it completed at once when it is done, before you begin anything else."
    );
  }
  if (left.length > 0) {
    return (
      "Nothing is in progress. Pick the next one that is not blocked and mark it in-progress with a tool call first, " +
      "then work on it."
    );
  }
  return "Everything is completed: ready for new work. Add todos with the add operation.";
}
