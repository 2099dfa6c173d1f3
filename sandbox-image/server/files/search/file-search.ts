import { type fileOperations, LIST_LIMIT } from "../../../../src/contract/tools/file-operations.ts";
import type { ParamsOf } from "../../../../src/contract/tools/operation.ts";
import { nameFrom, shownName } from "../../../../src/lib/file-names.ts";
import type { Answer } from "../../handlers.ts";
import { Glob } from "../glob/glob.ts";
import type { Search } from "./recent-searches.ts";
import { NullSeparated } from "./rg-output.ts";
import { answerWith, noteFor, type Ripgrep, ripgrep, withoutDot } from "./ripgrep.ts";

const DEFAULT_FILES = 100;
const SORTED_AT_ONCE = 10_000;

type FileSearchParams = ParamsOf<typeof fileOperations, "file_search">;

/** Finds files by glob, counted from the root. */
export async function fileSearch(
  where: Ripgrep,
  { query, limit, maxResults, offset = 0 }: FileSearchParams,
): Promise<{ answer: Answer; search: Omit<Search, "timestamp"> }> {
  const glob = Glob.ofPath(query, where);
  const end = offset + Math.min(limit ?? maxResults ?? DEFAULT_FILES, LIST_LIMIT);
  const found = new FirstInOrder(end);
  const paths = new NullSeparated((bytes) => {
    const path = withoutDot(nameFrom(bytes));
    if (glob.matches(path)) found.add(path);
  });
  const args = ["--files", "--null", "--no-ignore", ...glob.rgArgs()];
  const gap = await ripgrep(where, args, (chunk) => {
    paths.push(chunk);
    return undefined;
  });
  const files = found.all().slice(offset).map(shownName);
  const totalCount = found.count;
  const hasMore = offset + files.length < totalCount;
  const answer = {
    files,
    count: files.length,
    totalCount,
    offset,
    hasMore,
    ...noteFor(glob, totalCount),
  };
  return {
    answer: answerWith(answer, gap, totalCount),
    search: {
      type: "file_search",
      query,
      fileCount: totalCount,
      matchCount: totalCount,
      files: files.map((path) => ({ path, matches: [] })),
    },
  };
}

/** Keeps the first of many strings in their order, however many there are. */
class FirstInOrder {
  count = 0;
  readonly #most: number;
  #kept: string[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  add(path: string): void {
    this.count += 1;
    this.#kept.push(path);
    if (this.#kept.length >= 2 * this.#most + SORTED_AT_ONCE) this.#kept = this.all();
  }

  all(): string[] {
    return this.#kept.sort().slice(0, this.#most);
  }
}
