import { inspect } from "node:util";
import { isForOperators } from "./operator-error.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Must not throw. */
export type Log = (level: LogLevel, message: string, fields?: Record<string, unknown>) => void;

export interface LogOptions {
  /** Where lines go, each with its line feed. */
  readonly write: (line: string) => unknown;
  /** Nothing reaches `write` without it. */
  readonly redact: (text: string) => string;
  readonly format?: "text" | "json";
  /** Less important lines are left out. */
  readonly level?: LogLevel;
  readonly clock?: () => Date;
}

/** One line for each thing that happened, without secrets. A line that cannot be written is lost, and nothing else. */
export function createLog(options: LogOptions): Log {
  const {
    write,
    redact,
    format = "text",
    level: least = "info",
    clock = () => new Date(),
  } = options;
  return (level, message, fields = {}) => {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(least)) return;
    try {
      const line = { at: clock().toISOString(), level, message: redact(message) };
      const text = format === "json" ? asJson(line, fields, redact) : asText(line, fields, redact);
      write(`${redact(text)}\n`);
    } catch {
      // A log that fails must not take down what it tells of.
    }
  };
}

interface Line {
  readonly at: string;
  readonly level: LogLevel;
  readonly message: string;
}
type Fields = Record<string, unknown>;
type Redact = LogOptions["redact"];

function asJson(line: Line, fields: Fields, redact: Redact): string {
  return written({ ...fields, ...line }, redact);
}

function asText({ at, level, message }: Line, fields: Fields, redact: Redact): string {
  const rest = Object.entries(fields).map(([name, value]) => ` ${name}=${inText(value, redact)}`);
  const frames = Object.values(fields).flatMap(framesOf);
  const line = `${at} ${level.padEnd(5)} ${message}${rest.join("")}`;
  return [line, ...frames.map((frame) => `    ${redact(frame)}`)].map(onOneLine).join("\n");
}

function inText(value: unknown, redact: Redact): string {
  return value instanceof Error ? written(reasonsOf(value), redact) : written(value, redact);
}

/** Causes can go round in a circle. */
const MOST_CAUSES = 5;

/** "why (cause: that)": what an error says, with the errors that caused it. */
function reasonsOf(error: Error, depth = 0): string {
  const { cause } = error;
  const isTold = cause instanceof Error && depth < MOST_CAUSES;
  const why = isTold ? ` (cause: ${reasonsOf(cause, depth + 1)})` : "";
  return `${isForOperators(error) ? "" : `${error.name}: `}${error.message}${why}`;
}

/** Where it came from, for an error that no one has expected. */
function framesOf(value: unknown): string[] {
  if (!(value instanceof Error) || isForOperators(value)) return [];
  return (value.stack ?? "").split("\n").flatMap((line) => {
    const [, frame] = /^\s+(at .+)$/.exec(line) ?? [];
    return frame === undefined ? [] : [frame];
  });
}

function onOneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, (character) =>
    JSON.stringify(character).slice(1, -1),
  );
}

/** Texts are redacted one by one before they are escaped, and once more together in their line. */
function written(value: unknown, redact: Redact): string {
  try {
    return JSON.stringify(value, (_key, member: unknown) => known(member, redact)) ?? String(value);
  } catch {
    return JSON.stringify(redact(inspect(value))); // a circle, or an object that does not let itself be read
  }
}

/** Errors with their reasons, and something for what JSON does not know. */
function known(member: unknown, redact: Redact): unknown {
  if (typeof member === "string") return redact(member);
  if (typeof member === "bigint") return String(member);
  return member instanceof Error ? described(member) : member;
}

function described(error: Error): object {
  const { name, message, stack, cause } = error;
  const place = isForOperators(error) ? {} : { stack };
  return { name, message, ...place, ...(cause === undefined ? {} : { cause }) };
}
