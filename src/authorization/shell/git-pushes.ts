import { asGit } from "./git-places.ts";
import { hasAnyOption, hasOption, operandsOf, valuesOfOption } from "./options.ts";
import type { Call } from "./rule.ts";
import { subcommandAt } from "./rules/git.ts";
import { exactly, hasMarks, literalWord, type Word } from "./word.ts";

/** A push as its text says it. What it leaves out, the repository decides. */
export interface PushCall {
  readonly segment: string;
  /** Settings of the call itself: `-c push.default=current`. */
  readonly settings: readonly string[];
  readonly repository: string | undefined;
  readonly refspecs: readonly string[];
  /** Everything of a kind, in place of named refs. */
  readonly whole: "branches" | "mirror" | "tags" | undefined;
  readonly isForced: boolean;
  /** False where a word is known only when it runs, or an option is not known at all. */
  readonly isKnown: boolean;
  /** `send-pack` takes its refs from the text alone. */
  readonly obeysSettings: boolean;
}

/** A git call that may push: it does, or its name may be an alias that the repository defines. */
export interface GitSending {
  readonly directories: readonly string[];
  readonly push: PushCall | undefined;
  readonly alias: { readonly name: string; readonly words: readonly Word[] } | undefined;
}

/** What a command does to the repository besides pushing. */
export interface RepositoryChange {
  /** Branches that it may switch to. */
  readonly branches: readonly string[];
  readonly addsCommits: boolean;
  /** It may change the current branch or the refs in a way that the text does not tell. */
  readonly isOpen: boolean;
  /** It may change where a remote leads. */
  readonly changesSettings: boolean;
}

export function sendingOf(call: Call, directories: readonly string[]): GitSending | undefined {
  const git = asGit(call);
  if (!git) return undefined;
  const at = subcommandAt(git.args);
  const verb = git.args[at];
  if (!verb || at < 0) return undefined;
  const words = git.args.slice(at + 1);
  const settings = valuesOfOption(git.args.slice(0, at), { short: "c" });
  const name = exactly(verb);
  if (name === undefined || PUSHES.test(name)) {
    const push = pushOf(words, { verb: name, settings, segment: call.segment });
    return push && { directories, push, alias: undefined };
  }
  return KNOWN.test(name) ? undefined : { directories, push: undefined, alias: { name, words } };
}

const PUSHES = /^(?:push|send-pack|http-push|subtree)$/;

interface PushText {
  readonly verb: string | undefined;
  readonly settings: readonly Word[];
  readonly segment: string;
}

/** The words behind `git push`; undefined for those that push nothing. */
function pushOf(
  words: readonly Word[],
  { verb, settings, segment }: PushText,
): PushCall | undefined {
  if (verb === "subtree") return subtreePush(words, { verb, settings, segment });
  const isKnown =
    verb !== undefined &&
    [...words, ...settings].every((word) => !hasMarks(word)) &&
    words.every(({ shape }) => !shape.startsWith("-") || KNOWN_OPTION.test(shape));
  if (isKnown && hasOption(words, { short: "n", long: "dry-run" })) return undefined;
  const [repository, ...refs] = operandsOf(words, { valued: "o", valuedLong: VALUED }).map(
    ({ shape }) => shape,
  );
  const isDeleted = hasOption(words, { short: "d", long: "delete" });
  return {
    segment,
    settings: settings.map(({ shape }) => shape),
    repository,
    refspecs: withoutTagWords(refs).map((ref) => (isDeleted ? `:${ref}` : ref)),
    whole: wholeOf(words),
    isForced: hasOption(words, { short: "f", long: "force" }),
    isKnown,
    obeysSettings: verb === "push",
  };
}

/** `git subtree push --prefix=DIR REPOSITORY BRANCH` pushes commits that it makes of HEAD. */
function subtreePush(words: readonly Word[], text: PushText): PushCall | undefined {
  if (words[0]?.shape !== "push") return undefined;
  const [repository, branch] = operandsOf(words.slice(1), {
    valued: "P",
    valuedLong: ["prefix", "message", "annotate", "branch", "onto"],
  }).map(({ shape }) => shape);
  return {
    segment: text.segment,
    settings: text.settings.map(({ shape }) => shape),
    repository,
    refspecs: branch === undefined ? [] : [`HEAD:${branch.replace(/^.*:/, "")}`],
    whole: undefined,
    isForced: false,
    isKnown: branch !== undefined && words.every((word) => !hasMarks(word)),
    obeysSettings: true,
  };
}

const VALUED = ["push-option", "receive-pack", "exec"];

/** Long options can be cut short, so only whole names count as known. */
const KNOWN_OPTION =
  /^(?:-[vqnfud46]+|-o.*|--(?:(?:no-)?(?:verbose|quiet|dry-run|porcelain|force|set-upstream|progress|thin|verify|follow-tags|atomic|force-if-includes|force-with-lease|signed|delete|all|branches|mirror|tags|prune|ipv4|ipv6)|(?:push-option|signed|force-with-lease)=.*|push-option|recurse-submodules=(?:no|check)))$/s;

function wholeOf(words: readonly Word[]): PushCall["whole"] {
  if (hasOption(words, { long: "mirror" })) return "mirror";
  if (hasAnyOption(words, [{ long: "all" }, { long: "branches" }])) return "branches";
  return words.some(({ shape }) => shape === "--tags") ? "tags" : undefined;
}

/** `tag v1` is another way to write `refs/tags/v1`. */
function withoutTagWords(refs: readonly string[]): string[] {
  return refs.flatMap((ref, index) => {
    if (ref === "tag" && index + 1 < refs.length) return [];
    return [refs[index - 1] === "tag" ? `refs/tags/${ref}` : ref];
  });
}

const NO_CHANGE: RepositoryChange = {
  branches: [],
  addsCommits: false,
  isOpen: false,
  changesSettings: false,
};
const OPEN: RepositoryChange = { ...NO_CHANGE, isOpen: true };

/** Programs that change no repository and run no code of the workspace, and those that start a call of its own. */
const HARMLESS =
  /^(?:cd|pushd|popd|dirs|echo|printf|true|false|:|test|\[|ls|cat|head|tail|wc|grep|rg|pwd|sleep|date|id|whoami|exit|set|export|unset|read|local|declare|return|shift|wait|sudo|doas|env|timeout|nice|ionice|nohup|command|exec|time|stdbuf|setsid|builtin|eval)$/;

/** A shell that gets its text in a word: what it runs are calls of their own. */
function isShellText({ program, args }: Call): boolean {
  return /^(?:ba|da)?sh$/.test(program) && args.some(({ shape }) => /^-[a-z]*c$/.test(shape));
}

/** How a call leaves the repository for a push in the same command. */
export function repositoryChangeOf(call: Call): RepositoryChange {
  const git = asGit(call);
  if (!git) return HARMLESS.test(call.program) || isShellText(call) ? NO_CHANGE : OPEN;
  const at = subcommandAt(git.args);
  if (at < 0) return NO_CHANGE;
  const verb = exactly(git.args[at]) ?? "";
  const words = git.args.slice(at + 1);
  if (LOOKS.test(verb) || PUSHES.test(verb)) return NO_CHANGE;
  if (COMMITS.test(verb)) return { ...NO_CHANGE, addsCommits: true };
  if (verb === "rebase" && operandsOf(words).length < 2 && !hasOption(words, { short: "x" }))
    return { ...NO_CHANGE, addsCommits: true };
  if (verb === "switch" || verb === "checkout") return switchOf(words);
  if (verb === "remote" && /^(?:show|get-url|-v|)$/.test(words[0]?.shape ?? "")) return NO_CHANGE;
  return { ...OPEN, changesSettings: SETS.test(verb) };
}

const SETS = /^(?:remote|config|init|clone|submodule|worktree|)$/;
const LOOKS =
  /^(?:add|status|log|show|diff|blame|describe|rev-parse|rev-list|ls-files|ls-tree|ls-remote|cat-file|shortlog|grep|rm|mv|restore|fetch|show-ref|for-each-ref|merge-base|version|help)$/;
const COMMITS = /^(?:commit|merge|cherry-pick|revert|reset|pull|tag|am|apply|stash)$/;

/** Git's own commands, which no alias replaces. */
const KNOWN = new RegExp(
  `${LOOKS.source}|${COMMITS.source}|^(?:rebase|switch|checkout|remote|config|branch|init|clone|clean|gc|notes|bisect|worktree|submodule|reflog|lfs|update-ref|symbolic-ref|archive|bundle|format-patch|maintenance|filter-branch)$`,
);

function switchOf(words: readonly Word[]): RepositoryChange {
  if (words.some(hasMarks)) return OPEN;
  if (words.some(({ shape }) => shape === "--")) return NO_CHANGE;
  const named = operandsOf(words, { valued: "bBcC", valuedLong: ["orphan", "conflict"] });
  const made = ["b", "B", "c", "C"].flatMap((short) => valuesOfOption(words, { short }));
  const orphan = valuesOfOption(words, { long: "orphan" });
  const branches = [...named, ...made, ...orphan].map(({ shape }) => shape);
  return branches.some((name) => /^-$|@\{/.test(name)) ? OPEN : { ...NO_CHANGE, branches };
}

const MOST_ALIASES = 10;

/** An alias of the repository that stands for a push; undefined for every other one. */
export function aliasedPush(
  { name, words }: NonNullable<GitSending["alias"]>,
  lookUpAlias: (alias: string) => string | undefined,
): PushCall | undefined {
  const segment = `git ${name}`;
  let value = lookUpAlias(name) ?? "";
  for (let step = 0; step < MOST_ALIASES; step++) {
    const [first = "", ...others] = value.trim().split(/\s+/);
    const next = PUSHES.test(first) || KNOWN.test(first) ? undefined : lookUpAlias(first);
    if (next === undefined) break;
    value = [next, ...others].join(" ");
  }
  const isShell = value.startsWith("!");
  const [verb = "", ...rest] = value.trim().split(/\s+/);
  if (isShell ? !/\bpush\b/.test(value) : !PUSHES.test(verb)) return undefined;
  const all = [...rest.map(literalWord), ...words];
  const push = pushOf(all, { verb: isShell ? undefined : verb, settings: [], segment });
  // Quotes inside an alias would need git's own reading of it.
  return push && { ...push, isKnown: push.isKnown && !/["'\\]/.test(value) };
}
