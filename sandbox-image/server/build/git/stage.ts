import { lstat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { ToolError } from "../../../../src/contract/tools/operation.ts";
import { placeOf } from "../../files/place.ts";
import { readText } from "../../files/text-file.ts";
import type { ServerSettings } from "../../settings.ts";
import type { Repository } from "./repository.ts";
import { type GitPlace, joinWithNul, runGit } from "./run-git.ts";
import { readStatus, type StatusEntry } from "./status.ts";

export interface Wanted {
  readonly files?: readonly string[] | undefined;
  readonly all: boolean;
}

export interface Changes {
  readonly branch: string | null;
  readonly entries: readonly StatusEntry[];
  /** The files and directories that were asked for, relative to the top; none for everything. */
  readonly paths: readonly string[];
  /** What was left out, and why. */
  readonly notices: readonly string[];
}

/** What belongs into the commit. Throws where a file is not the repository's, or still has a conflict. */
export async function changesToCommit(
  settings: ServerSettings,
  repository: Repository,
  { files, all }: Wanted,
): Promise<Changes> {
  const paths = files && (await pathsInside(settings, repository, files));
  if (paths?.length === 0) throw new ToolError("invalidParameters", NO_FILES);
  if (paths && paths.join("").length > PATHS_LIMIT_CHARS) {
    throw new ToolError("invalidParameters", TOO_MANY_FILES);
  }
  const status = await readStatus(repository.git, {
    untracked: all || paths ? "all" : "no",
    ...(paths && { paths }),
  });
  const entries = status.entries.filter((entry) => !isNested(entry));
  await refuseConflicts(repository, entries);
  const notices = [...leftOut(status.entries), ...(await unchanged(repository, paths, entries))];
  if (paths && entries.length === 0) throw noChanges(notices);
  return { branch: status.branch, entries, paths: paths ?? [], notices };
}

/** They go to git as arguments, of which the kernel takes 2 MB. */
const PATHS_LIMIT_CHARS = 100_000;
const TOO_MANY_FILES = "The list of files is too long. Name directories instead of single files.";
const NO_FILES = "files must name at least one file; omit it to commit everything.";

export function noChanges(notices: readonly string[] = []): ToolError {
  const text = "There are no changes to commit since the last commit.";
  return new ToolError("executionFailed", [text, ...notices].join(" "), { reason: "no changes" });
}

/**
 * Not `git add`: that looks into submodules by starting git there, with settings that nobody looked at.
 */
export async function stage(git: GitPlace, entries: readonly StatusEntry[]): Promise<void> {
  const paths = entries.filter(({ y }) => y !== ".").map(({ raw }) => raw);
  if (paths.length === 0) return;
  const args = ["update-index", "--add", "--remove", "-z", "--stdin"];
  const { exitCode, errors } = await runGit(git, args, joinWithNul(paths));
  if (exitCode === 0) return;
  const said = errors.trim().slice(0, 1000);
  const advice = /index\.lock/.test(said)
    ? " Another git process is running there, or was killed: wait for it, or delete the lock."
    : "";
  throw new ToolError("executionFailed", `The changes could not be staged: ${said}${advice}`);
}

/** Relative to the top, with every link on the way resolved; a link in the last place is itself what is committed. */
async function pathsInside(
  settings: ServerSettings,
  { directory, top }: Repository,
  files: readonly string[],
): Promise<string[]> {
  const paths: string[] = [];
  for (const file of files) {
    const given = file === "~" || file.startsWith("~/") ? file : resolve(directory, file);
    const { path } = await placeOf(settings, given, { link: "itself" });
    const below = relative(top.path, path);
    if (below === ".." || below.startsWith("../")) {
      throw new ToolError(
        "permissionDenied",
        `${file.slice(0, 200)} is outside the repository at ${top.shown}. Nothing was staged; name only files in it.`,
      );
    }
    paths.push(below || ".");
  }
  return paths;
}

/** Git would take a repository inside this one as a submodule without an address, which nobody can clone. */
function isNested({ kind, path }: StatusEntry): boolean {
  return kind === "untracked" && path.endsWith("/");
}

function leftOut(entries: readonly StatusEntry[]): string[] {
  const nested = entries.filter(isNested).map(({ path }) => path);
  if (nested.length === 0) return [];
  return [`Skipped, because they are separate repositories: ${nested.slice(0, 10).join(", ")}.`];
}

async function unchanged(
  { top }: Repository,
  paths: readonly string[] = [],
  entries: readonly StatusEntry[],
): Promise<string[]> {
  const quiet = paths.filter((path) => path !== "." && !entries.some((each) => isAt(each, path)));
  for (const path of quiet) {
    await lstat(join(top.path, path)).catch((cause: unknown) => {
      const message = `${path} does not exist in the repository. Nothing was staged; check the name with get_changed_files.`;
      throw new ToolError("executionFailed", message, {}, { cause });
    });
  }
  if (quiet.length === 0) return [];
  return [`Unchanged or ignored by git: ${quiet.slice(0, 10).join(", ")}.`];
}

function isAt({ path, from }: StatusEntry, given: string): boolean {
  return [path, from].some((each) => each === given || each?.startsWith(`${given}/`));
}

async function refuseConflicts(
  { top }: Repository,
  entries: readonly StatusEntry[],
): Promise<void> {
  const open: string[] = [];
  for (const { kind, path } of entries) {
    if (kind === "conflict" && (await hasMarkers(join(top.path, path)))) open.push(path);
  }
  if (open.length === 0) return;
  throw new ToolError(
    "executionFailed",
    `These files still have conflict markers: ${open.slice(0, 20).join(", ")}. Resolve them, then commit again. Nothing was staged.`,
  );
}

async function hasMarkers(path: string): Promise<boolean> {
  try {
    const { text } = await readText(path);
    return /^<{7} /m.test(text) && /^>{7} /m.test(text);
  } catch {
    // Deleted, binary or a link: no markers in it.
    return false;
  }
}
