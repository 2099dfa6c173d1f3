import type { Todo, TodoList, TodoStatus } from "../../contract/conversation/todo.ts";
import { workTimeText } from "../../contract/todo-board.ts";
import { oneLine } from "./items.ts";
import { openIds, unmetDependencies } from "./rules.ts";

const GROUPS: readonly { readonly status: TodoStatus; readonly heading: string }[] = [
  { status: "in-progress", heading: "In progress" },
  { status: "blocked", heading: "Blocked" },
  { status: "not-started", heading: "Not started" },
  { status: "completed", heading: "Completed" },
];

const NO_TODOS = "There are no todos in this conversation. Use write or add to create the list.";

/** The whole list, as `read` shows it. */
export function listText(list: TodoList | undefined): string {
  if (!list || list.items.length === 0) return NO_TODOS;
  const open = openIds(list.items);
  const groups = GROUPS.flatMap(({ status, heading }) => {
    const todos = list.items.filter((todo) => todo.status === status);
    return todos.length > 0
      ? ["", `${heading}:`, ...todos.flatMap((todo) => lines(todo, open))]
      : [];
  });
  const end = open.size === 0 ? ["", ALL_DONE] : [];
  return [progressText(list.items), ...groups, ...end, "", `Last updated: ${list.updatedAt}`].join(
    "\n",
  );
}

const ALL_DONE = "All todos are completed: ready for new work. Use add for the next todos.";

/** "1/3 completed (33 %)". Rounded down, so that 100 % means all of them. */
function progressText(todos: readonly Todo[]): string {
  const completed = todos.filter((todo) => todo.status === "completed").length;
  return `${completed}/${todos.length} completed (${Math.floor((100 * completed) / todos.length)} %)`;
}

function lines(todo: Todo, open: ReadonlySet<number>): string[] {
  const unmet = unmetDependencies(todo, open);
  const waits = unmet.length > 0 ? [`  Waits for: ${unmet.join(", ")}`] : [];
  switch (todo.status) {
    case "in-progress": {
      const description = oneLine(todo.description);
      const about = description === "" ? [] : [`  ${description}`];
      return [`- ${label(todo)} (${remarks(todo)})`, ...about, ...waits];
    }
    case "blocked":
      return [
        `- ${label(todo)} (${remarks(todo)}): ${oneLine(todo.blockedReason ?? "")}`,
        ...waits,
      ];
    case "not-started":
      return [`- ${label(todo)} (${remarks(todo)})`, ...waits];
    case "completed": {
      const times = workTimeText(todo);
      return [`- ${label(todo)}${times === undefined ? "" : ` (${times})`}`];
    }
  }
}

function label(todo: Todo): string {
  return `[${todo.id}] ${oneLine(todo.title)}`;
}

function remarks(todo: Todo): string {
  const { priority = "medium", progress } = todo;
  const percent = progress === undefined ? undefined : `${Math.floor(progress * 100)} %`;
  return [`${priority} priority`, percent, workTimeText(todo)]
    .filter((remark) => remark !== undefined)
    .join(", ");
}

/** Who is in which state, in a line each: what stands below the result of every change. */
export function statusText(list: TodoList): string {
  if (list.items.length === 0) return NO_TODOS;
  const groups = GROUPS.flatMap(({ status, heading }) => {
    const todos = list.items.filter((todo) => todo.status === status);
    return todos.length > 0 ? [`${heading}: ${todos.map(label).join(", ")}`] : [];
  });
  return [progressText(list.items), ...groups].join("\n");
}

/** A heading with its points below, or nothing without points. */
export function section(heading: string, points: readonly string[]): string[] {
  return points.length > 0 ? [`${heading}:`, ...points.map((point) => `- ${point}`)] : [];
}
