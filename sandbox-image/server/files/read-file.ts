import {
  type fileOperations,
  READ_DEFAULT_LINES,
  READ_LIMIT_CHARS,
} from "../../../src/contract/file-operations.ts";
import { type ParamsOf, ToolError } from "../../../src/contract/operation.ts";
import type { Answer } from "../handlers.ts";
import type { Place } from "./place.ts";
import { readText, splitLines } from "./text-file.ts";

type ReadParams = ParamsOf<typeof fileOperations, "read_file">;

export async function readTextFile({ path, shown }: Place, params: ReadParams): Promise<Answer> {
  const range = rangeOf(params);
  const { text } = await readText(path, shown);
  const lines = splitLines(text);
  const wanted = lines.slice(range.first - 1, range.first - 1 + range.count);
  const { content, returnedLines, tokenLimited } = withinLimit(wanted);
  return {
    filePath: shown,
    content,
    totalLines: lines.length,
    returnedLines,
    truncated: returnedLines > 0 && range.first - 1 + returnedLines < lines.length,
    estimatedTokens: Math.ceil(content.length / 4),
    tokenLimited,
    ...(range.given ? { offset: range.first, limit: range.count } : {}),
  };
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
      `endLine ${endLine} is before the first line ${first}. Give an endLine of at least ${first}.`,
    );
  }
  const count = endLine === undefined ? (limit ?? READ_DEFAULT_LINES) : endLine - first + 1;
  const given = [offset, limit, startLine, endLine].some((value) => value !== undefined);
  return { first, count, given };
}

interface Fitting {
  readonly content: string;
  readonly returnedLines: number;
  readonly tokenLimited: boolean;
}

function withinLimit(lines: readonly string[]): Fitting {
  let length = 0;
  const fitting = lines.findIndex((line) => {
    length += line.length;
    return length > READ_LIMIT_CHARS;
  });
  if (fitting < 0) {
    return { content: lines.join(""), returnedLines: lines.length, tokenLimited: false };
  }
  if (fitting > 0) {
    const content = lines.slice(0, fitting).join("");
    return { content, returnedLines: fitting, tokenLimited: true };
  }
  return { content: beginningOf(lines[0] ?? ""), returnedLines: 1, tokenLimited: true };
}

/** Never ends between the two halves of a character. */
function beginningOf(line: string): string {
  const cut = line.slice(0, READ_LIMIT_CHARS);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}
