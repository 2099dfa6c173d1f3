import {
  type InspectedFile,
  type Inspection,
  READABLE_LIMIT,
} from "../../contract/workspace/approved-run.ts";
import type { CodeReport } from "../shell/code-report.ts";
import type { CodeUse } from "../shell/script.ts";
import type { Found } from "./code-files.ts";
import { isWorkloadPath } from "./workload-paths.ts";

interface Viewed {
  readonly uses: readonly CodeUse[];
  readonly found: Pick<Found, "copies" | "ran" | "maybeRan" | "maybeRanIn">;
  readonly inspection: Inspection;
  /** Its text does not tell which programs run: they may obey any file of the directory in which they start. */
  readonly isUnread: boolean;
}

/** What root has of the workload's files while its command runs; the kernel keeps it from all others. */
export interface RootView {
  /** Real paths, each with everything below it: those that the card names and that no copy stands for. */
  readonly readable: string[];
  readonly notes: readonly string[];
}

export const NO_VIEW: RootView = { readable: [], notes: [] };

export function rootView(
  code: CodeReport,
  { uses, found, inspection, isUnread }: Viewed,
): RootView {
  const named = uses.filter((use) => !found.copies.has(use)).flatMap(({ paths }) => paths);
  const start = [inspection.directory ?? "/"].filter((path) => isUnread && isWorkloadPath(path));
  const directories = [...new Set([...workloadPaths(code.loadedFrom, inspection), ...start])];
  const readable = [
    ...workloadPaths(new Set([...named, ...code.lookedAt, ...code.git]), inspection),
    ...(inspection.git?.repositories ?? []).flatMap(({ places }) => places),
    ...directories,
  ];
  return {
    readable: outermost(readable).slice(0, READABLE_LIMIT),
    notes: loadingNotes(directories, found),
  };
}

/** Without code of its own, the card already says that programs obey files in these directories. */
function loadingNotes(
  directories: readonly string[],
  { ran, maybeRan, maybeRanIn }: Viewed["found"],
): string[] {
  const others = directories.filter((directory) => !maybeRanIn.has(directory)).join(", ");
  return ran.length + maybeRan.length + maybeRanIn.size > 0 && others !== ""
    ? [`This may run more code from the workspace: everything in ${others} at that time.`]
    : [];
}

/** Where the paths lead that are not the system's. */
function workloadPaths(wanted: ReadonlySet<string>, { files }: Inspection): string[] {
  return files.filter(({ asked }) => wanted.has(asked)).flatMap(realPathOf);
}

function realPathOf(file: InspectedFile): string[] {
  if (file.kind === "file") return [file.file.path];
  return file.kind === "directory" ? [file.path] : [];
}

/** Without those that lie below others. */
function outermost(paths: readonly string[]): string[] {
  const all = [...new Set(paths)];
  return all.filter((path) => !all.some((other) => path.startsWith(`${other}/`)));
}
