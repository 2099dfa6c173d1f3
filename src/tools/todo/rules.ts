import type { Todo } from "../../contract/conversation/todo.ts";
import { circles } from "./cycles.ts";
import { type Draft, nameOf, oneLine } from "./items.ts";

/** Something that a list may not be. Whoever breaks several rules is told of all of them. */
export interface Violation {
  readonly rule:
    | "readable"
    | "titled"
    | "unique-id"
    | "one-in-progress"
    | "dependency-exists"
    | "no-circle"
    | "blocked-has-reason"
    | "progress-range"
    | "estimate-range"
    | "completed-stays";
  /** The todos it is about, where they have an id. */
  readonly todos: readonly number[];
  readonly message: string;
}

type Sketch = Partial<Draft>;

/** All that is wrong with a list. Fields that could not be read are left out of it, and break no rule. */
export function violationsOf(list: readonly Sketch[], before: readonly Todo[] = []): Violation[] {
  return [
    ...list.flatMap(ofOneTodo),
    ...repeatedIds(list),
    ...severalInProgress(list),
    ...missingDependencies(list),
    ...circularDependencies(list),
    ...droppedCompleted(list, before),
  ];
}

function ofOneTodo(todo: Sketch): Violation[] {
  const found: Violation[] = [];
  const breaks = (rule: Violation["rule"], what: string) =>
    found.push({ rule, todos: idsOf([todo]), message: `${nameOf(todo)} ${what}` });

  if (todo.title?.trim() === "") breaks("titled", "needs a title.");
  if (todo.progress !== undefined && !(todo.progress >= 0 && todo.progress <= 1)) {
    breaks("progress-range", `has progress ${todo.progress}; it must be from 0.0 to 1.0.`);
  }
  for (const { id, progress } of todo.subtasks ?? []) {
    if (progress !== undefined && !(progress >= 0 && progress <= 1)) {
      breaks(
        "progress-range",
        `has subtask ${id} with progress ${progress}; it must be from 0.0 to 1.0.`,
      );
    }
  }
  if (todo.estimatedMinutes !== undefined && !(todo.estimatedMinutes > 0)) {
    breaks(
      "estimate-range",
      `has an estimate of ${todo.estimatedMinutes} minutes; it must be > 0.`,
    );
  }
  if (todo.status === "blocked" && !todo.blockedReason?.trim()) {
    breaks("blocked-has-reason", "is blocked and needs a blockedReason.");
  }
  return found;
}

function repeatedIds(list: readonly Sketch[]): Violation[] {
  const byId = Map.groupBy(list, (todo) => todo.id);
  return [...byId].flatMap(([id, same]) => {
    if (id === undefined || same.length < 2) return [];
    const titles = same.map((todo) => `"${oneLine(todo.title ?? "")}"`).join(", ");
    const message = `Id ${id} is used ${same.length} times: ${titles}. Every todo needs its own id.`;
    return [{ rule: "unique-id", todos: [id], message }];
  });
}

function severalInProgress(list: readonly Sketch[]): Violation[] {
  const running = list.filter((todo) => todo.status === "in-progress");
  if (running.length < 2) return [];
  const message =
    `Only one todo may be in progress, not ${running.length}: ${running.map(nameOf).join(", ")}. ` +
    "Complete the others or set them back in the same call.";
  return [{ rule: "one-in-progress", todos: idsOf(running), message }];
}

function missingDependencies(list: readonly Sketch[]): Violation[] {
  const ids = new Set(list.map((todo) => todo.id));
  return list.flatMap((todo) =>
    [...new Set(todo.dependencies)]
      .filter((dependency) => !ids.has(dependency))
      .map((dependency) => ({
        rule: "dependency-exists" as const,
        todos: idsOf([todo]),
        message: `${nameOf(todo)} depends on non-existent todo ${dependency}.`,
      })),
  );
}

function circularDependencies(list: readonly Sketch[]): Violation[] {
  const edges = new Map<number, readonly number[]>();
  const titles = new Map<number, Sketch>();
  for (const todo of list) {
    if (todo.id === undefined) continue;
    edges.set(todo.id, [...(edges.get(todo.id) ?? []), ...(todo.dependencies ?? [])]);
    titles.set(todo.id, todo);
  }
  return circles(edges).flatMap((circle) =>
    circle.map((id) => ({
      rule: "no-circle" as const,
      todos: [id],
      message: `${nameOf(titles.get(id) ?? { id })} ${circular(id, circle)}`,
    })),
  );
}

const SHOWN_OF_A_CIRCLE = 5;

function circular(id: number, circle: readonly number[]): string {
  if (circle.length === 1) return "depends on itself.";
  // One more than is shown, since the todo itself may be among them: a large circle is not copied per member.
  const near = circle.slice(0, SHOWN_OF_A_CIRCLE + 1).filter((other) => other !== id);
  const shown = near.slice(0, SHOWN_OF_A_CIRCLE);
  const hidden = circle.length - 1 - shown.length;
  const rest = hidden > 0 ? ` and ${hidden} more` : "";
  return `has a circular dependency through ${shown.join(", ")}${rest}.`;
}

function droppedCompleted(list: readonly Sketch[], before: readonly Todo[]): Violation[] {
  const ids = new Set(list.map((todo) => todo.id));
  return before
    .filter((todo) => todo.status === "completed" && !ids.has(todo.id))
    .map((todo) => ({
      rule: "completed-stays",
      todos: [todo.id],
      message: `${nameOf(todo)} is completed and must stay in the list: completed work is not deleted.`,
    }));
}

function idsOf(list: readonly Sketch[]): number[] {
  return list.flatMap((todo) => (todo.id === undefined ? [] : [todo.id]));
}

/** What is odd about these todos of a list, and allowed. */
export function warningsOf(todos: readonly Todo[], list: readonly Todo[]): string[] {
  const open = openIds(list);
  return todos.flatMap((todo) => {
    const unmet = unmetDependencies(todo, open);
    const { status, progress, subtasks = [] } = todo;
    const openParts = subtasks.filter((subtask) => subtask.status !== "completed").length;
    if (status === "completed" && openParts > 0) {
      return [`${nameOf(todo)} is completed, but ${openParts} of its subtasks are not.`];
    }
    if (status !== "completed" && subtasks.length > 0 && openParts === 0) {
      return [`All subtasks of ${nameOf(todo)} are completed: complete it too if it is done.`];
    }
    if (status === "completed" && progress !== undefined && progress < 1) {
      return [`${nameOf(todo)} is completed, but its progress is ${progress}.`];
    }
    if (status === "not-started" && progress !== undefined && progress > 0) {
      return [`${nameOf(todo)} is not started, but its progress is ${progress}.`];
    }
    if (status === "in-progress" && unmet.length > 0) {
      return [`${nameOf(todo)} is in progress, but depends on open todos: ${unmet.join(", ")}.`];
    }
    return [];
  });
}

export function openIds(list: readonly Todo[]): ReadonlySet<number> {
  return new Set(list.filter((todo) => todo.status !== "completed").map((todo) => todo.id));
}

/** The dependencies of a todo that are not completed. */
export function unmetDependencies(todo: Todo, open: ReadonlySet<number>): number[] {
  return [...new Set(todo.dependencies)].filter((dependency) => open.has(dependency));
}
