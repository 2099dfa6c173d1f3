import { posix } from "node:path";
import {
  CHANGED_PATHS_LIMIT,
  type ChangedPath,
  type Inspection,
} from "../../contract/workspace/approved-run.ts";
import type { CodeReport } from "../shell/code-report.ts";
import type { CodeUse } from "../shell/script.ts";
import { isWorkloadPath } from "./workload-paths.ts";

export function changedPaths({ changed, removed }: CodeReport): ChangedPath[] {
  return [
    ...[...changed].map((path) => ({ path, isRemoved: false })),
    ...[...removed].map((path) => ({ path, isRemoved: true })),
  ];
}

interface Changes {
  readonly changed: readonly ChangedPath[];
  readonly inspection: Inspection;
}

/**
 * Why root does not make these changes: the workload can replace a path, or any directory above it, by a link to
 * another place. Code that was approved may still do that by itself.
 */
export function refusedChange(
  code: CodeReport,
  { changed, inspection }: Changes,
): string | undefined {
  const named = changed.find(
    ({ path }) => isWorkloadPath(path) || isWorkloadPath(posix.normalize(path)),
  );
  const replaceable = named?.path ?? inspection.replaceable[0];
  if (replaceable !== undefined) return changeRefusal(replaceable);
  const runsCode = code.uses.some(({ kind, isPossible }) => kind === "run" && !isPossible);
  if (code.changesUnknown && !runsCode)
    return changeRefusal("a path that is known only at run time");
  return changed.length > CHANGED_PATHS_LIMIT
    ? `Root changes at most ${CHANGED_PATHS_LIMIT} named paths in one command. Split it into several commands.`
    : undefined;
}

interface Followed {
  readonly uses: readonly CodeUse[];
  readonly directory: string;
  /** Files that are read from a copy. */
  readonly data: readonly string[];
}

/** Where the workload can put links that a program follows when it changes files of its own choice. */
export function followedLinks(code: CodeReport, { uses, directory, data }: Followed): string[] {
  if (code.changing.size === 0) return [];
  const named = uses
    .filter(
      ({ kind, isMentioned, alsoMissing }) => isMentioned || (kind === "read" && !alsoMissing),
    )
    .flatMap(({ paths }) => paths)
    .filter((path) => isWorkloadPath(path) && !data.includes(path))
    .map((path) => posix.dirname(posix.normalize(path)));
  const here = isWorkloadPath(directory) ? [directory] : [];
  return [...new Set([...here, ...named])]
    .filter((place) => isWorkloadPath(place) && !isBelowAny(place, here))
    .concat(here)
    .slice(0, FOLLOWED_LIMIT);
}

const FOLLOWED_LIMIT = 4;

function isBelowAny(place: string, directories: readonly string[]): boolean {
  return directories.some((one) => place === one || place.startsWith(`${one}/`));
}

function changeRefusal(path: string): string {
  return (
    `Root does not change ${path}, because the workspace could replace it with a link. ` +
    "Do this part without sudo as a separate command, or let root work in a directory that only root can write to."
  );
}
