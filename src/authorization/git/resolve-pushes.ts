import type { BoundPush, PushAnswer, PushQuestion } from "../../contract/workspace/approved-run.ts";
import type { Workspace } from "../../contract/workspace/workspace.ts";
import type { CodeReport } from "../shell/code-report.ts";
import { aliasedPush, type GitSending, type PushCall } from "../shell/git-pushes.ts";
import { isUnknown, literalWord } from "../shell/word.ts";
import { type PushView, viewOf } from "./push-view.ts";

/** What a push would do in the repository as it is now. */
export interface ResolvedPush extends PushView {
  /** The part of the command that pushes. */
  readonly segment: string;
  /** Why no approval can hold for it. */
  readonly denied: string | undefined;
  /** What git must say again when it runs. */
  readonly bound: readonly Omit<BoundPush, "isWhole">[];
}

const UNKNOWN_TARGET = "pushes to a branch that is known only at run time";

interface Place {
  readonly workspace: Workspace;
  readonly directory: string;
}

/** Has git say of every push of a command what it would do. */
export async function resolvePushes(code: CodeReport, place: Place): Promise<ResolvedPush[]> {
  const resolved: ResolvedPush[] = [];
  for (const sending of code.sendings) {
    for (const where of sending.directories) {
      const push = await pushOf(sending, where, place);
      if (push) resolved.push(await resolvePush(push, { code, where, place }));
    }
    if (sending.directories.length === 0 && sending.push) resolved.push(unresolved(sending.push));
  }
  return resolved;
}

function isKnownPlace(place: string): boolean {
  return place.startsWith("/") && !isUnknown(literalWord(place));
}

async function pushOf(
  { push, alias }: GitSending,
  where: string,
  { workspace, directory }: Place,
): Promise<PushCall | undefined> {
  if (push || !alias || !isKnownPlace(where)) return push;
  const { git } = await workspace.inspectCode({ directory, paths: [], git: [where] });
  const settings = git?.settings ?? [];
  return aliasedPush(alias, (name) => settings.findLast(([key]) => key === `alias.${name}`)?.[1]);
}

interface PushState {
  readonly code: CodeReport;
  readonly where: string;
  readonly place: Place;
}

async function resolvePush(
  push: PushCall,
  { code, where, place }: PushState,
): Promise<ResolvedPush> {
  const isImplicit = push.refspecs.length === 0 || push.refspecs.some(isHeadAlone);
  const isOpen = mayChangeRemotes(code) || (code.changesRepository && isImplicit);
  if (!push.isKnown || !isKnownPlace(where) || isOpen) return unresolved(push);
  const branches = [undefined, ...(isImplicit ? code.branches : [])];
  const questions = branches.map((branch) => questionOf(push, { code, where, branch }));
  const { workspace, directory } = place;
  const asked = { directory, paths: [], git: [where], pushes: questions.slice(0, MOST_QUESTIONS) };
  const { pushes, git } = await workspace.inspectCode(asked);
  if (pushes.length < questions.length) return unresolved(push);
  // Without a repository git pushes nothing, unless the command makes one.
  if (pushes.some(({ kind }) => kind === "nothing") && code.changesRepository)
    return unresolved(push);
  const adds = code.addsCommits || code.changesRepository;
  const view = viewOf(push, pushes, { adds, settings: git?.settings ?? [] });
  const denied = pushes.find((answer) => answer.kind === "refused")?.why;
  const { segment, setsUpstream } = push;
  const bound = questions.map((question, index) => ({
    question,
    answer: pushes[index] as PushAnswer,
    setsUpstream,
  }));
  const unknown = pushes.find((answer) => answer.kind === "unknown");
  if (unknown)
    return {
      ...unresolved(push),
      lines: [`Git does not say what it pushes: ${unknown.why}.`],
      bound,
    };
  return { ...view, segment, denied, bound };
}

const MOST_QUESTIONS = 8;

function questionOf(
  { settings, options, repository, refspecs }: PushCall,
  { code, where, branch }: Pick<PushState, "code" | "where"> & { branch: string | undefined },
): PushQuestion {
  const mayMake = code.changesRepository || code.branches.size > 0;
  const named = refspecs.flatMap((one) => /^\+?([\w./-]+)(?::|$)/.exec(one)?.[1] ?? []);
  return {
    directory: where,
    settings: [...settings],
    options: [...options],
    ...(repository === undefined ? {} : { repository }),
    refspecs: [...refspecs],
    ...(branch === undefined ? {} : { branch }),
    mayMake: mayMake ? named.filter((name) => !/^(?:HEAD$|refs\/)/.test(name)) : [],
  };
}

/** Whether the command itself may change where its remotes lead. */
function mayChangeRemotes({ changesRemotes, changed, removed }: CodeReport): boolean {
  return changesRemotes || [...changed, ...removed].some((path) => /\/\.git(?:\/|$)/.test(path));
}

function isHeadAlone(refspec: string): boolean {
  return /^\+?(?:HEAD|@)(?::?$|[~^])/.test(refspec);
}

function unresolved({ segment }: PushCall): ResolvedPush {
  const nothing = { target: undefined, denied: undefined, lines: [], bound: [] };
  return { segment, reason: UNKNOWN_TARGET, ...nothing };
}
