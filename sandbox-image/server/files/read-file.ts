import {
  type fileOperations,
  READ_DEFAULT_LINES,
  READ_LIMIT_CHARS,
} from "../../../src/contract/tools/file-operations.ts";
import { type ParamsOf, ToolError } from "../../../src/contract/tools/operation.ts";
import type { Answer } from "../handlers.ts";
import { LineWindow } from "./line-window.ts";
import type { Place } from "./place.ts";
import { TextFile } from "./text-file.ts";

type ReadParams = ParamsOf<typeof fileOperations, "read_file">;

/** Enough to exceed the limit whatever the characters are: none has more bytes per code unit. */
const ENOUGH_BYTES = 3 * READ_LIMIT_CHARS + 3;

/** One page of a file. The file passes by in pieces, so a page takes the memory of a page. */
export async function readTextFile({ path, shown }: Place, params: ReadParams): Promise<Answer> {
  const range = rangeOf(params);
  using file = TextFile.open(path, shown);
  const window = await passBy(file, new LineWindow({ ...range, enoughBytes: ENOUGH_BYTES }));
  const { content, returnedLines, isCut } = withinLimit(window.lines());
  const last = range.first - 1 + returnedLines;
  const hasMore = returnedLines > 0 && last < window.totalLines;
  return {
    filePath: shown,
    content,
    totalLines: window.totalLines,
    returnedLines,
    truncated: hasMore || isCut,
    estimatedTokens: Math.ceil(content.length / 4),
    tokenLimited: isCut || (hasMore && returnedLines < range.count),
    ...(range.given ? { offset: range.first, limit: range.count } : {}),
    ...(isCut ? { message: cutLine(range.first) } : {}),
  };
}

async function passBy(file: TextFile, window: LineWindow): Promise<LineWindow> {
  for await (const piece of file.pieces()) window.add(piece);
  const other = window.withReturns();
  return other ? passBy(file, other) : window;
}

function cutLine(line: number): string {
  return `Line ${line} is too long for one result; this is its start. Read the rest with run_command, e.g. sed -n ${line}p FILE | cut -c 40001-80000.`;
}

interface Range {
  readonly first: number;
  readonly count: number;
  readonly given: boolean;
}

function rangeOf({ offset, limit, startLine, endLine }: ReadParams): Range {
  const first = Math.max(startLine ?? offset ?? 1, 1);
  if (endLine !== undefined && endLine < first) {
    throw new ToolError(
      "invalidParameters",
      `endLine ${endLine} is before the first line ${first}. Use an endLine of at least ${first}.`,
    );
  }
  const count = endLine === undefined ? (limit ?? READ_DEFAULT_LINES) : endLine - first + 1;
  const given = [offset, limit, startLine, endLine].some((value) => value !== undefined);
  return { first, count, given };
}

interface Fitting {
  readonly content: string;
  readonly returnedLines: number;
  /** The only line is longer than the limit, and its end is left out. */
  readonly isCut: boolean;
}

function withinLimit(lines: readonly string[]): Fitting {
  let length = 0;
  const fitting = lines.findIndex((line) => {
    length += line.length;
    return length > READ_LIMIT_CHARS;
  });
  if (fitting === 0) return { content: beginningOf(lines[0] ?? ""), returnedLines: 1, isCut: true };
  const whole = fitting < 0 ? lines : lines.slice(0, fitting);
  return { content: whole.join(""), returnedLines: whole.length, isCut: false };
}

/** Never ends between the two halves of a character. */
function beginningOf(line: string): string {
  const cut = line.slice(0, READ_LIMIT_CHARS);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}
