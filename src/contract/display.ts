import type { RawArgs } from "./tools/operation.ts";

/** How long a value may be in a line for people; a longer one ends in "...". */
export const LINE_CHARS = { query: 50, command: 80, input: 50, title: 35 } as const;
/** The same for the details below the line. */
export const DETAIL_CHARS = { command: 70, input: 60, message: 70 } as const;

type Line = (args: RawArgs) => string;

/** "Reading file: notes.md" from the path in this argument. */
export function naming(what: string, argument: string): Line {
  return (args) => phrase(what, fileName(args[argument]));
}

/** "Searching code: q" from the text in this argument. */
export function quoting(what: string, argument: string, chars: number): Line {
  return (args) => phrase(what, short(args[argument], chars));
}

export function saying(what: string): Line {
  return () => what;
}

/** Without a value it is the phrase alone. */
export function phrase(what: string, value?: string): string {
  return value === undefined ? what : `${what}: ${value}`;
}

/** Those that have something to say, e.g. `details("Pattern", …)` beside `undefined`. */
export function details(...lines: readonly (string | undefined)[]): string[] {
  return lines.filter((line) => line !== undefined);
}

/** "Pattern: q", or nothing without a value. */
export function detail(what: string, value: string | undefined): string | undefined {
  return value === undefined ? undefined : `${what}: ${value}`;
}

/** "1 line", "3 lines". */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** The last part of a path and never the whole. Undefined for what is no path, or names no file. */
export function fileName(path: unknown): string | undefined {
  if (typeof path !== "string") return undefined;
  const name = path.slice(-LOOKED_AT_CHARS).trim().replace(/\/+$/, "").split("/").at(-1);
  return name === "." || name === ".." ? undefined : short(name, LINE_CHARS.command);
}

/** One printable line of at most so many characters. Undefined for what is no text, or has nothing to show. */
export function short(value: unknown, chars: number): string | undefined {
  if (typeof value !== "string") return undefined;
  const shown = Array.from(printableLine(value.slice(0, LOOKED_AT_CHARS)));
  const isCut = shown.length > chars || value.length > LOOKED_AT_CHARS;
  if (shown.length === 0) return undefined;
  return isCut ? `${shown.slice(0, chars - 3).join("")}...` : shown.join("");
}

/** Why a call failed, for people: words of ours, or the end of what a program printed. */
export interface Failure {
  readonly words?: string;
  readonly output?: string;
}

/** A message of ours says in its first sentence what happened, and then what the model should do: that is left out. */
export function failureOf(content: string): Failure {
  const { kind, message, data } = partsOfFailure(content);
  if (kind === undefined || "exit_code" in data)
    return { output: endOf(textIn(data.output) ?? message) };
  if (kind === "invalidParameters") return { words: "The agent's call was malformed." };
  if (kind === "toolNotFound") return { words: "This tool does not exist." };
  if (data.rejected === true) return { words: "Denied." };
  if (data.cancelled === true) return { words: "Cancelled." };
  const said = message.replace(/^[a-z_]+\.[a-z_]+ failed: /, "");
  const words = kind === "permissionDenied" ? withoutOperations(said) : firstSentence(said);
  return { words: short(words, FAILURE_CHARS) ?? "" };
}

/** The same for a call that a person typed: they can correct what they gave, and use the way that a refusal names. */
export function typedFailureOf(content: string): string {
  const { kind, message } = partsOfFailure(content);
  if (kind === "invalidParameters" || kind === "permissionDenied") return message;
  const [first = "", ...others] = message.split("\n");
  return [withoutOperations(first), ...others].join("\n");
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** The marker that no success has, the message, and what is known beside it: one line of JSON at the end. */
function partsOfFailure(content: string) {
  const kind = /^Error \((\w+)\): /.exec(content);
  const end = content.lastIndexOf("\n{");
  const data = kind && end !== -1 ? jsonObject(content.slice(end + 1)) : undefined;
  const isCut = kind && !data && /\n\n\[(?:Stored as|Warning: cut off)/.test(content);
  const messageEnd = isCut ? content.indexOf('\n{"') : -1;
  const before = messageEnd === -1 ? content.length : messageEnd;
  const message = content.slice(kind?.[0].length ?? 0, data ? end : before);
  return { kind: kind?.[1], message, data: data ?? {} };
}

function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // The last line of the message itself.
  }
}

/** The next one begins with a capital letter or the name of an operation. */
function firstSentence(text: string): string {
  return /^[\s\S]*?[.!?](?=\s+(?:[A-Z]|[a-z]+_[a-z]))/.exec(text)?.[0] ?? text;
}

/** A refusal says what people can do about it; sentences that name an operation are for the model. */
function withoutOperations(text: string): string {
  const sentences = text.split(/(?<=[.!?])\s+(?=[A-Z])/);
  const [first = "", ...others] = sentences;
  return [first, ...others.filter((sentence) => !/\b[a-z]+_[a-z]+/.test(sentence))].join(" ");
}

/** The last whole lines that have room. */
function endOf(text: string): string {
  const whole = text.trimEnd();
  if (whole.length <= FAILURE_CHARS) return whole;
  const end = whole.slice(-FAILURE_CHARS).toWellFormed();
  return end.slice(end.indexOf("\n") + 1);
}

const FAILURE_CHARS = 300;

// Nothing shown is longer than a hundred characters: no need to clean ten megabytes.
const LOOKED_AT_CHARS = 2000;

/** On one line and without invisible characters. Adapters escape what their platform would act upon. */
function printableLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replace(/\p{Cf}/gu, "")
    .trim();
}
