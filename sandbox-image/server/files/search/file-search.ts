import { type fileOperations, LIST_LIMIT } from "../../../../src/contract/file-operations.ts";
import { type ParamsOf, ToolError } from "../../../../src/contract/operation.ts";
import type { Answer } from "../../handlers.ts";
import type { Search } from "./recent-searches.ts";
import { EXCLUDED_DIRECTORIES, type Ripgrep, ripgrep, withoutDot } from "./ripgrep.ts";

const DEFAULT_FILES = 100;
const COUNT_LIMIT = 200_000;

type FileSearchParams = ParamsOf<typeof fileOperations, "file_search">;

/** Finds files by glob, counted from the root: `*.ts` means the root's own files only. */
export async function fileSearch(
  where: Ripgrep,
  { query, limit, maxResults, offset = 0 }: FileSearchParams,
): Promise<{ answer: Answer; search: Omit<Search, "timestamp"> }> {
  const all: string[] = [];
  const { end } = await ripgrep(where, fileArgs(query), (line) => {
    all.push(withoutDot(line));
    return all.length >= COUNT_LIMIT ? "stop" : undefined;
  });
  all.sort();
  const files = all.slice(
    offset,
    offset + Math.min(limit ?? maxResults ?? DEFAULT_FILES, LIST_LIMIT),
  );
  const found = files.map((path) => ({ path, matches: [] }));
  const hasMore = offset + files.length < all.length;
  return {
    answer: {
      files,
      count: files.length,
      totalCount: all.length,
      offset,
      hasMore,
      ...(end === "exited"
        ? {}
        : { message: "There are too many files to look at all. Narrow the pattern or rootPath." }),
    },
    search: {
      type: "file_search",
      query,
      fileCount: all.length,
      matchCount: all.length,
      files: found,
    },
  };
}

function fileArgs(query: string): string[] {
  const glob = query.replace(/^(\.?\/)+/, "");
  if (glob === "" || glob.startsWith("!")) {
    throw new ToolError(
      "invalidParameters",
      'query must be a glob that says what to find, such as "**/*.ts".',
    );
  }
  return [
    "--files",
    "--no-ignore",
    `--glob=/${glob}`,
    "--glob=!.*",
    ...EXCLUDED_DIRECTORIES.map((name) => `--glob=!${name}/`),
  ];
}
