import { lstatSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { ToolError } from "../../../../src/contract/tools/operation.ts";
import type { ServerSettings } from "../../settings.ts";
import { askGit, type GitAnswer } from "../ask-git.ts";
import { realDirectory } from "../bound-directory.ts";
import { approvedEnvironment } from "../environment.ts";

export type Supervised = Pick<ServerSettings, "supervise">;

/** A key as git writes it, in bytes; null stands for a key without a value. */
export type RawSetting = readonly [key: string, value: string | null];

/** Which repository git uses in a directory, in git's own words. */
export interface Repository {
  readonly directory: string;
  readonly gitDir: string;
  readonly commonDir: string;
  readonly objects: string;
  readonly objectFormat: string;
  /** Undefined outside of a working tree. */
  readonly topLevel: string | undefined;
  /** Those of the repository itself, each character one byte. */
  readonly settings: readonly RawSetting[];
}

/** The workload's directories: what git needs of the system it can read anyway. */
const READABLE = ["/workspace", "/home/agent", "/tmp", "/var/tmp", "/dev/shm", "/run/deckhand"];

/** And the repositories around a directory that lies elsewhere, as below /opt. */
export function readablePlaces(directory: string): string[] {
  return [...READABLE, ...placesOfRepositories(directory)].filter(
    (path) => realDirectory(path) === path,
  );
}

/** What git answers in a directory, in the environment that an approved command has. Nothing in it starts or writes. */
export function askIn(
  server: Supervised,
  directory: string,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<GitAnswer> {
  const safe: [string, string] = ["safe.directory", "*"];
  const env = { ...approvedEnvironment("agent", [safe]), LC_ALL: "C", ...more };
  return askGit(server, args, { directory, readable: readablePlaces(directory), env });
}

/** Undefined where there is no repository. Throws a ToolError where git refuses the one that is there. */
export async function repositoryAt(
  server: Supervised,
  directory: string,
): Promise<Repository | undefined> {
  const place = realDirectory(directory);
  if (place === null) return undefined;
  const found = await askIn(server, place, ["rev-parse", "--path-format=absolute", ...QUESTIONS]);
  if (found.code !== 0) {
    if (!/not a git repository/.test(found.errors)) throw refused(place, found.errors);
    // The agent's own git may read more than this one, and would use it.
    const hidden = ancestorsOf(place).find((one) => look(join(one, ".git")) || isBare(one));
    if (hidden !== undefined)
      throw refused(place, `it may not read all of the repository in ${hidden}`);
    return undefined;
  }
  const lines = linesOf(found);
  // A line feed in a path would move every answer behind it.
  if (lines.length !== ANSWERS) throw refused(place, "one of its paths has several lines");
  const [gitDir = "", commonDir = "", objects = "", objectFormat = ""] = lines;
  const top = await askIn(server, place, ["rev-parse", "--show-toplevel"]);
  const [topLevel, ...rest] = top.code === 0 ? linesOf(top) : [];
  if (rest.length > 0) throw refused(place, "one of its paths has several lines");
  assertSeenByAgent([...placesOfRepositories(place), gitDir, commonDir]);
  const settings = await settingsIn(server, place);
  return { directory: place, gitDir, commonDir, objects, objectFormat, topLevel, settings };
}

const QUESTIONS = [
  "--absolute-git-dir",
  "--git-common-dir",
  "--git-path",
  "objects",
  "--show-object-format",
];
const ANSWERS = 4;

/** Where git looks for one, from the directory upwards. */
function placesOfRepositories(place: string): string[] {
  return ancestorsOf(place).map((one) => join(one, ".git"));
}

function isBare(directory: string): boolean {
  return ["HEAD", "objects", "refs"].every((name) => look(join(directory, name)));
}

/** The same for as long as git uses the same repository with the same settings. */
export function digestOfRepository(repository: Repository): string {
  // Loaded here, because the workspace's own server starts from the same bundle without it.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(JSON.stringify(repository)).digest("hex");
}

async function settingsIn(server: Supervised, place: string): Promise<RawSetting[]> {
  const args = ["config", "--list", "-z", "--show-scope", "--no-includes"];
  const listed = await askIn(server, place, args);
  if (listed.code !== 0) throw refused(place, listed.errors);
  const pieces = listed.output.toString("latin1").split("\0").slice(0, -1);
  const settings: RawSetting[] = [];
  for (let at = 0; at + 1 < pieces.length; at += 2) {
    if (!/^(?:local|worktree)$/.test(pieces[at] ?? "")) continue;
    const entry = pieces[at + 1] ?? "";
    const end = entry.indexOf("\n");
    settings.push(end < 0 ? [entry, null] : [entry.slice(0, end), entry.slice(end + 1)]);
  }
  return settings;
}

/** Root reads what the agent's git cannot, and would find another repository than it. */
function assertSeenByAgent(places: readonly string[]): void {
  for (const place of places)
    for (const name of ["", "HEAD", "objects", "refs", "config", "commondir"]) {
      const found = look(join(place, name));
      const needed = found?.isDirectory() ? 0o500 : 0o400;
      if (found && !found.isSymbolicLink() && (found.mode & needed) !== needed)
        throw refused(place, `${name || "it"} is not readable by its owner`);
    }
}

function look(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined; // nothing there, or below a file
  }
}

function ancestorsOf(directory: string): string[] {
  return directory === "/" ? ["/"] : [directory, ...ancestorsOf(dirname(directory))];
}

export function linesOf({ output }: GitAnswer): string[] {
  return output.toString("utf8").split("\n").slice(0, -1);
}

function refused(place: string, why: string): ToolError {
  const [line = ""] = why.split("\n");
  return new ToolError(
    "executionFailed",
    `Git cannot read the repository around ${place.slice(0, 200)}: ${line.slice(0, 300)}. Fix it first.`,
  );
}
