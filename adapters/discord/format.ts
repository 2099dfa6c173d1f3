import {
  type APIComponentInContainer,
  type APIMessageTopLevelComponent,
  ComponentType,
} from "discord.js";
import { approves } from "../../src/contract/permission/approves.ts";
import type { ThreadId } from "../../src/contract/platform/incoming.ts";
import type { View } from "../../src/contract/platform/view.ts";
import { visibleLine } from "../../src/lib/text/neutral.ts";
import { type LocalTime, withTimes } from "../../src/lib/text/times.ts";
import { closedMarkdown } from "../../src/lib/text/write-markdown.ts";
import { viewText } from "../shared/view-text.ts";
import { buttonRows } from "./rendering/buttons.ts";
import { discordMarkdown, discordText } from "./rendering/markdown.ts";
import { threadKey, whisperKey } from "./thread.ts";

/** Discord takes 4,000 characters in all texts of a message together. */
const MOST_CHARS = 3_950;
const CARD_CHARS = 3_800;
const FOOTER_CHARS = 300;

export interface FormatOptions {
  readonly thread: ThreadId;
  /** For one person: what is not in its thread must not be taken for what is. */
  readonly isWhisper?: boolean;
  /** Stands in the message itself, so that it is found again where its answer was lost. */
  readonly mark?: number | undefined;
}

/** A reply is plain text; everything else is a card. */
export function render(view: View, options: FormatOptions): APIMessageTopLevelComponent[] {
  const shown = approvable(view);
  if (shown.kind === "reply") return replyComponents(shown, options);
  const rows = buttonRows(keyOf(options), shown);
  const inside: APIComponentInContainer[] = [
    { type: ComponentType.TextDisplay, content: cardText(shown) },
    ...rows,
  ];
  const color = accent(view);
  return [
    {
      type: ComponentType.Container,
      ...(options.mark === undefined ? {} : { id: options.mark }),
      ...(color === undefined ? {} : { accent_color: color }),
      components: inside,
    },
  ];
}

function keyOf({ thread, isWhisper = false }: FormatOptions): string {
  return isWhisper ? whisperKey(thread) : threadKey(thread);
}

function replyComponents(
  { text, footer }: Extract<View, { kind: "reply" }>,
  { mark }: FormatOptions,
): APIMessageTopLevelComponent[] {
  const below = discordText(visibleLine(footer ?? "").slice(0, FOOTER_CHARS), {
    mostChars: 2 * FOOTER_CHARS,
  });
  const mostChars = MOST_CHARS - below.length;
  const words = cut(discordMarkdown(text, { mostChars }), mostChars);
  const id = mark === undefined ? {} : { id: mark };
  return [
    { type: ComponentType.TextDisplay, content: words, ...id },
    ...(below === ""
      ? []
      : [{ type: ComponentType.TextDisplay as const, content: `-# ${below.toWellFormed()}` }]),
  ];
}

/** Escaping makes longer: what is left then has to be shorter. */
function cardText(view: View): string {
  if (view.kind === "approval") return wordsOf(view);
  for (let maxChars = CARD_CHARS; ; maxChars = Math.floor(maxChars * 0.8)) {
    const shown = wordsOf(view, { maxChars });
    if (shown.length <= MOST_CHARS || maxChars < 400) return cut(shown, MOST_CHARS);
  }
}

function wordsOf(view: View, options: { readonly maxChars?: number } = {}): string {
  const room = { mostChars: MOST_CHARS };
  const text = viewText(view, { ...options, localTimes: true });
  const shown = view.kind === "notice" ? discordMarkdown(text, room) : discordText(text, room);
  return withTimes(shown, ({ seconds, style }) => `<t:${seconds}:${TIME_STYLES[style]}>`);
}

/** Discord's own: the time of day, with its day, and how long ago. */
const TIME_STYLES: Readonly<Record<LocalTime["style"], string>> = {
  clock: "t",
  day: "f",
  ago: "R",
};

/** Never empty: Discord refuses that. */
function cut(text: string, most: number): string {
  if (text.trim() === "") return "…";
  if (text.length <= most) return text;
  const kept = text.slice(0, most - 8).toWellFormed();
  const isOpen = (kept.match(/```/g)?.length ?? 0) % 2 === 1;
  return isOpen ? `${kept}\n\`\`\`…` : `${kept.replace(/\\+$/, "")}…`;
}

function hasRoom(view: View): boolean {
  return wordsOf(view).length <= MOST_CHARS;
}

/** What cannot be shown in full cannot be approved: then only its end can be chosen. */
function approvable(view: View): View {
  if (view.kind !== "approval" || hasRoom(view)) return view;
  const buttons = view.buttons.filter(({ action }) => /:(?:deny|cancel)\b/.test(action));
  const text = closedMarkdown(
    viewText(view)
      .slice(0, CARD_CHARS - 300)
      .toWellFormed(),
  );
  const why =
    "This is too long for Discord, and a call that is not shown in full cannot be approved.";
  return { kind: "notice", level: "warning", text: `${why}\n\n${text}`, buttons };
}

const COLORS = {
  neutral: 0x5865f2,
  waiting: 0xf0b232,
  good: 0x23a55a,
  bad: 0xda373c,
  quiet: 0x80848e,
} as const;

function accent(view: View): number | undefined {
  switch (view.kind) {
    case "approval": {
      const { decision } = view.approval;
      if (!decision) return view.approval.risk === "phrase" ? COLORS.bad : COLORS.waiting;
      return approves(decision.choice) ? COLORS.good : COLORS.quiet;
    }
    case "question":
      return view.answer || view.isCancelled ? COLORS.quiet : COLORS.waiting;
    case "activity":
      return ACTIVITY_COLORS[view.status];
    case "notice":
      return { info: undefined, warning: COLORS.waiting, error: COLORS.bad }[view.level];
    case "todoBoard":
      return COLORS.neutral;
    default:
      return undefined;
  }
}

const ACTIVITY_COLORS = {
  working: COLORS.neutral,
  waiting: COLORS.waiting,
  done: COLORS.good,
  stopped: COLORS.quiet,
  failed: COLORS.bad,
} as const;
