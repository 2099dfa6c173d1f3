import { dirname, join, resolve } from "node:path";
import type { CodeFile, Inspection } from "../../../src/contract/approved-run.ts";
import { ToolError } from "../../../src/contract/operation.ts";
import { overridesFor } from "../build/git/safe-environment.ts";
import type { ServerSettings } from "../settings.ts";
import { askGit } from "./ask-git.ts";
import { type DigestedFile, readSmallFile } from "./code-file.ts";
import { approvedEnvironment } from "./environment.ts";

const OUTPUT_LIMIT_BYTES = 1024 * 1024;

/** Values of these keys are programs as well, for commands that the server itself never runs. */
const PROGRAMS: readonly (readonly [RegExp, string])[] = [
  [/^merge\..*\.driver$/s, "false"],
  [/^credential\..*\.helper$/s, ""],
  [/^pager\./s, "false"],
  [/^submodule\..*\.update$/s, "checkout"],
  [/^(?:diff|merge)tool\..*\.(?:cmd|path)$/s, "false"],
  [/^trailer\..*\.(?:command|cmd)$/s, "false"],
  [/^(?:browser|man)\..*\.(?:cmd|path)$/s, "false"],
  [/^sequence\.editor$/s, "true"],
  [/^uploadpack\.packobjectshook$/s, ""],
  [/^tar\..*\.command$/s, "false"],
  [/^sendemail\./s, ""],
];

/** Git takes the first value of these, so none that comes later replaces it; an include may set anything. */
const NOT_REPLACEABLE =
  /^(?:remote\..*\.(?:receivepack|uploadpack|vcs)|core\.gitproxy|include\.path|includeif\..*)$/s;

/** The settings of the repositories around directories, read without git looking at a repository; null without one. */
export async function gitSettings(
  server: Pick<ServerSettings, "supervise">,
  directories: readonly string[],
): Promise<Inspection["git"]> {
  const found = directories.flatMap((directory) => repositoryFiles(directory) ?? []);
  const configs = new Set(found.flatMap((repository) => repository.configs));
  if (configs.size === 0) return null;
  const missing: string[] = [];
  const files: CodeFile[] = [];
  const settings: [string, string][] = [];
  for (const path of new Set([...configs, ...found.map(({ pointer }) => pointer)])) {
    const read = readSmallFile(path);
    if ("file" in read) {
      files.push(read.file);
      if (configs.has(path)) settings.push(...(await listSettings(server, read)));
    } else if (read.why === undefined) missing.push(path);
    else
      throw new ToolError(
        "executionFailed",
        `The git settings ${path} cannot be read: it ${read.why}.`,
      );
  }
  const programs = settings.flatMap(([key]) =>
    PROGRAMS.filter(([pattern]) => pattern.test(key)).map(([, value]): [string, string] => [
      key,
      value,
    ]),
  );
  const obeyed = settings.map(([key]) => key).filter((key) => NOT_REPLACEABLE.test(key));
  const overrides = [...overridesFor(new Map(settings)), ...programs];
  return { files, settings, overrides, obeyed, missing };
}

interface RepositoryFiles {
  readonly configs: readonly string[];
  /** The file that says where the settings are, where it exists. */
  readonly pointer: string;
}

/** Undefined outside of repositories. */
function repositoryFiles(directory: string): RepositoryFiles | undefined {
  for (let place = directory; ; place = dirname(place)) {
    const gitDir = gitDirOf(place);
    if (gitDir !== undefined) {
      const pointer = join(gitDir, "commondir");
      const shared = readText(pointer);
      const common = shared === undefined ? gitDir : resolve(gitDir, shared.trim());
      return { configs: [join(common, "config"), join(gitDir, "config.worktree")], pointer };
    }
    if (place === "/") return undefined;
  }
}

function gitDirOf(place: string): string | undefined {
  const dotGit = join(place, ".git");
  if (readText(join(dotGit, "HEAD")) !== undefined) return dotGit;
  const link = /^gitdir: (.+)$/m.exec(readText(dotGit) ?? "")?.[1];
  if (link !== undefined) return resolve(place, link);
  const isBare = readText(join(place, "HEAD"))?.startsWith("ref: ") ?? false;
  return isBare && readText(join(place, "config")) !== undefined ? place : undefined;
}

function readText(path: string): string | undefined {
  const found = readSmallFile(path);
  return "bytes" in found ? found.bytes.toString("utf8") : undefined;
}

async function listSettings(
  server: Pick<ServerSettings, "supervise">,
  { file, bytes }: DigestedFile & { readonly bytes: Buffer },
): Promise<[string, string][]> {
  const { code, output } = await askGit(
    server,
    ["config", "--file", "-", "--list", "-z", "--no-includes"],
    { directory: "/", readable: [], env: approvedEnvironment("root"), input: bytes },
  );
  if (code !== 0 || output.length > OUTPUT_LIMIT_BYTES) {
    throw new ToolError(
      "executionFailed",
      `The git settings ${file.path} cannot be read as git reads them. Repair the file first.`,
    );
  }
  return output
    .toString("utf8")
    .split("\0")
    .slice(0, -1)
    .map((entry) => {
      const [key = "", ...value] = entry.split("\n");
      return [key, value.join("\n")];
    });
}
