import { hasAnyOption, hasOption, operandsOf, takesNext, valuesOfOption } from "../options.ts";
import { absoluteShapes, zoneOf } from "../paths.ts";
import {
  asks,
  type Call,
  credentials,
  each,
  type Inspector,
  type Rule,
  type Rules,
} from "../rule.ts";
import { exactly, literalWord, readable, UNKNOWN_WORDS, type Word } from "../word.ts";
import { changesWith, readsWith } from "./git-options.ts";
import { pushes } from "./git-push.ts";
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
      "get-tar-commit-id patch-id stripspace column mktree merge-tree " +
      "check-mailmap fast-export fmt-merge-msg show-index pickaxe pack-redundant request-pull",
    readsWith,
  ),
  ...each(
    "add commit merge cherry-pick revert am apply mv init clone fetch pull format-patch archive notes bundle " +
      "maintenance pack-refs repack submodule sparse-checkout switch read-tree write-tree hash-object commit-tree " +
      "update-index rerere ls-remote bugreport diagnose commit-graph index-pack interpret-trailers mailinfo mailsplit merge-file " +
      "mktag multi-pack-index pack-objects prune-packed quiltimport stage unpack-file unpack-objects update-server-info fetch-pack init-db",
    changesWith,
  ),
  push: pushes,
  "send-pack": pushes,
  "http-push": pushes,
  subtree: ({ args }, inspect) => {
    inspect.notes("changes the repository or the files");
    if (args[0]?.shape === "push") pushes({ args: args.slice(1) }, inspect);
  },
  "send-email": asks("sends mail"),
  "imap-send": asks("sends mail"),
  lfs: ({ args }, inspect) =>
    args[0]?.shape === "push"
      ? pushes({ args: args.slice(1) }, inspect)
      : inspect.notes("fetches or changes files"),
  rebase: ({ args }, inspect) => {
    inspect.discards("rewrites history");
    for (const code of valuesOfOption(args, { short: "x", long: "exec" }))
      inspect.runsCode(code, "git rebase --exec");
  },
  ...each("update-ref replace prune filter-repo", (_, inspect) =>
    inspect.discards("rewrites history"),
  ),
  "checkout-index": (_, inspect) => inspect.discards("discards work"),
  ...each("filter-branch fast-import", asks("rewrites history")),
  ...each("credential credential-store credential-cache", credentials),
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
      ? inspect.discards("permanently removes commits")
      : inspect.notes("cleans up the repository"),
  rm: (call, inspect) => {
    inspect.discards("removes files");
    for (const path of operandsOf(call.args))
      inspect.deletes(path, { recursive: hasOption(call.args, { short: "r" }) });
  },
  worktree: ({ args }, inspect) => {
    const [verb, ...rest] = args;
    if (verb?.shape === "list") return;
    inspect.notes("changes worktrees");
    if (verb?.shape === "remove" && hasOption(rest, { short: "f", long: "force" }))
      inspect.discards("discards work");
    const [path] = operandsOf(rest, { valued: "bB" });
    if (verb?.shape === "remove" && path) inspect.deletes(path, { recursive: true });
    if (verb?.shape === "add" && path) inspect.writes(path);
  },
  "symbolic-ref": ({ args }, inspect) => {
    if (operandsOf(args).length > 1) inspect.discards("moves a branch");
  },
  bisect: ({ args }, inspect) => {
    inspect.notes("checks out other commits");
    if (args[0]?.shape === "run") inspect.runs(args.slice(1));
  },
};

/** The repository's own configuration can make git start these: their output is shown, their code is in the workspace. */
export const git: Rules = { git: gitCommand, hub: gitCommand };

/** `git-push` in git's own folder is `git push`. */
export const dashedGit: Rule = (call, inspect) => {
  const name = call.program.replace(/^git-/, "");
  if (subcommandRule(name))
    gitCommand({ ...call, program: "git", args: [literalWord(name), ...call.args] }, inspect);
  else inspect.notes("runs a program that the guard does not know");
};

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
    inspect.click("an address that starts a program");
  if (
    call.program === "hub" &&
    name === "release" &&
    /^(?:create|edit)$/.test(rest[0]?.shape ?? "")
  )
    inspect.phrase("publishes a release");
  const alias = inspect.gitAliases.get(name ?? "");
  if (!rule && alias) {
    inspect.gitAliases.delete(name ?? "");
    inspect.runs([literalWord("git"), ...alias, ...rest]);
    inspect.gitAliases.set(name ?? "", alias);
  } else if (!rule) {
    inspect.hides(`git ${readable(word.shape)} may be an alias that runs anything`);
  } else {
    const directories = repositoriesOf(call, general);
    const isOutside = directories.some((one) => zoneOf(one, inspect) === "outside");
    if (isOutside && CHANGES_FILES.test(name ?? ""))
      inspect.click("changes a repository outside the workspace");
    const there = { ...call, program: name ?? "", args: rest, directories };
    rule(there, inspect.worksIn(directories));
  }
  // A computed option may be the one that turns a harmless verb into another.
  if (rest.some(({ shape }) => shape.includes(UNKNOWN_WORDS)))
    inspect.notes("git with words that are known only at run time");
}

const CHANGES_FILES =
  /^(?:add|am|apply|cherry-pick|commit|init|merge|mv|pull|revert|sparse-checkout|submodule|switch)$/;

/** Where git works: `-C` and `--work-tree` say so. */
function repositoriesOf(call: Call, general: readonly Word[]): readonly string[] {
  const trees = [
    ...valuesOfOption(general, { short: "C" }),
    ...valuesOfOption(general, { long: "work-tree" }),
  ];
  return trees.reduce<readonly string[]>(
    (directories, { shape }) => absoluteShapes(shape, directories),
    call.directories,
  );
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
    inspect.click("changes where git finds its programs");
  if (
    valuesOfOption(general, { long: "config-env" }).some(({ shape }) =>
      /^(?:alias|remote)\./i.test(shape),
    )
  )
    inspect.phrase("a setting of git that is known only at run time");
}
