import type { RawArgs } from "./operation.ts";

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

/** Why a call failed, in one line for people: without the marker and the data that only the model needs. */
export function failureLine(content: string): string {
  const [message = ""] = content.split("\n{", 1);
  return short(message.replace(/^Error \(\w+\): /, ""), FAILURE_CHARS) ?? "";
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
