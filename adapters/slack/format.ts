import type { ActivityLine, View } from "../../src/contract/platform/view.ts";
import { boardLines } from "../../src/contract/todo-board.ts";
import { visible, visibleLine } from "../../src/lib/text/neutral.ts";
import { hasTimes } from "../../src/lib/text/times.ts";
import {
  closedMarkdown,
  codeBlock,
  literal,
  plainLine,
} from "../../src/lib/text/write-markdown.ts";
import { viewText } from "../shared/view-text.ts";
import { type Anchor, buttonRows } from "./rendering/buttons.ts";
import { markdownBlocks, plainText } from "./rendering/markdown.ts";
import { type Block, richText } from "./rendering/rich-text.ts";

/** What Slack is given to show: blocks, and the same in words for notifications and screen readers. */
export interface Rendered {
  readonly text: string;
  readonly blocks: readonly Block[];
}

export interface FormatOptions extends Anchor {
  /** False where the workspace has refused plans: then they are lists. */
  readonly hasPlans: boolean;
}

/** Slack weighs a message by its characters and blocks; more than about 13,300 it refuses. */
const CARD_CHARS = 11_000;
const TEXT_CHARS = 3_900;
const MOST_TASKS = 50;

export function render(view: View, options: FormatOptions): Rendered {
  const shown = approvable(view);
  const rows = buttonRows(shown, options);
  return { text: fallbackText(shown), blocks: [...content(shown, options), ...rows] };
}

function content(view: View, { hasPlans }: FormatOptions): Block[] {
  if (view.kind === "reply") return replyBlocks(view);
  const plan = hasPlans ? planOf(view) : undefined;
  if (plan) return [plan];
  const text = viewText(view, { maxChars: CARD_CHARS, localTimes: true });
  // What the bot itself says is Markdown; on all other cards only code is marked up, and nothing else may look so.
  if (view.kind !== "notice") return [richText(text)];
  // Only rich text shows each reader their own time.
  return hasTimes(text) ? [richText(text, { hasBold: true })] : markdownBlocks(text);
}

function replyBlocks({ text, footer }: Extract<View, { kind: "reply" }>): Block[] {
  const blocks = markdownBlocks(text);
  return [...(blocks.length === 0 ? [NOTHING_YET] : blocks), ...footerBlocks(footer)];
}

const NOTHING_YET: Block = { type: "markdown", text: "…" };

export function footerBlocks(footer: string | undefined): Block[] {
  const line = visibleLine(footer ?? "");
  if (line === "") return [];
  const words = { type: "plain_text", text: line.slice(0, 2_000).toWellFormed(), emoji: false };
  return [{ type: "context", elements: [words] }];
}

/** What cannot be shown in full cannot be approved: then only its end can be chosen. */
function approvable(view: View): View {
  if (view.kind !== "approval" || viewText(view).length <= CARD_CHARS) return view;
  const buttons = view.buttons.filter(({ action }) => /:(?:deny|cancel)\b/.test(action));
  const closed = closedMarkdown(`${viewText(view).slice(0, CARD_CHARS - 200)}\n…`);
  const why =
    "This is too long for Slack, and a call that is not shown in full cannot be approved.";
  return { kind: "notice", level: "warning", text: `${why}\n\n${closed}`, buttons };
}

/** Slack's markup in a text would be acted upon; its three signs are written as entities. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function fallbackText(view: View): string {
  const words = plainText(viewText(view, { maxChars: TEXT_CHARS })) || "…";
  return shortEscaped(words, TEXT_CHARS);
}

/** Escaping makes longer; entities are not cut. */
export function shortEscaped(text: string, most: number): string {
  let kept = text.slice(0, most).toWellFormed();
  while (escaped(kept).length > most) kept = kept.slice(0, Math.floor(kept.length * 0.8));
  return escaped(kept.toWellFormed());
}

function planOf(view: View): Block | undefined {
  if (view.kind === "todoBoard") return boardPlan(view);
  if (view.kind === "activity") return activityPlan(view);
  return undefined;
}

type TaskStatus = "pending" | "in_progress" | "complete" | "error";

const TODO_STATUS = {
  "not-started": "pending",
  "in-progress": "in_progress",
  completed: "complete",
  blocked: "error",
} as const satisfies Record<string, TaskStatus>;

/** Undefined where there are none, or too many for a plan. */
function boardPlan({ todos }: Extract<View, { kind: "todoBoard" }>): Block | undefined {
  const { items } = todos;
  if (items.length === 0 || items.length > MOST_TASKS) return undefined;
  const [title = "", ...lines] = boardLines(todos, CARD_CHARS);
  if (lines.length !== items.length) return undefined;
  const tasks = items.map(({ id, status }, index) => ({
    type: "task_card",
    task_id: `todo-${id}`,
    title: literal((lines[index] ?? "").replace(/^\S+ /, "")),
    status: TODO_STATUS[status],
  }));
  return { type: "plan", title, tasks };
}

const CALL_STATUS: Readonly<Record<ActivityLine["status"], TaskStatus>> = {
  queued: "pending",
  running: "in_progress",
  userInputRequired: "in_progress",
  success: "complete",
  error: "error",
};

const ACTIVITY_TITLES = {
  working: "Working …",
  waiting: "Waiting for your response",
  done: "Done",
  stopped: "Stopped",
  failed: "Failed",
} as const;

function activityPlan({
  lines,
  status,
  note,
}: Extract<View, { kind: "activity" }>): Block | undefined {
  const chars = lines.reduce((sum, line) => sum + JSON.stringify(line).length, 0);
  if (lines.length === 0 || lines.length > MOST_TASKS || chars > CARD_CHARS) return undefined;
  const title = [ACTIVITY_TITLES[status], ...(note === undefined ? [] : [visibleLine(note)])];
  return { type: "plan", title: title.join(" "), tasks: lines.map(taskOf) };
}

function taskOf({ callId, title, details, status, output, parent }: ActivityLine, index: number) {
  const origin = parent === undefined ? "" : ` (${visibleLine(parent)})`;
  const below = details.map(plainLine).join("\n");
  return {
    type: "task_card",
    task_id: `${index}-${visible(callId).slice(0, 60)}`,
    title: `${visibleLine(title)}${origin}`.trim() || "…",
    status: CALL_STATUS[status],
    ...(below.trim() === "" ? {} : { details: richText(below) }),
    ...(visible(output ?? "").trim() === "" ? {} : { output: richText(codeBlock(output ?? "")) }),
  };
}
