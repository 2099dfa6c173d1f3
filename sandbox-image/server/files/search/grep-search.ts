import type { fileOperations } from "../../../../src/contract/file-operations.ts";
import { LIST_LIMIT } from "../../../../src/contract/file-operations.ts";
import type { ParamsOf } from "../../../../src/contract/operation.ts";
import type { Answer } from "../../handlers.ts";
import type { Search } from "./recent-searches.ts";
import { byPlace, type FoundLine, isMatch, parseMatch, shortLine } from "./rg-match.ts";
import { includeArgs, type Ripgrep, ripgrep } from "./ripgrep.ts";

const DEFAULT_MATCHES = 200;
/** Beyond this nobody cares how many there are exactly. */
const COUNT_LIMIT = 100_000;
const MATCH_TEXT_CHARS = 200;

type GrepParams = ParamsOf<typeof fileOperations, "grep_search">;

export interface GrepAnswer {
  readonly answer: Answer;
  readonly search: Omit<Search, "timestamp">;
}

export async function grepSearch(where: Ripgrep, params: GrepParams): Promise<GrepAnswer> {
  const maxResults = Math.min(params.maxResults ?? DEFAULT_MATCHES, LIST_LIMIT);
  const found: FoundLine[] = [];
  let totalCount = 0;
  const { end } = await ripgrep(where, grepArgs(params), (line) => {
    if (!isMatch(line)) return undefined;
    totalCount += 1;
    if (found.length < maxResults) found.push(parseMatch(line));
    return totalCount >= COUNT_LIMIT ? "stop" : undefined;
  });
  found.sort(byPlace);
  const matches = found.map((one) => ({
    filePath: one.file,
    lineNumber: one.line,
    lineText: shortLine(one),
    matchText: one.match.slice(0, MATCH_TEXT_CHARS).toWellFormed(),
  }));
  const truncated = totalCount > matches.length || end !== "exited";
  return {
    answer: { matches, totalCount, truncated, ...noteOn(end) },
    search: asSearch(params.query, found, totalCount),
  };
}

function noteOn(end: string): { message?: string } {
  if (end === "timeout")
    return {
      message:
        "The search took too long and was stopped; there may be more. Narrow it with includePattern.",
    };
  if (end === "stopped")
    return {
      message: `There are at least ${COUNT_LIMIT} matches. Narrow the query or includePattern.`,
    };
  return {};
}

function grepArgs({ query, isRegexp, includePattern }: GrepParams): string[] {
  return [
    "--json",
    "--ignore-case",
    ...(isRegexp ? [] : ["--fixed-strings"]),
    ...(query.includes("\n") || (isRegexp && query.includes("\\n")) ? ["--multiline"] : []),
    ...includeArgs(includePattern),
    `--regexp=${query}`,
  ];
}

function asSearch(
  query: string,
  found: readonly FoundLine[],
  matchCount: number,
): GrepAnswer["search"] {
  const byFile = Map.groupBy(found, ({ file }) => file);
  const files = [...byFile].map(([path, lines]) => ({
    path,
    matches: lines.slice(0, 20).map((line) => ({ line: line.line, content: shortLine(line) })),
  }));
  return { type: "grep_search", query, fileCount: byFile.size, matchCount, files };
}
