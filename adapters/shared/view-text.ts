import { approvalText } from "../../src/contract/approval-text.ts";
import { count } from "../../src/contract/display.ts";
import type { ActivityLine, View } from "../../src/contract/platform/view.ts";
import { boardLines } from "../../src/contract/todo-board.ts";
import { localTime, timesInWords } from "../../src/lib/text/times.ts";
import {
  closedMarkdown,
  codeBlock,
  codeSpan,
  plainLine,
} from "../../src/lib/text/write-markdown.ts";

type Kind<Name extends View["kind"]> = Extract<View, { kind: Name }>;

/**
 * Any view as text. Replies and notices are Markdown; in all others only code is marked up and everything else means
 * itself. It is not escaped: adapters do that in their platform's own way. Buttons are left out. Lists, output and diffs
 * keep to `maxChars`; replies come split, and approvals are never cut.
 */
export function viewText(
  view: View,
  { maxChars = Number.POSITIVE_INFINITY, localTimes = false }: TextOptions = {},
): string {
  const text = textOf(view, maxChars);
  return localTimes ? text : timesInWords(text);
}

interface TextOptions {
  readonly maxChars?: number;
  /** True: its times are left for the adapter to show (`withTimes`); else they are words. */
  readonly localTimes?: boolean;
}

function textOf(view: View, maxChars: number): string {
  switch (view.kind) {
    case "reply":
      return [closedMarkdown(view.text), ...(view.footer ? [plainLine(view.footer)] : [])].join(
        "\n\n",
      );
    case "activity":
      return activityText(view, maxChars);
    case "todoBoard":
      return boardLines(view.todos, maxChars).join("\n");
    case "approval":
      return approvalText(view);
    case "question":
      return questionText(view, maxChars);
    case "terminal":
      return blockText(terminalTitle(view), view.text, { maxChars, keeps: "end" });
    case "diff":
      return blockText(view.title, view.diff, { maxChars, keeps: "beginning", language: "diff" });
    case "notice":
      return cut(noticeText(view), maxChars);
    case "picker":
      return cut([plainLine(view.title), ...view.options.map(optionText)].join("\n"), maxChars);
  }
}

/** A list, code, heading or table begins a line of its own, or Markdown does not read it as one. */
function noticeText({ level, text }: Kind<"notice">): string {
  const shown = closedMarkdown(text);
  if (!BLOCK.test(shown)) return `${NOTICE_SYMBOLS[level]} ${shown}`;
  return level === "info" ? shown : `${NOTICE_SYMBOLS[level]}\n${shown}`;
}

const BLOCK = /^(?:[-*+] |\d+[.)] |#{1,6} |```|~~~|\||>)/;

const NOTICE_SYMBOLS = { info: "ℹ️", warning: "⚠️", error: "❌" } as const;

const CALL_SYMBOLS: Readonly<Record<ActivityLine["status"], string>> = {
  queued: "⏳",
  running: "▶️",
  success: "✅",
  error: "❌",
  userInputRequired: "✋",
};

const ACTIVITY_WORDS: Readonly<Record<Kind<"activity">["status"], string>> = {
  working: "Working …",
  waiting: "Waiting for your response",
  done: "Done",
  stopped: "Stopped",
  failed: "Failed",
};

/** The newest calls stay where not all have room. */
function activityText({ lines, status, note }: Kind<"activity">, maxChars: number): string {
  const head = [ACTIVITY_WORDS[status], ...(note === undefined ? [] : [plainLine(note)])].join(" ");
  const calls = lines.map(callText);
  const room = maxChars - head.length - 1;
  if (calls.join("\n").length <= room) return [head, ...calls].join("\n");
  const kept = lastThatFit(calls, room - earlierLine(calls.length).length - 1);
  return cut([head, earlierLine(calls.length - kept.length), ...kept].join("\n"), maxChars);
}

const earlierLine = (calls: number) => `… and ${calls} earlier`;

function callText({ title, details, status, output, parent }: ActivityLine): string {
  const indent = parent === undefined ? "" : "  ↳ ";
  const below = parent === undefined ? "  " : "    ";
  const origin = parent === undefined ? "" : ` (${plainLine(parent)})`;
  return [
    `${indent}${CALL_SYMBOLS[status]} ${plainLine(title)}${origin}`,
    ...details.map((detail) => `${below}${plainLine(detail)}`),
    ...(output?.trim() ? [codeBlock(output)] : []),
  ].join("\n");
}

/** What a yes allows and how it stands are always seen; of long words the beginning. */
function questionText(view: Kind<"question">, maxChars: number): string {
  const { prompt, context, asker, addressee, operation, answer, isCancelled } = view;
  const head = [
    "❓ Question",
    ...(asker === undefined ? [] : [`from ${cut(plainLine(asker), 100)}`]),
    ...(addressee === undefined ? [] : [`for ${cut(plainLine(addressee), 100)}`]),
  ].join(" ");
  const end = [
    ...(operation === undefined ? [] : [`A yes allows: ${codeSpan(operation)}`]),
    cut(questionStatus(answer, isCancelled === true), Math.max(200, maxChars / 3)),
  ].join("\n");
  const room = Math.max(0, maxChars - head.length - end.length - 4);
  const asked = cut(closedMarkdown(prompt), context ? Math.ceil(room / 2) : room);
  const known = context ? [cut(closedMarkdown(context), room - asked.length)] : [];
  return [head, asked, ...known, end].join("\n");
}

function questionStatus(answer: Kind<"question">["answer"], isCancelled: boolean): string {
  if (answer) {
    return `Answered by ${plainLine(answer.by)} at ${localTime(answer.at)}: ${closedMarkdown(answer.text)}`;
  }
  return isCancelled ? "Cancelled" : "Waiting for your response";
}

function terminalTitle({ title, hiddenLines }: Kind<"terminal">): string {
  return hiddenLines === 0 ? title : `${title} (${count(hiddenLines, "more line")} above)`;
}

/** A title and a block of text, whose beginning or end has room. */
function blockText(
  title: string,
  text: string,
  { maxChars, keeps, language }: BlockOptions,
): string {
  const head = plainLine(title);
  const room = Math.max(0, maxChars - head.length - BLOCK_CHARS);
  if (text.length <= room) return `${head}\n${codeBlock(text, language)}`;
  const kept = keeps === "end" ? text.slice(text.length - room) : text.slice(0, room);
  const block = `${head}\n${codeBlock(kept, language)}\n… ${count(text.length - room, "more character")}`;
  return block.length <= maxChars ? block : cut(head, maxChars);
}

interface BlockOptions {
  readonly maxChars: number;
  readonly keeps: "beginning" | "end";
  readonly language?: string;
}

/** Fences, line feeds, and the line that says how much is missing. */
const BLOCK_CHARS = 60;

/** Ends in how much is missing. A cut may halve code, which is closed again. */
function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const more = ` … ${text.length} characters in all`;
  for (let room = maxChars - more.length; room > 0; room = Math.floor(room * 0.9)) {
    const kept = closedMarkdown(text.slice(0, room).toWellFormed().replace(/\\+$/, ""));
    if (kept.length + more.length <= maxChars) return kept + more;
  }
  return more.slice(0, maxChars);
}

function optionText({ label, detail }: Kind<"picker">["options"][number]): string {
  return `- ${plainLine(label)}${detail ? `: ${plainLine(detail)}` : ""}`;
}

function lastThatFit(texts: readonly string[], room: number): string[] {
  const kept: string[] = [];
  let used = 0;
  for (const text of texts.toReversed()) {
    used += text.length + 1;
    if (used > room) break;
    kept.unshift(text);
  }
  return kept;
}
