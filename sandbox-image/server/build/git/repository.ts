import { ToolError } from "../../../../src/contract/tools/operation.ts";
import { type Place, placeOf } from "../../files/place.ts";
import type { ServerSettings } from "../../settings.ts";
import { directoryAt } from "../directory-at.ts";
import { type GitPlace, gitPlace, runGit } from "./run-git.ts";
import { type GitConfig, overridesFor, safeEnvironment } from "./safe-environment.ts";

/** A repository that was looked at, with git made safe for its settings. */
export interface Repository {
  /** The directory that was asked for. */
  readonly directory: string;
  /** Top of the work tree; git runs here. */
  readonly top: Place;
  readonly config: GitConfig;
  readonly git: GitPlace;
}

/** Finds the repository of a directory: itself, one above it in the workspace, or the one that a worktree belongs to. */
export async function openRepository(
  settings: ServerSettings,
  path: string,
  signal: AbortSignal,
): Promise<Repository> {
  const directory = await directoryAt(settings, path);
  const top = await topOf(settings, directory, gitPlace(settings, directory.path, signal));
  // Settings are read where git will run: core.worktree may have led to another repository.
  const git = gitPlace(settings, top.path, signal);
  const config = await readConfig(git);
  const environment = safeEnvironment(settings, overridesFor(config));
  return { directory: directory.path, top, config, git: { ...git, environment } };
}

async function topOf(settings: ServerSettings, directory: Place, git: GitPlace): Promise<Place> {
  const { exitCode, output, errors } = await runGit(git, ["rev-parse", "--show-toplevel"]);
  if (exitCode !== 0) throw noRepository(directory.shown, errors);
  const top = await placeOf(settings, output.toString("utf8").replace(/\n$/, ""));
  const contains = `${directory.path}/`.startsWith(top.path === "/" ? "/" : `${top.path}/`);
  // core.worktree can point anywhere; what nobody asked for is not touched.
  if (contains && (top.inside || !directory.inside)) return top;
  throw new ToolError(
    "permissionDenied",
    `The repository of ${directory.shown} has its work tree at ${top.shown}. ` +
      "Check core.worktree in its settings.",
  );
}

function noRepository(shown: string, errors: string): ToolError {
  const said = errors.trim().slice(0, 500);
  const advice = ADVICE.find(([sign]) => sign.test(said))?.[1](shown);
  return new ToolError("executionFailed", advice ?? `git cannot read ${shown}: ${said}`);
}

const ADVICE: readonly (readonly [RegExp, (shown: string) => string])[] = [
  [
    /not a git repository|cannot use bare repository|must be run in a work tree/,
    (shown) =>
      `${shown} is not in a git repository with a work tree. Set repositoryPath, or create one with git init.`,
  ],
  [
    /dubious ownership/,
    (shown) =>
      `The repository of ${shown} belongs to another user, so git does not use it. Change its owner first.`,
  ],
];

async function readConfig(git: GitPlace): Promise<GitConfig> {
  const { exitCode, output, errors } = await runGit(git, ["config", "--list", "-z"]);
  if (exitCode !== 0) {
    const said = errors.trim().slice(0, 500);
    throw new ToolError("executionFailed", `git cannot read its settings: ${said}`);
  }
  const settings = output.toString("utf8").split("\0").filter(Boolean);
  return new Map(
    settings.map((setting) => {
      const end = setting.indexOf("\n");
      return end < 0 ? [setting, "true"] : [setting.slice(0, end), setting.slice(end + 1)];
    }),
  );
}
