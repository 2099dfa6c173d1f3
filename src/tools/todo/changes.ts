import { isDeepStrictEqual } from "node:util";
import type { Todo, TodoList } from "../../contract/conversation/todo.ts";
import { type Draft, nameOf, readItems, subtaskProgress, TodoUpdate } from "./items.ts";

/** What became of the updates of one call, and the list as it would be. */
export interface Updated {
  readonly drafts: readonly Draft[];
  readonly applied: readonly string[];
  readonly failed: readonly string[];
  readonly redundant: readonly string[];
}

/** Applies those updates that can be read and name an existing todo, in their order. */
export function applyUpdates(before: readonly Todo[], updates: readonly unknown[]): Updated {
  const drafts = new Map(before.map((todo) => [todo.id, draftOf(todo)]));
  const applied: string[] = [];
  const failed: string[] = [];
  const redundant: string[] = [];

  for (const [index, value] of updates.entries()) {
    const { items, problems } = readItems(TodoUpdate, [value]);
    const [update] = items;
    if (!update) {
      const [first] = problems;
      const name = first?.id === undefined ? `The update at index ${index}` : `Todo ${first.id}`;
      failed.push(`${name}: ${problems.map((problem) => problem.message).join("; ")}.`);
      continue;
    }
    const old = drafts.get(update.id);
    if (!old) {
      failed.push(
        `Todo ${update.id} does not exist. Existing ids: ${[...drafts.keys()].join(", ")}.`,
      );
      continue;
    }
    const draft = changed(old, update);
    if (isDeepStrictEqual(draft, old)) {
      redundant.push(`${nameOf(old)} already has these values (${old.status}).`);
      continue;
    }
    drafts.set(draft.id, draft);
    applied.push(`${nameOf(draft)}: ${differences(old, draft).join(", ")}.`);
  }
  return { drafts: [...drafts.values()], applied, failed, redundant };
}

function changed(old: Draft, update: TodoUpdate): Draft {
  const completes = update.status === "completed" && old.status !== "completed";
  const draft: Draft = {
    ...old,
    ...update,
    ...subtaskProgress(update),
    ...(completes && update.progress === undefined ? { progress: 1 } : {}),
  };
  const unblocks = old.status === "blocked" && draft.status !== "blocked";
  if (!unblocks || update.blockedReason !== undefined) return draft;
  // Its old reason would excuse the next time that it is blocked.
  const { blockedReason: _, ...unblocked } = draft;
  return unblocked;
}

function differences(old: Draft, draft: Draft): string[] {
  const fields = Object.keys({ ...old, ...draft }) as (keyof Draft)[];
  return fields
    .filter((field) => !isDeepStrictEqual(old[field], draft[field]))
    .map((field) => (field === "status" ? `status ${old.status} → ${draft.status}` : field));
}

/** The list with its times: the times of a todo change only when the todo does. */
export function stamped(
  conversation: string,
  drafts: readonly Draft[],
  before: TodoList | undefined,
  now: string,
): TodoList {
  const old = new Map(before?.items.map((todo) => [todo.id, todo]));
  const items = drafts.map((draft): Todo => {
    const known = old.get(draft.id);
    if (known && isDeepStrictEqual(draftOf(known), draft)) return known;
    const createdAt = known?.createdAt ?? now;
    return { ...draft, createdAt, updatedAt: now, ...workTimes(known, draft, now) };
  });
  return { conversation, items, createdAt: before?.createdAt ?? now, updatedAt: now };
}

function workTimes(
  known: Todo | undefined,
  { status }: Draft,
  now: string,
): Pick<Todo, "startedAt" | "workedMs"> {
  const { startedAt, workedMs = 0 } = known ?? {};
  const before = workedMs > 0 ? { workedMs } : {};
  if (status === "in-progress") return { startedAt: startedAt ?? now, ...before };
  if (startedAt === undefined) return before;
  return { workedMs: workedMs + Date.parse(now) - Date.parse(startedAt) };
}

/** The todos of a list that were not there before, or not like this. */
export function changedSince(before: TodoList | undefined, list: TodoList): Todo[] {
  const old = new Map(before?.items.map((todo) => [todo.id, todo]));
  return list.items.filter((todo) => !isDeepStrictEqual(old.get(todo.id), todo));
}

export function draftOf(todo: Todo): Draft {
  const { createdAt: _, updatedAt: __, startedAt: ___, workedMs: ____, ...draft } = todo;
  return draft;
}
