import { stat } from "node:fs/promises";
import type { fileOperations } from "../../../src/contract/tools/file-operations.ts";
import { ToolError } from "../../../src/contract/tools/operation.ts";
import { raw } from "../../../src/lib/file-names.ts";
import type { Handlers } from "../handlers.ts";
import type { ServerSettings } from "../settings.ts";
import { getErrors } from "./errors/get-errors.ts";
import type { ExchangeLog } from "./exchange-log.ts";
import { explain } from "./fs-errors.ts";
import { searchIndex } from "./index/search-index.ts";
import { WorkspaceIndex } from "./index/workspace-index.ts";
import { listDir } from "./list-dir.ts";
import { type Place, placeOf } from "./place.ts";
import { readTextFile } from "./read-file.ts";
import { fileSearch } from "./search/file-search.ts";
import { grepSearch } from "./search/grep-search.ts";
import { listUsages } from "./search/list-usages.ts";
import { RecentSearches } from "./search/recent-searches.ts";
import { type Scorer, termScorer } from "./search/scorer.ts";
import { semanticSearch } from "./search/semantic-search.ts";
import { writeHandlers } from "./write-handlers.ts";

/** What others lend to the file operations. */
export interface FileParts {
  /** Ranks the snippets of semantic_search. */
  readonly scorer?: Scorer;
  /** The index that search_index shares with the stand-alone tools. */
  readonly index?: WorkspaceIndex;
  /** What the conversation's last task printed; get_errors reads it where no checker fits. */
  readonly lastOutput?: (conversation: string) => string | undefined;
  /** Lets a patch that a crash cut off be taken back. */
  readonly exchangeLog?: ExchangeLog;
}

export function fileHandlers(
  settings: ServerSettings,
  { scorer = termScorer, index, lastOutput = () => undefined, exchangeLog }: FileParts = {},
): Handlers<typeof fileOperations> {
  const recent = new RecentSearches();
  const place = (path: string) => placeOf(settings, path);
  const names = index ?? new WorkspaceIndex(settings.workspaceDir);
  const search = async (rootPath: string | undefined, signal: AbortSignal) => {
    const root = await directory(await place(rootPath ?? "."));
    return { settings, root: root.path, signal };
  };
  return {
    ...writeHandlers(settings, exchangeLog),
    read_file: async (params) => readTextFile(await place(params.filePath), params),
    list_dir: async (params) => listDir(await place(params.path ?? "."), params),
    get_errors: (params, context) => getErrors({ settings, lastOutput }, params, context),
    get_search_results: async (_params, { conversation }) => recent.answer(conversation),
    file_search: async (params, { conversation, signal }) => {
      const found = await fileSearch(await search(params.rootPath, signal), params);
      recent.add(conversation, found.search);
      return found.answer;
    },
    grep_search: async (params, { conversation, startDirectory, signal }) => {
      const found = await grepSearch(await search(startDirectory, signal), params);
      recent.add(conversation, found.search);
      return found.answer;
    },
    semantic_search: async (params, { signal }) =>
      semanticSearch(await search(params.rootPath, signal), scorer, params),
    list_usages: async ({ filePaths = [], rootPath, ...params }, { signal }) => {
      const where = await search(rootPath, signal);
      const files = await Promise.all(filePaths.map(place));
      const first = files.map(({ path }) => path.slice(where.root.length + 1));
      return listUsages(where, { ...params, first: new Set(first) });
    },
    search_index: (params) => searchIndex(names, settings.workspaceDir, params),
  };
}

async function directory(place: Place): Promise<Place> {
  try {
    if ((await stat(raw(place.path))).isDirectory()) return place;
  } catch (error) {
    throw explain(place.shown, error);
  }
  throw new ToolError(
    "executionFailed",
    `${place.shown} is a file, not a directory. Use a directory, or omit it to search the workspace.`,
  );
}
