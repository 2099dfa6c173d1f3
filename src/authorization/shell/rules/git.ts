import { hasAnyOption, hasOption, operandsOf, takesNext, valuesOfOption } from "../options.ts";
import { asks, type Call, each, type Inspector, type Rule, type Rules } from "../rule.ts";
import { exactly, readable, UNKNOWN_WORDS, type Word } from "../word.ts";
import { changesWith, readsWith } from "./git-options.ts";
import { setSetting } from "./git-settings.ts";
import {
  branch,
  checkout,
  clean,
  config,
  reflog,
  remote,
  reset,
  restore,
  stash,
  tag,
} from "./git-verbs.ts";

/** Rules for subcommands: `call.program` is the subcommand and `call.args` the words after it. */
const SUBCOMMANDS: Rules = {
  ...each(
    "status log show shortlog diff diff-tree diff-index diff-files blame annotate describe rev-parse rev-list ls-files " +
      "ls-tree cat-file name-rev merge-base grep whatchanged show-ref show-branch for-each-ref count-objects check-ignore " +
      "check-attr check-ref-format cherry range-diff var version help fsck verify-commit verify-tag verify-pack " +
      "get-tar-commit-id patch-id stripspace column mktree merge-tree",
    readsWith,
  ),
  ...each(
    "add commit merge cherry-pick revert am apply mv init clone fetch pull format-patch archive notes bundle " +
      "maintenance pack-refs repack submodule sparse-checkout switch read-tree write-tree hash-object commit-tree " +
      "update-index rerere ls-remote",
    changesWith,
  ),
  push: asks("sends commits to a remote"),
  "send-pack": asks("sends commits to a remote"),
  "http-push": asks("sends commits to a remote"),
  "send-email": asks("sends mail"),
  "imap-send": asks("sends mail"),
  lfs: ({ args }, inspect) =>
    args[0]?.shape === "push"
      ? inspect.high("sends files to a remote")
      : inspect.medium("fetches or changes files"),
  rebase: asks("rewrites history"),
  ...each("filter-branch filter-repo replace fast-import update-ref", asks("rewrites history")),
  prune: asks("removes commits for good"),
  ...each("credential credential-store credential-cache", asks("reaches for credentials")),
  ...each(
    "difftool mergetool gui gitk citool instaweb web--browse daemon shell",
    asks("starts another program"),
  ),
  reset,
  clean,
  checkout,
  restore,
  branch,
  tag,
  stash,
  reflog,
  remote,
  config,
  gc: (call, inspect) =>
    hasOption(call.args, { long: "prune" })
      ? inspect.high("removes commits for good")
      : inspect.medium("tidies the repository"),
  rm: (call, inspect) => {
    inspect.medium("removes files");
    for (const path of operandsOf(call.args))
      inspect.deletes(path, { recursive: hasOption(call.args, { short: "r" }) });
  },
  worktree: ({ args }, inspect) => {
    const [verb, ...rest] = args;
    if (verb?.shape === "list") return;
    inspect.medium("changes worktrees");
    if (verb?.shape === "remove" && hasOption(rest, { short: "f", long: "force" }))
      inspect.high("throws work away");
    const [path] = operandsOf(rest, { valued: "bB" });
    if (verb?.shape === "add" && path) inspect.writes(path);
  },
  "symbolic-ref": ({ args }, inspect) => {
    if (operandsOf(args).length > 1) inspect.high("moves a branch");
  },
  bisect: ({ args }, inspect) => {
    inspect.medium("checks out other commits");
    if (args[0]?.shape === "run") inspect.runs(args.slice(1));
  },
};

/** The repository's own configuration can make git start these: their output is shown, their code is in the workspace. */
export const git: Rules = { git: gitCommand, hub: gitCommand };

const VALUED_LONG = [
  "git-dir",
  "work-tree",
  "namespace",
  "super-prefix",
  "exec-path",
  "config-env",
  "attr-source",
  "list-cmds",
];

function gitCommand(call: Call, inspect: Inspector): void {
  const at = subcommandAt(call.args);
  const general = call.args.slice(0, at < 0 ? call.args.length : at);
  generalOptions(general, inspect);
  const word = call.args[at];
  if (!word) return;
  const rest = call.args.slice(at + 1);
  const name = exactly(word);
  const rule = name === undefined ? undefined : subcommandRule(name);
  if (rest.some(({ shape }) => /(?:^|=)ext::/.test(shape)))
    inspect.high("an address that starts a program");
  if (!rule) inspect.high(`git ${readable(word.shape)} may be an alias that runs anything`);
  else rule({ ...call, program: name ?? "", args: rest }, inspect);
  // A computed option may be the one that turns a harmless verb into another.
  if (rest.some(({ shape }) => shape.includes(UNKNOWN_WORDS)))
    inspect.medium("git with words that are only known when it runs");
}

function subcommandRule(name: string): Rule | undefined {
  return Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined;
}

/** Where the subcommand stands behind git's own options. */
export function subcommandAt(args: readonly Word[]): number {
  for (let index = 0; index < args.length; index++) {
    const { shape } = args[index] as Word;
    if (!shape.startsWith("-")) return index;
    if (takesNext(shape, "cC", VALUED_LONG)) index++;
  }
  return -1;
}

function generalOptions(general: readonly Word[], inspect: Inspector): void {
  for (const setting of valuesOfOption(general, { short: "c" })) setSetting(setting, inspect);
  if (hasAnyOption(general, [{ long: "exec-path" }, { long: "config-env" }]))
    inspect.high("has git look elsewhere for its programs");
}
