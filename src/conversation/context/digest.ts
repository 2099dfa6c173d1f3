import { count } from "../../contract/display.ts";
import type { Message } from "./messages.ts";

const SUMMARY_CHARS = 600;
const QUOTED = 4;
const QUOTED_CHARS = 110;
const NAMED_TOOLS = 5;
const TOPICS = 5;
/** Of each message: the rest is mostly more of the same. */
const READ_CHARS = 4_000;
/** What people say tells more about a part of a conversation than what tools print. */
const WEIGHTS: Partial<Record<Message["type"], number>> = { user: 4, assistant: 2 };

/** What messages were about, from their own words and without asking anybody: always the same for the same messages. */
export function digestOf(
  messages: readonly Message[],
  { request }: { readonly request: string },
): { summary: string; topics: string[] } {
  return { summary: summaryOf(messages, request), topics: topicsOf(messages) };
}

/** The request is what a turn is about that still goes on: it stays in view, and its oldest steps do not. */
function summaryOf(messages: readonly Message[], request: string): string {
  const asked = messages.filter(({ type }) => type === "user");
  const answered = messages.filter(({ type }) => type === "assistant").slice(-1);
  const parts = [
    ...(asked.length === 0 ? [`on the way to “${firstLine(request)}”`] : []),
    ...ends(asked).map(({ author, text }) => `${author}: “${firstLine(text)}”`),
    ...(asked.length > QUOTED
      ? [`(${count(asked.length - QUOTED, "more message")} of people)`]
      : []),
    ...toolsUsed(messages),
    ...answered.map(({ text }) => `last said: “${firstLine(text)}”`),
  ];
  return parts.join("; ").slice(0, SUMMARY_CHARS).toWellFormed() || "only thoughts";
}

/** The first ones and the last ones. */
function ends(messages: readonly Message[]): readonly Message[] {
  if (messages.length <= QUOTED) return messages;
  return [...messages.slice(0, QUOTED / 2), ...messages.slice(-QUOTED / 2)];
}

function firstLine(text: string): string {
  const line = text.split("\n").find((one) => one.trim() !== "") ?? "";
  const whole = line.replace(/\s+/g, " ").trim();
  return whole.length > QUOTED_CHARS ? `${whole.slice(0, QUOTED_CHARS).toWellFormed()}…` : whole;
}

function toolsUsed(messages: readonly Message[]): string[] {
  const times = new Map<string, number>();
  for (const { tool } of messages) {
    if (tool !== undefined) times.set(tool, (times.get(tool) ?? 0) + 1);
  }
  if (times.size === 0) return [];
  const used = [...times].toSorted(([, a], [, b]) => b - a).slice(0, NAMED_TOOLS);
  return [`used ${used.map(([tool, number]) => `${tool} ${number}×`).join(", ")}`];
}

/** Words that are said often in some messages and not in all of them. */
function topicsOf(messages: readonly Message[]): string[] {
  const weights = new Map<string, number>();
  const spread = new Map<string, number>();
  for (const { type, text } of messages) {
    const words = tellingWords(text.slice(0, READ_CHARS));
    const times = new Map<string, number>();
    for (const word of words) times.set(word, (times.get(word) ?? 0) + 1);
    for (const [word, number] of times) {
      const weight = (WEIGHTS[type] ?? 1) * (1 + Math.log(number));
      weights.set(word, (weights.get(word) ?? 0) + weight);
      spread.set(word, (spread.get(word) ?? 0) + 1);
    }
  }
  const rarity = (word: string) => Math.log(1 + messages.length / (spread.get(word) ?? 1));
  return [...weights]
    .map(([word, weight]) => ({ word, score: weight * rarity(word) }))
    .toSorted((a, b) => b.score - a.score || (a.word < b.word ? -1 : 1))
    .slice(0, TOPICS)
    .map(({ word }) => word);
}

/** Names with dots, dashes and lines in them are one word: `config.ts`, `read_file`. */
function tellingWords(text: string): string[] {
  const words = text
    .replace(ESCAPES, " ")
    .normalize("NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{M}][\p{L}\p{M}\p{N}_.-]*[\p{L}\p{M}\p{N}]/gu);
  return (words ?? []).filter(
    (word) => word.length >= 3 && word.length <= 40 && !FILLERS.has(word),
  );
}

/** How JSON, which most results are, writes what stands between two words. */
const ESCAPES = /\\[\\nrt]/g;

const FILLERS = new Set(
  (
    "about above after again all also and any are because been before being but can could did does doing done down each " +
    "else error false few first for from get give given has have here how into its just last left let like line lines " +
    "made make may more most must need new next not now null off old one only operation other our out over own part please " +
    "result said same say says see shall she should some still success such take than that the their them then there these " +
    "they this those through too true two type under until use used using very was way well were what when where which " +
    "while who why will with would yes yet you your"
  ).split(" "),
);
