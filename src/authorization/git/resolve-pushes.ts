import { posix } from "node:path";
import type { Inspection } from "../../contract/approved-run.ts";
import type { Workspace } from "../../contract/workspace.ts";
import type { CodeReport } from "../shell/code-report.ts";
import { aliasedPush, type GitSending, type PushCall } from "../shell/git-pushes.ts";
import { isProtectedBranch } from "../shell/rules/git-push.ts";
import { isUnknown, literalWord } from "../shell/word.ts";
import { RefReader, type RepositoryPlace } from "./ref-reader.ts";
import { type Refspec, scopeOfPush } from "./refspecs.ts";
import { defaultRemote, isConfigured, pushAddresses, withoutSecret } from "./remote.ts";
import { GitSettings } from "./settings.ts";

/** What a push would do in the repository as it is now. */
export interface ResolvedPush {
  /** The part of the command that pushes. */
  readonly segment: string;
  /** What it sends where, for the card. */
  readonly lines: readonly string[];
  /** Why it asks for a phrase. */
  readonly reason: string | undefined;
  /** The protected branch that it reaches. */
  readonly target: string | undefined;
  /** Why no approval can hold for it. */
  readonly denied: string | undefined;
  /** The digests of the files that decide about it; undefined for a file that must not exist. */
  readonly digests: ReadonlyMap<string, string | undefined>;
}

const UNKNOWN_TARGET = "pushes to a branch that is known only when it runs";

/** Follows every push of a command through the repository: current branch, settings, refs. */
export async function resolvePushes(
  code: CodeReport,
  { workspace, directory }: { readonly workspace: Workspace; readonly directory: string },
): Promise<ResolvedPush[]> {
  const resolved: ResolvedPush[] = [];
  for (const sending of code.sendings) {
    for (const place of sending.directories) {
      const repository = await openRepository(place, { workspace, directory });
      const push = pushOf(sending, repository);
      if (!push) continue;
      resolved.push(await resolvePush(push, { code, repository, isKnown: isKnownPlace(place) }));
    }
    if (sending.directories.length === 0 && sending.push) resolved.push(unresolved(sending.push));
  }
  return resolved;
}

interface Repository {
  readonly settings: NonNullable<Inspection["git"]>;
  readonly reader: RefReader;
}

function isKnownPlace(place: string): boolean {
  return place.startsWith("/") && !isUnknown(literalWord(place));
}

/** Undefined where no repository is. */
async function openRepository(
  place: string,
  { workspace, directory }: { readonly workspace: Workspace; readonly directory: string },
): Promise<Repository | undefined> {
  if (!isKnownPlace(place)) return undefined;
  const { git } = await workspace.inspectCode({ directory, paths: [], git: [place] });
  const where = git && placeOf(git);
  return where ? { settings: git, reader: new RefReader(workspace, where) } : undefined;
}

/** The files of the settings tell where the repository lies. */
function placeOf({ files, missing }: NonNullable<Inspection["git"]>): RepositoryPlace | undefined {
  const paths = [...files.map(({ path }) => path), ...missing];
  const folderOf = (name: string) => {
    const found = paths.find((path) => posix.basename(path) === name);
    return found === undefined ? undefined : posix.dirname(found);
  };
  const gitDir = folderOf("commondir");
  const commonDir = folderOf("config");
  return gitDir === undefined || commonDir === undefined ? undefined : { gitDir, commonDir };
}

function pushOf({ push, alias }: GitSending, repository: Repository | undefined) {
  if (push || !alias || !repository) return push;
  const settings = new GitSettings(repository.settings.settings);
  return aliasedPush(alias, (name) => settings.last(`alias.${name}`));
}

interface PushState {
  readonly code: CodeReport;
  readonly repository: Repository | undefined;
  readonly isKnown: boolean;
}

async function resolvePush(
  push: PushCall,
  { code, repository, isKnown }: PushState,
): Promise<ResolvedPush> {
  const isImplicit = push.refspecs.length === 0 || push.refspecs.some(isHeadAlone);
  const isOpen = mayChangeRemotes(code) || (code.changesRepository && isImplicit);
  if (!push.isKnown || !isKnown || isOpen) return unresolved(push);
  // Without a repository git pushes nothing, and none may appear before it runs.
  if (!repository) return code.changesRepository ? unresolved(push) : nothing(push);
  const settings = new GitSettings(repository.settings.settings, push.settings);
  if (!isReadable(repository.settings, settings)) return unresolved(push);
  const head = await repository.reader.head();
  const current = head.name.startsWith("refs/heads/")
    ? head.name.slice("refs/heads/".length)
    : undefined;
  const branches = isImplicit ? [current, ...code.branches] : [current];
  const results: Sent[] = [];
  for (const branch of new Set(branches))
    results.push(await sent(push, { settings, branch, reader: repository.reader, code }));
  const target = results.flatMap((one) => one.targets).find(isProtectedBranch);
  return {
    segment: push.segment,
    lines: [...new Set(results.flatMap((one) => one.lines))],
    reason:
      target === undefined
        ? results.map((one) => one.reason).find((one) => one !== undefined)
        : `pushes to a protected branch (${shortName(target)})`,
    target: target && shortName(target),
    denied: results.map((one) => one.denied).find((one) => one !== undefined),
    digests: repository.reader.digests,
  };
}

/** Whether the command itself may change where its remotes lead. */
function mayChangeRemotes({ changesRemotes, changed, removed }: CodeReport): boolean {
  return changesRemotes || [...changed, ...removed].some((path) => /\/\.git(?:\/|$)/.test(path));
}

function isHeadAlone(refspec: string): boolean {
  return /^\+?(?:HEAD|@)(?::?$|[~^])/.test(refspec);
}

/** Another store of refs, or a file of settings that git may ignore, cannot be read here. */
function isReadable({ files }: NonNullable<Inspection["git"]>, settings: GitSettings): boolean {
  const hasOwn = files.some(({ path }) => path.endsWith("/config.worktree"));
  if (hasOwn && !settings.isTrue("extensions.worktreeconfig")) return false;
  return (settings.last("extensions.refstorage") ?? "files") === "files";
}

interface Sent {
  readonly lines: readonly string[];
  /** The destinations. */
  readonly targets: readonly string[];
  readonly reason?: string;
  readonly denied?: string;
}

interface SendingState {
  readonly settings: GitSettings;
  readonly branch: string | undefined;
  readonly reader: RefReader;
  readonly code: CodeReport;
}

async function sent(push: PushCall, state: SendingState): Promise<Sent> {
  const { settings, branch, reader } = state;
  const remote = push.repository ?? defaultRemote(branch, settings);
  if (!isConfigured(remote, settings) && !remote.includes("/")) {
    for (const folder of ["remotes", "branches"])
      if (await reader.has(`${folder}/${remote}`))
        return { lines: [], targets: [], denied: oldRemote(folder, remote) };
  }
  const address = pushAddresses(remote, settings).map(withoutSecret).join(" and ");
  const scope = scopeOfPush(push, { remote, branch, settings });
  if (scope.kind !== "refs") return { ...WHOLE[scope.kind](address), targets: [] };
  const lines: string[] = [];
  const targets: string[] = [];
  for (const refspec of scope.refspecs) {
    const one = await describe(refspec, state);
    if (one === undefined) return { lines: [], targets: [], reason: UNKNOWN_TARGET };
    lines.push(`${one.line} of ${address}.`);
    targets.push(one.target);
  }
  const isForced = scope.refspecs.some((one) => one.isForced || one.source === "");
  const reason = isForced ? { reason: "overwrites or deletes branches of a remote" } : {};
  return { lines, targets, ...reason };
}

const WHOLE = {
  branches: (address: string) => ({
    lines: [`Pushes branches of ${address}: which ones is known only when it runs.`],
    reason: "may push to a protected branch",
  }),
  mirror: (address: string) => ({
    lines: [`Makes ${address} a mirror: overwrites and deletes its branches and tags.`],
    reason: "overwrites all branches of a remote",
  }),
  tags: (address: string) => ({ lines: [`Pushes all tags to ${address}.`] }),
} as const;

/** Undefined for a source that only git itself can look up. */
async function describe(
  { source, destination, isForced }: Refspec,
  { branch, reader, code }: SendingState,
): Promise<{ readonly line: string; readonly target: string } | undefined> {
  if (source === "")
    return { line: `Deletes ${shortName(destination ?? "")}`, target: destination ?? "" };
  const [, base = source, steps = ""] = /^(.+?)([~^][\d~^]*)$/.exec(source) ?? [];
  if (/@\{|[~^:{]/.test(base)) return undefined;
  const name = base === "HEAD" && branch !== undefined ? `refs/heads/${branch}` : base;
  const found = name === "HEAD" ? await reader.head() : await reader.named(name);
  const isId = !found && /^[0-9a-f]{7,64}$/.test(base);
  const target = destination ?? found?.name ?? name;
  const from = isId ? base.slice(0, SHORT_ID) : shortName(name);
  const commit = steps === "" ? found?.commit?.slice(0, SHORT_ID) : undefined;
  const more = code.addsCommits || code.changesRepository ? "what this command adds" : undefined;
  const what = [commit, more].filter((one) => one !== undefined).join(" and ");
  const sentence = `${isForced ? "Force-pushes" : "Pushes"} ${from}${steps}${what && ` (${what})`}`;
  return { line: `${sentence} to ${shortName(target)}`, target };
}

const SHORT_ID = 7;

function shortName(ref: string): string {
  return ref.replace(/^(?:refs\/)?heads\//, "").replace(/^refs\//, "");
}

const NO_DIGESTS: ReadonlyMap<string, undefined> = new Map();

function nothing({ segment }: PushCall): ResolvedPush {
  return {
    segment,
    lines: [],
    reason: undefined,
    target: undefined,
    denied: undefined,
    digests: NO_DIGESTS,
  };
}

function unresolved(push: PushCall): ResolvedPush {
  return { ...nothing(push), reason: UNKNOWN_TARGET };
}

function oldRemote(folder: string, remote: string): string {
  return (
    `The repository names the remote ${remote.slice(0, 100)} in .git/${folder}, an old form that no card shows. ` +
    `Add it with git remote add ${remote.slice(0, 100)} ADDRESS, remove that file, then ask again.`
  );
}
