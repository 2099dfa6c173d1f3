import { z } from "zod";
import { nameFrom, shownName } from "../../../../src/lib/file-names.ts";
import { withoutDot } from "./ripgrep.ts";

const SLASH = 0x2f;

/** rg gives as base64 what is not UTF-8. */
const Text = z.union([
  z.object({ text: z.string() }).transform(({ text }) => Buffer.from(text)),
  z.object({ bytes: z.string() }).transform(({ bytes }) => Buffer.from(bytes, "base64")),
]);

const PathEvent = z.object({
  data: z.object({ path: Text, binary_offset: z.int().nullish() }),
});

const MatchEvent = z.object({
  data: z.object({
    path: Text,
    lines: Text,
    line_number: z.int(),
    submatches: z.array(z.object({ match: Text, start: z.int() })),
    isCut: z.boolean().default(false),
  }),
});

/** A line that rg found. Columns count characters, from 1; a line of megabytes has none. */
export interface FoundLine {
  /** As people and models see it. */
  readonly file: string;
  readonly line: number;
  readonly column?: number;
  readonly text: string;
  readonly match: string;
}

export type RgEvent = "begin" | "match" | "end" | "other";

/** Cheap to ask, so that matches beyond the page are only counted. */
export function eventOf(line: string): RgEvent {
  if (line.startsWith('{"type":"match"')) return "match";
  if (line.startsWith('{"type":"begin"')) return "begin";
  return line.startsWith('{"type":"end"') ? "end" : "other";
}

/** A file that rg begins or ends to search. */
export interface RgFile {
  readonly path: string;
  /** The path as bytes, with NUL for every slash: compared byte by byte this is the order of rg's own --sort=path. */
  readonly order: Buffer;
  /** Where an `end` says that the file turned out to be binary. */
  readonly binaryOffset: number | undefined;
}

export function parseFile(line: string): RgFile {
  const { path, binary_offset } = PathEvent.parse(JSON.parse(line)).data;
  return {
    path: withoutDot(nameFrom(path)),
    order: Buffer.from(path.map((byte) => (byte === SLASH ? 0 : byte))),
    binaryOffset: binary_offset ?? undefined,
  };
}

/** Where the line begins in its file. A quote inside a JSON string has a backslash, so this finds the key only. */
export function offsetOf(line: string): number {
  const key = '"absolute_offset":';
  return Number.parseInt(line.slice(line.lastIndexOf(key) + key.length), 10);
}

export function parseMatch(line: string): FoundLine {
  const data = MatchEvent.parse(JSON.parse(line)).data;
  const [first] = data.submatches;
  const before = data.lines.subarray(0, first?.start ?? 0).toString("utf8").length;
  return {
    file: shownName(withoutDot(nameFrom(data.path))),
    line: data.line_number,
    ...(data.isCut ? {} : { column: before + 1 }),
    text: data.lines.toString("utf8").replace(/\r?\n$/, ""),
    match: first?.match.toString("utf8") ?? "",
  };
}

const LONGEST = 500;

/** The line around its match, where it is too long to show. */
export function shortLine({ text, column = 1 }: FoundLine): string {
  if (text.length <= LONGEST) return text;
  const from = Math.max(0, Math.min(column - 1 - LONGEST / 4, text.length - LONGEST));
  const cut = text.slice(from, from + LONGEST).toWellFormed();
  return `${from > 0 ? "…" : ""}${cut}${from + LONGEST < text.length ? "…" : ""}`;
}
