import { z } from "zod";
import { withoutDot } from "./ripgrep.ts";

const Text = z.union([
  z.object({ text: z.string() }).transform(({ text }) => text),
  z
    .object({ bytes: z.string() })
    .transform(({ bytes }) => Buffer.from(bytes, "base64").toString("utf8")),
]);

const Event = z.object({
  type: z.string(),
  data: z.unknown(),
});

const MatchData = z.object({
  path: Text,
  lines: Text,
  line_number: z.int(),
  submatches: z.array(z.object({ match: Text, start: z.int() })),
});

/** A line that rg found. Columns count characters, from 1. */
export interface FoundLine {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly match: string;
}

const MATCH_PREFIX = '{"type":"match"';

/** Cheap to ask, so that lines beyond the limit are only counted. */
export function isMatch(line: string): boolean {
  return line.startsWith(MATCH_PREFIX);
}

export function parseMatch(line: string): FoundLine {
  const data = MatchData.parse(Event.parse(JSON.parse(line)).data);
  const [first] = data.submatches;
  const start = first?.start ?? 0;
  const before = Buffer.from(data.lines).subarray(0, start).toString("utf8").length;
  return {
    file: withoutDot(data.path),
    line: data.line_number,
    column: before + 1,
    text: data.lines.replace(/\r?\n$/, ""),
    match: first?.match ?? "",
  };
}

const LONGEST = 500;

/** The line around its match, where it is too long to show. */
export function shortLine({ text, column }: FoundLine): string {
  if (text.length <= LONGEST) return text;
  const from = Math.max(0, Math.min(column - 1 - LONGEST / 4, text.length - LONGEST));
  const cut = text.slice(from, from + LONGEST).toWellFormed();
  return `${from > 0 ? "…" : ""}${cut}${from + LONGEST < text.length ? "…" : ""}`;
}

export function byPlace(a: FoundLine, b: FoundLine): number {
  if (a.file === b.file) return a.line - b.line;
  return a.file < b.file ? -1 : 1;
}
