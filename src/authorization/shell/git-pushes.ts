import { asGit } from "./git-places.ts";
import { hasOption, operandsOf, valuesOfOption } from "./options.ts";
import type { Call } from "./rule.ts";
import { subcommandAt } from "./rules/git.ts";
import { exactly, hasMarks, literalWord, type Word } from "./word.ts";

/** A push as its text says it. What it leaves out, the repository decides. */
export interface PushCall {
  readonly segment: string;
  /** Settings of the call itself: `-c push.default=current`. */
  readonly settings: readonly string[];
  /** One letter each, and without those that only concern what git notes afterwards. */
  readonly options: readonly string[];
  readonly repository: string | undefined;
  readonly refspecs: readonly string[];
  readonly setsUpstream: boolean;
  /** False where a word is known only when it runs, or an option is not known at all. */
  readonly isKnown: boolean;
}

/** A git call that may push: it does, or its name may be an alias that the repository defines. */
export interface GitSending {
  readonly directories: readonly string[];
  readonly push: PushCall | undefined;
  readonly alias: GitAlias | undefined;
}

export interface GitAlias {
  readonly name: string;
  readonly words: readonly Word[];
  readonly before: LeadingWords;
}

/** The words between `git` and its command. */
interface LeadingWords {
  readonly settings: readonly string[];
  /** False where one of them chooses another repository than its directory does, or is not known. */
  readonly isPlain: boolean;
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
  const before = leadingWords(git.args.slice(0, at));
  const { segment } = call;
  const name = exactly(verb);
  if (name === undefined || PUSHES.test(name)) {
    const push = pushOf(words, { verb: name, before, segment });
    return push && { directories, push, alias: undefined };
  }
  if (STARTS_GIT.test(name)) {
    const isPush = words.some(({ shape }) => /push|send-pack/.test(shape)) || words.some(hasMarks);
    return isPush ? { directories, push: unknownPush(segment), alias: undefined } : undefined;
  }
  if (KNOWN.test(name)) return undefined;
  return { directories, push: undefined, alias: { name, words, before } };
}

const PUSHES = /^(?:push|send-pack|http-push|subtree|lfs)$/;
/** They start git again with the words that follow, in other places. */
const STARTS_GIT = /^(?:for-each-repo|submodule|bisect|rebase|filter-branch|difftool|mergetool)$/;
const QUIET_OPTIONS = /^(?:-P|--no-pager|-p|--paginate|--no-optional-locks|--literal-pathspecs)$/;

function leadingWords(args: readonly Word[]): LeadingWords {
  const settings: string[] = [];
  let isPlain = args.every((word) => !hasMarks(word));
  for (let index = 0; index < args.length; index++) {
    const option = args[index]?.shape ?? "";
    if (option === "-c") settings.push(args[++index]?.shape ?? "");
    else if (option === "-C") index++;
    else if (!QUIET_OPTIONS.test(option)) isPlain = false;
  }
  return { settings, isPlain };
}

interface PushText {
  readonly verb: string | undefined;
  readonly before: LeadingWords;
  readonly segment: string;
}

function unknownPush(segment: string): PushCall {
  const nothing = { settings: [], options: [], repository: undefined, refspecs: [] };
  return { segment, ...nothing, setsUpstream: false, isKnown: false };
}

/** The words behind `git push`; undefined for those that push nothing. */
function pushOf(words: readonly Word[], { verb, before, segment }: PushText): PushCall | undefined {
  if (/^(?:subtree|lfs)$/.test(verb ?? ""))
    return words[0]?.shape === "push" ? unknownPush(segment) : undefined;
  const isKnown =
    verb === "push" &&
    before.isPlain &&
    words.every((word) => !hasMarks(word)) &&
    words.every(({ shape }) => !shape.startsWith("-") || KNOWN_OPTION.test(shape));
  if (hasOption(words, { short: "n", long: "dry-run" }) && words.every((word) => !hasMarks(word)))
    return undefined;
  if (!isKnown) return unknownPush(segment);
  const [repository, ...refs] = operandsOf(words, { valued: "o", valuedLong: VALUED }).map(
    ({ shape }) => shape,
  );
  const options = optionsOf(words);
  const isDeleted = options.some((option) => DELETES.test(option));
  return {
    segment,
    settings: before.settings,
    options: options.filter((option) => !DELETES.test(option) && !UPSTREAM.test(option)),
    repository,
    refspecs: withoutTagWords(refs).map((ref) => (isDeleted ? `:${ref}` : ref)),
    setsUpstream: options.some((option) => UPSTREAM.test(option)),
    isKnown,
  };
}

const DELETES = /^(?:-d|--delete)$/;
const UPSTREAM = /^(?:-u|--set-upstream)$/;

/** Each option by itself, with its value in the same word. */
function optionsOf(words: readonly Word[]): string[] {
  const options: string[] = [];
  const shapes = words.map(({ shape }) => shape);
  for (let index = 0; index < shapes.length && shapes[index] !== "--"; index++) {
    const word = shapes[index] ?? "";
    const [, letters = "", value] = /^-([vqfud46]*)(?:o(.*))?$/s.exec(word) ?? [];
    const hasValue = word.startsWith("-") && !word.startsWith("--") && value !== undefined;
    if (/^-[^-]/.test(word)) options.push(...[...letters].map((letter) => `-${letter}`));
    if (hasValue) options.push(`--push-option=${value || (shapes[++index] ?? "")}`);
    else if (word === "--push-option") options.push(`${word}=${shapes[++index] ?? ""}`);
    else if (word.startsWith("--")) options.push(word);
  }
  return options;
}

const VALUED = ["push-option"];

/** Long options can be cut short, so only whole names count as known. */
const KNOWN_OPTION =
  /^(?:-[vqnfud46]+|-o.*|--(?:(?:no-)?(?:verbose|quiet|dry-run|porcelain|force|set-upstream|progress|thin|verify|follow-tags|atomic|force-if-includes|force-with-lease|signed|delete|all|branches|mirror|tags|prune|ipv4|ipv6)|(?:push-option|signed|force-with-lease)=.*|push-option|recurse-submodules=(?:no|check)))$/s;

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

type LookUp = (alias: string) => string | undefined;

/** An alias of the repository that stands for a push, as git expands it; undefined for every other one. */
export function aliasedPush(alias: GitAlias, lookUp: LookUp): PushCall | undefined {
  const segment = `git ${alias.name}`;
  let { name, words, before } = alias;
  for (let step = 0; step < MOST_ALIASES; step++) {
    const value = settingIn(before.settings, name) ?? lookUp(name.toLowerCase());
    if (value === undefined) return undefined;
    if (value.startsWith("!"))
      return /push|send-pack/.test(value) ? unknownPush(segment) : undefined;
    const all = splitAlias(value);
    if (!all) return undefined; // git refuses it as well
    const call = [...all.map(literalWord), ...words];
    const at = subcommandAt(call);
    const leading = leadingWords(call.slice(0, Math.max(at, 0)));
    before = {
      settings: [...before.settings, ...leading.settings],
      isPlain:
        before.isPlain && leading.isPlain && !call.slice(0, at).some(({ shape }) => shape === "-C"),
    };
    name = call[at]?.shape ?? "";
    words = call.slice(at + 1);
    if (PUSHES.test(name)) return pushOf(words, { verb: name, before, segment });
    if (STARTS_GIT.test(name)) return unknownPush(segment);
    if (KNOWN.test(name)) return undefined;
  }
  return unknownPush(segment);
}

/** The name of a setting counts in any case. */
function settingIn(settings: readonly string[], alias: string): string | undefined {
  const start = `alias.${alias.toLowerCase()}=`;
  return settings.findLast((one) => one.toLowerCase().startsWith(start))?.slice(start.length);
}

/** As git splits an alias: quotes and backslashes as in a shell, nothing else. Undefined where one is not closed. */
function splitAlias(text: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let index = 0; index < text.length; index++) {
    const letter = text.charAt(index);
    if (quote === "" && /\s/.test(letter)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (quote === "" && /["']/.test(letter)) {
      quote = letter;
      word ??= "";
    } else if (letter === quote) quote = "";
    else {
      if (letter === "\\" && quote !== "'") index += 1;
      if (index === text.length) return undefined;
      word = (word ?? "") + text.charAt(index);
    }
  }
  if (word !== undefined) words.push(word);
  return quote === "" ? words : undefined;
}
