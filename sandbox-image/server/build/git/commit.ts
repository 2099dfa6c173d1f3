import type { buildAndVersionControl } from "../../../../src/contract/tools/build-and-version-control.ts";
import { type ParamsOf, ToolError } from "../../../../src/contract/tools/operation.ts";
import type { Answer } from "../../handlers.ts";
import type { ServerSettings } from "../../settings.ts";
import { filterNotice } from "./changed-files.ts";
import { openRepository, type Repository } from "./repository.ts";
import { type GitOutcome, type GitPlace, joinWithNul, runGit } from "./run-git.ts";
import { type GitConfig, overridesFor, safeEnvironment } from "./safe-environment.ts";
import { changesToCommit, noChanges, stage } from "./stage.ts";

export interface CommitRequest extends ParamsOf<typeof buildAndVersionControl, "git_commit"> {
  /** Who wanted the commit, for a trailer of its message. */
  readonly requestedBy?: string | undefined;
}

const LISTED = 500;
/** Stands in for this one commit where the repository knows no name or address; nothing is written. */
const FALLBACK_IDENTITY = [
  ["user.name", "Deckhand"],
  ["user.email", "deckhand@localhost"],
] as const;

export async function commitChanges(
  settings: ServerSettings,
  request: CommitRequest,
  signal: AbortSignal,
): Promise<Answer> {
  const repository = await openRepository(settings, request.repositoryPath ?? ".", signal);
  const changes = await changesToCommit(settings, repository, request);
  await stage(repository.git, changes.entries);
  await refuseEmpty(repository.git, changes.paths);
  const message = withRequester(request.message, request.requestedBy);
  const only = request.files && changes.entries.map(({ raw }) => raw);
  await commit(withIdentity(settings, repository), { message, only });
  const hash = await headOf(repository.git);
  const paths = changes.entries.map(({ path }) => path);
  const { notice } = filterNotice(repository.config);
  const notices = [...changes.notices, ...(notice ? [notice] : [])];
  return {
    hash,
    message,
    filesStaged: paths.slice(0, LISTED),
    totalFiles: paths.length,
    output: summary(changes.branch, hash, message, paths.length),
    ...(notices.length > 0 && { notice: notices.join(" ") }),
  };
}

/**
 * Asked beforehand, because a commit that finds nothing ends by showing the status: with a look into submodules, whose
 * settings nobody has seen. A merge may change nothing and be committed all the same.
 */
async function refuseEmpty(git: GitPlace, paths: readonly string[]): Promise<void> {
  const compare = [
    "diff-index",
    "--cached",
    "--quiet",
    "--no-ext-diff",
    "--ignore-submodules=dirty",
  ];
  const { exitCode } = await runGit(git, [...compare, "HEAD", "--", ...paths]);
  if (exitCode !== 0) return;
  const merge = await runGit(git, ["rev-parse", "--quiet", "--verify", "MERGE_HEAD"]);
  if (merge.exitCode !== 0) throw noChanges();
}

interface Commit {
  readonly message: string;
  /** These paths and nothing else that happens to be staged. */
  readonly only: readonly Buffer[] | undefined;
}

async function commit(git: GitPlace, { message, only }: Commit): Promise<void> {
  const args = [
    "commit",
    "--quiet",
    "--no-verify",
    "--no-gpg-sign",
    "--no-edit",
    "--untracked-files=no",
    "--cleanup=verbatim",
    `--message=${message}`,
  ];
  const outcome = only
    ? await runGit(
        git,
        [...args, "--only", "--pathspec-from-file=-", "--pathspec-file-nul"],
        joinWithNul(only),
      )
    : await runGit(git, args);
  if (outcome.exitCode !== 0) throw failure(outcome);
}

function failure({ exitCode, errors, output }: GitOutcome): ToolError {
  const said = (errors.trim() || output.toString("utf8").trim()).slice(0, 1000);
  if (exitCode === 1 && /^(nothing|no changes) /m.test(said)) return noChanges();
  if (/cannot do a partial commit/.test(said)) {
    return new ToolError(
      "executionFailed",
      "A merge is in progress and can only be committed as a whole. Omit files.",
    );
  }
  return new ToolError("executionFailed", `git commit failed: ${said}`);
}

function withIdentity(settings: ServerSettings, { config, git }: Repository): GitPlace {
  const missing = FALLBACK_IDENTITY.filter(([key]) => !hasIdentity(config, key));
  if (missing.length === 0) return git;
  const more = new Map([...overridesFor(config), ...missing]);
  return { ...git, environment: safeEnvironment(settings, more) };
}

function hasIdentity(config: GitConfig, key: string): boolean {
  return (config.get(key) ?? "").trim() !== "";
}

/** The trailer joins the trailers that are there already; otherwise it gets a paragraph of its own. */
function withRequester(message: string, requestedBy: string | undefined): string {
  const name = requestedBy?.replace(/[\s\p{C}]+/gu, " ").trim();
  if (!name) return message;
  const text = message.trimEnd();
  const last = text.split("\n").at(-1) ?? "";
  const hasTrailers = text.includes("\n") && /^[A-Za-z][\w-]*: \S/.test(last);
  return `${text}${hasTrailers ? "\n" : "\n\n"}Requested-by: ${name}`;
}

async function headOf(git: GitPlace): Promise<string> {
  const { output } = await runGit(git, ["rev-parse", "--verify", "HEAD"]);
  return output.toString("utf8").trim();
}

function summary(branch: string | null, hash: string, message: string, files: number): string {
  const subject = message.trim().split("\n")[0] ?? "";
  const count = `${files} ${files === 1 ? "file" : "files"}`;
  return `[${branch ?? "detached HEAD"} ${hash.slice(0, 7)}] ${subject}\n ${count} changed`;
}
