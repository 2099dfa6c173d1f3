import {
  type buildAndVersionControl,
  CHANGES_LIMIT,
} from "../../../../src/contract/tools/build-and-version-control.ts";
import type { ParamsOf } from "../../../../src/contract/tools/operation.ts";
import type { Answer } from "../../handlers.ts";
import type { ServerSettings } from "../../settings.ts";
import { openRepository } from "./repository.ts";
import { filtersIn, type GitConfig } from "./safe-environment.ts";
import { readStatus, type StatusEntry } from "./status.ts";

type Params = ParamsOf<typeof buildAndVersionControl, "get_changed_files">;
type State = "staged" | "unstaged" | "merge-conflicts";

interface ChangedFile {
  /** Relative to the top of the repository. */
  readonly path: string;
  readonly status: string;
  readonly staged: boolean;
  readonly oldPath?: string;
}

export async function changedFiles(
  settings: ServerSettings,
  { repositoryPath = ".", sourceControlState: wanted }: Params,
  signal: AbortSignal,
): Promise<Answer> {
  const repository = await openRepository(settings, repositoryPath, signal);
  const { branch, entries } = await readStatus(repository.git, { untracked: "all" });
  const rows = entries
    .flatMap(rowsOf)
    .filter(({ state }) => !wanted || wanted.length === 0 || wanted.includes(state));
  return {
    files: rows.slice(0, CHANGES_LIMIT).map(({ file }) => file),
    repository: repository.top.path,
    branch,
    totalFiles: rows.length,
    truncated: rows.length > CHANGES_LIMIT,
    ...filterNotice(repository.config),
  };
}

/** Without its filters git compares and stores files as they are on disk; people should know. */
export function filterNotice(config: GitConfig): { notice?: string } {
  const filters = filtersIn(config);
  if (filters.length === 0) return {};
  const names = filters.slice(0, 10).join(", ").slice(0, 200);
  return {
    notice:
      `The repository's filters (${names}) were not run, so their files were used as they are on disk. ` +
      "If that is wrong, use git in the terminal.",
  };
}

/** A file that has changed in the index and again in the work tree makes two rows. */
function rowsOf(entry: StatusEntry): { state: State; file: ChangedFile }[] {
  const { kind, x, y, path } = entry;
  if (kind === "conflict") {
    return [{ state: "merge-conflicts", file: { path, status: "conflict", staged: false } }];
  }
  return [
    ...(x === "." ? [] : [{ state: "staged" as const, file: fileOf(entry, x, true) }]),
    ...(y === "." ? [] : [{ state: "unstaged" as const, file: fileOf(entry, y, false) }]),
  ];
}

const STATUSES: Readonly<Record<string, string>> = {
  A: "added",
  D: "deleted",
  R: "renamed",
  C: "copied",
  "?": "untracked",
};

function fileOf({ path, from }: StatusEntry, letter: string, staged: boolean): ChangedFile {
  const status = STATUSES[letter] ?? "modified";
  const moved = letter === "R" || letter === "C";
  return { path, status, staged, ...(moved && from !== undefined && { oldPath: from }) };
}
