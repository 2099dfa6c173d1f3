import type { AdapterLimits } from "../contract/adapter.ts";
import { visible } from "../contract/neutral.ts";
import type { Question } from "../contract/question.ts";
import type { TodoList } from "../contract/todo.ts";
import { boardLines } from "../contract/todo-board.ts";
import type { FileShare, View, ViewButton } from "../contract/view.ts";

/** A view, and a file with the whole where the view shows a part of it. */
export interface Excerpt {
  readonly view: View;
  readonly file?: FileShare;
}

/** Kept free for title, fences and buttons. */
const FRAME_CHARS = 300;
/** More lines than that are not read in a chat. */
const MOST_LINES = 40;

interface ExcerptOptions {
  readonly title: string;
  readonly text: string;
  readonly limits: AdapterLimits;
  readonly buttons?: readonly ViewButton[];
  /** What the file is called. */
  readonly fileName: string;
}

/** The end of some output. */
export function terminalExcerpt(options: ExcerptOptions): Excerpt {
  const { title, text, limits, buttons = [], fileName } = options;
  const lines = visible(text).replace(/\n$/, "").split("\n");
  const shown = lastThatFit(lines, limits.cardChars - FRAME_CHARS);
  const hiddenLines = lines.length - shown.length;
  const view: View = { kind: "terminal", title, text: shown.join("\n"), hiddenLines, buttons };
  const isWhole = hiddenLines === 0 && shown.join("\n") === lines.join("\n");
  return isWhole ? { view } : { view, file: textFile(fileName, text) };
}

/** The beginning of a diff, up to a line's end. */
export function diffExcerpt(options: ExcerptOptions): Excerpt {
  const { title, text, limits, buttons = [], fileName } = options;
  const room = limits.cardChars - FRAME_CHARS;
  if (text.length <= room) return { view: { kind: "diff", title, diff: text, buttons } };
  const window = text.slice(0, room);
  const diff = window.slice(0, window.lastIndexOf("\n") + 1) || window.toWellFormed();
  const view: View = { kind: "diff", title: `${title} (the beginning)`, diff, buttons };
  return { view, file: textFile(fileName, text) };
}

/** All todos of a list that has no room on its board. */
export function todoFile(todos: TodoList, { cardChars }: AdapterLimits): FileShare | undefined {
  const all = boardLines(todos, Number.POSITIVE_INFINITY).join("\n");
  return all.length <= cardChars ? undefined : textFile("todos.txt", `${all}\n`);
}

/** A question whose words have no room on its card. */
export function questionFile(
  question: Question,
  { cardChars }: AdapterLimits,
): FileShare | undefined {
  const { prompt, context = "" } = question;
  if (prompt.length + context.length <= cardChars - FRAME_CHARS) return undefined;
  return textFile("question.md", [...(context ? [context] : []), prompt].join("\n\n"));
}

function textFile(name: string, text: string): FileShare {
  return { name, mimeType: "text/plain", bytes: new TextEncoder().encode(text) };
}

/** The last lines; of a line that is too long by itself, its end. */
function lastThatFit(lines: readonly string[], room: number): string[] {
  const kept: string[] = [];
  let used = 0;
  for (const line of lines.slice(-MOST_LINES).toReversed()) {
    used += line.length + 1;
    if (used > room) break;
    kept.unshift(line);
  }
  const last = lines.at(-1) ?? "";
  return kept.length > 0 ? kept : [last.slice(-room).toWellFormed()];
}
