import { plainLine } from "../lib/text/write-markdown.ts";
import type { Todo, TodoList, TodoStatus } from "./conversation/todo.ts";
import { count, short } from "./display.ts";

const SYMBOLS: Readonly<Record<TodoStatus, string>> = {
  completed: "✅",
  "in-progress": "🔄",
  blocked: "⛔",
  "not-started": "⬜",
};

/** Which todos people miss least: where not all have room, these go first. */
const EXPENDABLE: readonly TodoStatus[] = ["completed", "not-started", "blocked", "in-progress"];

const BAR_CELLS = 10;
const TODO_BAR_CELLS = 5;
const TITLE_CHARS = 150;

/**
 * A todo list, line by line, with the progress of the whole first. Never longer than `maxChars` with its line feeds;
 * what has no room is counted in the last line.
 */
export function boardLines(todos: TodoList, maxChars: number): string[] {
  const { items } = todos;
  const head = progressLine(items);
  if (items.length === 0) return [cutTo("No todos.", maxChars)];
  const lines = items.map(todoLine);
  const all = [head, ...lines];
  if (sizeOf(all) <= maxChars) return all;

  const rest = moreLine(items.length);
  const kept = new Set(mostWanted(items, lines, maxChars - sizeOf([head, rest]) - 1));
  const shown = lines.filter((_, index) => kept.has(index));
  const fitting = [head, ...shown, moreLine(items.length - shown.length)];
  return sizeOf(fitting) <= maxChars ? fitting : [cutTo(head, maxChars)];
}

/** "Todos 3/7 ▰▰▰▰▱▱▱▱▱▱ 42 %". Rounded down, so that 100 % means all of them. */
function progressLine(items: readonly Todo[]): string {
  const completed = items.filter(({ status }) => status === "completed").length;
  const share = completed / Math.max(1, items.length);
  return `Todos ${completed}/${items.length} ${bar(share, BAR_CELLS)} ${percent(share)}`;
}

function bar(share: number, cells: number): string {
  const full = Math.floor(share * cells);
  return "▰".repeat(full) + "▱".repeat(cells - full);
}

const percent = (share: number) => `${Math.floor(share * 100)} %`;

function todoLine(todo: Todo): string {
  const title = words(todo.title) ?? "(no title)";
  return `${SYMBOLS[todo.status]} ${todo.id}. ${title}${remarks(todo)}`;
}

function remarks(todo: Todo): string {
  const { status, progress, blockedReason, subtasks } = todo;
  const isMoving = status === "in-progress" && progress !== undefined && progress > 0;
  const done = subtasks?.filter((subtask) => subtask.status === "completed").length;
  const notes = [
    isMoving ? `${bar(progress, TODO_BAR_CELLS)} ${percent(progress)}` : undefined,
    subtasks?.length ? `${done}/${count(subtasks.length, "part")}` : undefined,
    workTimeText(todo),
    status === "blocked" ? words(blockedReason) : undefined,
  ].filter((note) => note !== undefined);
  return notes.length === 0 ? "" : ` (${notes.join(", ")})`;
}

/** The estimate, and beside it how long a completed todo took. Without an estimate no one asked for times. */
export function workTimeText({ status, estimatedMinutes, workedMs }: Todo): string | undefined {
  if (estimatedMinutes === undefined) return undefined;
  const estimate = `estimated ${minutes(estimatedMinutes)}`;
  if (status !== "completed" || workedMs === undefined) return estimate;
  return `took ${minutes(workedMs / 60_000)}, ${estimate}`;
}

function minutes(count: number): string {
  if (count < 1) return "under 1 min";
  const whole = Math.round(count);
  return whole < 60 ? `${whole} min` : `${Math.floor(whole / 60)} h ${whole % 60} min`;
}

function words(text: string | undefined): string | undefined {
  const cut = short(text, TITLE_CHARS);
  return cut === undefined ? undefined : plainLine(cut);
}

/** The places of as many lines as have room, the most telling ones first. */
function mostWanted(items: readonly Todo[], lines: readonly string[], room: number): number[] {
  const wanted = items
    .map(({ status }, index) => ({ index, rank: EXPENDABLE.indexOf(status) }))
    .sort((one, other) => other.rank - one.rank || one.index - other.index);
  const kept: number[] = [];
  let used = 0;
  for (const { index } of wanted) {
    used += (lines[index]?.length ?? 0) + 1;
    if (used > room) break;
    kept.push(index);
  }
  return kept;
}

const moreLine = (left: number) => `… and ${left} more`;

const sizeOf = (lines: readonly string[]) => lines.join("\n").length;

const cutTo = (line: string, chars: number) => line.slice(0, Math.max(0, chars));
