import { posix } from "node:path";
import type { InspectedFile, Inspection } from "../../contract/workspace/approved-run.ts";
import type { FilePattern } from "../shell/code-report.ts";

/**
 * Why a command must not run whose paths lead through links: the workload could make a link lead elsewhere after the
 * approval. Links that only root can change are no concern.
 */
export function refusedLink(kept: ReadonlySet<string>, { files }: Inspection): string | undefined {
  for (const file of files) {
    const real = realPathOf(file);
    if (!kept.has(file.asked) || real === undefined || real === file.asked) continue;
    return linkRefusal(file.asked, real);
  }
  return undefined;
}

export function linkRefusal(path: string, real: string): string {
  const through =
    posix.normalize(path) === real ? "leads through .. after a name" : "leads through a link";
  return (
    `${path} ${through} to ${real}, and the workspace could redirect it after the approval. ` +
    "Ask again with that path."
  );
}

/** Directories among the paths that a command names: they must be the same when it runs. */
export function directoriesAmong(kept: ReadonlySet<string>, { files }: Inspection): string[] {
  return files.flatMap((file) =>
    file.kind === "directory" && kept.has(file.asked) ? [file.path] : [],
  );
}

function realPathOf(file: InspectedFile): string | undefined {
  if (file.kind === "file") return file.file.path;
  return file.kind === "directory" || file.kind === "unfit" ? file.path : undefined;
}

/** Where the workload can put files, or has links, whichever of these directories exist. */
const WRITABLE = [
  "/workspace",
  "/home/agent",
  "/tmp",
  "/var/tmp",
  "/dev/shm",
  "/dev/mqueue",
  "/proc",
];

/** Why root must not use a pattern: the workload can create files whose names become options, or that are links. */
export function refusedPattern(
  patterns: readonly FilePattern[],
  { files }: Inspection,
): string | undefined {
  const byPath = new Map(files.map((file) => [file.asked, file]));
  const open = patterns.find(({ place, isDeep }) => {
    const found = byPath.get(place);
    const isRoots = found?.kind === "system" || (found?.kind === "missing" && !found.isWorkloads);
    return (
      !isRoots ||
      WRITABLE.some((one) => isAtOrBelow(place, one) || (isDeep && isAtOrBelow(one, place)))
    );
  });
  return open === undefined ? undefined : patternRefusal(open);
}

function patternRefusal({ written, place }: FilePattern): string {
  return (
    `Root uses no pattern in a directory that the workspace can write to: the files that ${written} matches in ${place} are known ` +
    "only at run time, and a file name can act as an option. Name the files, or quote the pattern if the " +
    "program itself reads it."
  );
}

function isAtOrBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === "/" ? "/" : `${directory}/`);
}
