const DAY_MS = 24 * 60 * 60_000;

/** "09:13 UTC", with its day where that is not today. */
export function clockTime(at: string, now = new Date()): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "an unknown time";
  const [day, time] = [date.toISOString().slice(0, 10), date.toISOString().slice(11, 16)];
  if (day === now.toISOString().slice(0, 10)) return `${time} UTC`;
  const named = new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    timeZone: "UTC",
  }).format(date);
  return `${time} UTC on ${named}`;
}

/** "just now", "a minute ago", "5 minutes ago"; longer ago its time. */
function timeAgo(at: string, now: Date): string {
  const passedMs = now.getTime() - Date.parse(at);
  if (Number.isNaN(passedMs) || passedMs >= DAY_MS) return `at ${clockTime(at, now)}`;
  const minutes = Math.floor(passedMs / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return minutes === 1 ? "a minute ago" : `${minutes} minutes ago`;
  const hours = Math.floor(minutes / 60);
  return hours === 1 ? "an hour ago" : `${hours} hours ago`;
}

/** A time as an adapter shows it to each reader. */
export interface LocalTime {
  readonly seconds: number;
  /** "day" is a clock time with its day. */
  readonly style: "clock" | "day" | "ago";
  /** The same in words, for places that cannot show the reader's own time. */
  readonly words: string;
}

/** Two characters that Unicode keeps out of all text that is exchanged. */
const [BEGIN, END] = ["\uFDD0", "\uFDD1"];
/** Text of others cannot have it, so it cannot hold a time that adapters would show. */
const KEY = crypto.getRandomValues(new Uint32Array(2)).join("");
const WORDS = `[^${BEGIN}${END}]*`;
const LOCAL = new RegExp(`(${BEGIN}${KEY} -?\\d+ (?:clock|day|ago) ${WORDS}${END})`);
const FIELDS = new RegExp(`^${BEGIN}${KEY} (-?\\d+) (clock|day|ago) (${WORDS})${END}$`);
const FOREIGN = new RegExp(`${BEGIN}[^${BEGIN}${END} ]* -?\\d+ \\w+ (${WORDS})${END}`, "g");
const REST = new RegExp(`${BEGIN}${KEY}[^${END}]*$|[${BEGIN}${END}]`, "g");

/**
 * A time within the text of a notice or card: each reader sees it in their own way. From half a day on it has its day: where
 * the reader lives, it may be another one.
 */
export function localTime(at: string, now = new Date()): string {
  const words = clockTime(at, now);
  const isFar = Math.abs(Date.parse(at) - now.getTime()) >= DAY_MS / 2;
  return marked(at, isFar || words.includes(" on ") ? "day" : "clock", words);
}

/** The same for how long ago it was. */
export function localTimeAgo(at: string, now: Date): string {
  return marked(at, "ago", timeAgo(at, now));
}

function marked(at: string, style: LocalTime["style"], words: string): string {
  const seconds = Math.floor(Date.parse(at) / 1_000);
  return Number.isNaN(seconds) ? words : `${BEGIN}${KEY} ${seconds} ${style} ${words}${END}`;
}

/** Text and times in turns. */
export function splitTimes(text: string): (string | LocalTime)[] {
  if (!text.includes(BEGIN)) return [text];
  return text.split(LOCAL).map((piece) => {
    const [, seconds, style, words = ""] = FIELDS.exec(piece) ?? [];
    return seconds === undefined
      ? piece
      : { seconds: Number(seconds), style: style as LocalTime["style"], words };
  });
}

export function hasTimes(text: string): boolean {
  return LOCAL.test(text);
}

/** The text with its times as an adapter shows them. */
export function withTimes(text: string, show: (time: LocalTime) => string): string {
  return splitTimes(text)
    .map((piece) => (typeof piece === "string" ? piece : show(piece)))
    .join("");
}

/** The text with its times in words. */
export function timesInWords(text: string): string {
  return withTimes(text, ({ words }) => words);
}

/** Without what looks like a time and is none: forged, cut off, or written by a process that has ended. */
export function withoutForeignTimes(text: string): string {
  if (!text.includes(BEGIN) && !text.includes(END)) return text;
  return text
    .split(LOCAL)
    .map((piece) => (LOCAL.test(piece) ? piece : piece.replace(FOREIGN, "$1").replace(REST, "")))
    .join("");
}
