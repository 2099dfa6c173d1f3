import { LIST_LIMIT } from "../../../../src/contract/tools/file-operations.ts";
import type { Answer } from "../../handlers.ts";
import { binaryNote, findLines, pageNote } from "./find-lines.ts";
import { type FoundLine, shortLine } from "./rg-match.ts";
import { answerWith, includeArgs, type Ripgrep } from "./ripgrep.ts";
import { kindOfUsage } from "./usage-kind.ts";

const DEFAULT_USAGES = 500;

export interface UsageQuery {
  readonly symbolName: string;
  /** Files, relative to the root, whose hits come before the others. */
  readonly first: ReadonlySet<string>;
  readonly maxResults?: number | undefined;
  readonly offset?: number | undefined;
}

/** Where a symbol stands as a whole word. */
export async function listUsages(
  where: Ripgrep,
  { symbolName, first, maxResults = DEFAULT_USAGES, offset = 0 }: UsageQuery,
): Promise<Answer> {
  const found = await findLines(where, {
    args: usageArgs(symbolName),
    offset,
    limit: Math.min(maxResults, LIST_LIMIT),
    keep: (line) => usageOf(line, symbolName),
    isFirst: first.size > 0 ? (path) => first.has(path) : undefined,
  });
  const { page, totalCount, binaryFiles, gap } = found;
  const answer = {
    symbolName,
    usages: page,
    ...pageNote(found, offset),
    ...binaryNote(binaryFiles),
  };
  return answerWith(answer, gap, totalCount + binaryFiles.length);
}

function usageOf(found: FoundLine, symbolName: string): object {
  const { file, line, column, text } = found;
  return {
    file,
    line,
    ...(column === undefined ? {} : { column }),
    context: shortLine(found).trim(),
    kind: kindOfUsage(text, (column ?? 2) - 1, symbolName),
  };
}

function usageArgs(symbolName: string): string[] {
  const literal = symbolName.replace(/[\\^$.*+?()[\]{}|]/g, (sign) => `\\${sign}`);
  const start = /^[\p{L}\p{N}_]/u.test(symbolName) ? "\\b" : "";
  const end = /[\p{L}\p{N}_]$/u.test(symbolName) ? "\\b" : "";
  return ["--case-sensitive", ...includeArgs(undefined), `--regexp=${start}${literal}${end}`];
}
