import type { fileOperations } from "../../../../src/contract/tools/file-operations.ts";
import { LIST_LIMIT } from "../../../../src/contract/tools/file-operations.ts";
import type { ParamsOf } from "../../../../src/contract/tools/operation.ts";
import type { Answer } from "../../handlers.ts";
import { Glob } from "../glob/glob.ts";
import { binaryNote, COUNT_LIMIT, type Found, findLines, pageNote } from "./find-lines.ts";
import type { Search } from "./recent-searches.ts";
import { type FoundLine, shortLine } from "./rg-match.ts";
import { answerWith, includeArgs, noteFor, type Ripgrep } from "./ripgrep.ts";

const DEFAULT_MATCHES = 200;
const MATCH_TEXT_CHARS = 200;

type GrepParams = ParamsOf<typeof fileOperations, "grep_search">;

interface Match {
  readonly filePath: string;
  readonly lineNumber: number;
  readonly lineText: string;
  readonly matchText: string;
}

export interface GrepAnswer {
  readonly answer: Answer;
  readonly search: Omit<Search, "timestamp">;
}

export async function grepSearch(where: Ripgrep, params: GrepParams): Promise<GrepAnswer> {
  const { query, includePattern, offset = 0 } = params;
  const glob = includePattern === undefined ? undefined : Glob.ofFiles(includePattern, where);
  const limit = Math.min(params.maxResults ?? DEFAULT_MATCHES, LIST_LIMIT);
  const found = await findLines(where, {
    args: [...grepArgs(params), ...includeArgs(glob), `--regexp=${query}`],
    glob,
    offset,
    limit,
    keep: matchOf,
  });
  return {
    answer: { ...noteFor(glob, found.totalCount), ...answerOf(found, offset) },
    search: asSearch(query, found.page, found.totalCount),
  };
}

function answerOf(found: Found<Match>, offset: number): Answer {
  const { page, totalCount, binaryFiles, gap } = found;
  const answer = { matches: page, ...pageNote(found, offset), ...binaryNote(binaryFiles) };
  if (gap?.kind !== "stopped") return answerWith(answer, gap, totalCount + binaryFiles.length);
  const message = `There are at least ${COUNT_LIMIT} matches. Narrow the query or includePattern, or continue with offset.`;
  return { ...answer, message };
}

function matchOf(found: FoundLine): Match {
  return {
    filePath: found.file,
    lineNumber: found.line,
    lineText: shortLine(found),
    matchText: found.match.slice(0, MATCH_TEXT_CHARS).toWellFormed(),
  };
}

function grepArgs({ query, isRegexp }: GrepParams): string[] {
  return [
    "--ignore-case",
    ...(isRegexp ? [] : ["--fixed-strings"]),
    ...(query.includes("\n") || (isRegexp && query.includes("\\n")) ? ["--multiline"] : []),
  ];
}

function asSearch(query: string, page: readonly Match[], matchCount: number): GrepAnswer["search"] {
  const byFile = Map.groupBy(page, ({ filePath }) => filePath);
  const files = [...byFile].map(([path, matches]) => ({
    path,
    matches: matches
      .slice(0, 20)
      .map(({ lineNumber, lineText }) => ({ line: lineNumber, content: lineText })),
  }));
  return { type: "grep_search", query, fileCount: byFile.size, matchCount, files };
}
