import { hasAnyOption, hasOption, operandsOf, takesNext, valuesOfOption } from "../options.ts";
import { asks, type Call, each, type Inspector, type Rule, type Rules } from "../rule.ts";
import { exactly, readable, UNKNOWN_WORDS, type Word } from "../word.ts";
import { setSetting } from "./git-settings.ts";

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

const STARTS = [
  { long: "upload-pack" },
  { long: "receive-pack" },
  { long: "exec" },
  { long: "open-files-in-pager" },
  { long: "ext-diff" },
  { long: "textconv" },
];

function readsWith({ args }: Call, inspect: Inspector): void {
  startsOther(args, inspect);
  if (hasOption(args, { short: "O" }) && args.some(({ shape }) => /^-O./.test(shape)))
    inspect.high("has git start another program");
  for (const path of valuesOfOption(args, { long: "output" })) inspect.writes(path);
}

function changesWith(call: Call, inspect: Inspector): void {
  const { args } = call;
  inspect.medium("changes the repository or the files");
  startsOther(args, inspect);
  if (hasOption(args, { long: "amend" })) inspect.high("rewrites history");
  if (hasOption(args, { long: "discard-changes" })) inspect.high("throws work away");
  if (hasOption(args, { long: "unsafe-paths" })) inspect.high("may write outside the workspace");
  for (const setting of valuesOfOption(args, { long: "config" })) setSetting(setting, inspect);
  subcommandExtras(call, inspect);
}

/** What single subcommands can do beyond the common options. */
function subcommandExtras({ args, program }: Call, inspect: Inspector): void {
  if (program === "clone") {
    for (const setting of valuesOfOption(args, { short: "c" })) setSetting(setting, inspect);
    if (hasOption(args, { short: "u" })) inspect.high("has git start another program");
    const [, directory] = operandsOf(args, {
      valued: "bcjou",
      valuedLong: [
        "branch",
        "config",
        "depth",
        "origin",
        "reference",
        "template",
        "separate-git-dir",
        "jobs",
        "filter",
      ],
    });
    if (directory) inspect.writes(directory);
    if (hasOption(args, { long: "template" })) inspect.high("brings hooks along");
  }
  if (
    program === "switch" &&
    hasAnyOption(args, [
      { short: "f", long: "force" },
      { short: "C", long: "force-create" },
    ])
  )
    inspect.high("throws work away");
  const each = args.findIndex(({ shape }) => shape === "foreach");
  if (program === "submodule" && each >= 0)
    inspect.runsCode(codeOf(args.slice(each + 1)), "git submodule foreach");
}

function codeOf(words: readonly Word[]): Word {
  const own = words.filter(
    ({ shape }) => shape !== "--recursive" && shape !== "-q" && shape !== "--quiet",
  );
  return {
    text: own.map(({ text }) => text).join(" "),
    shape: own.map(({ shape }) => shape).join(" "),
  };
}

function startsOther(args: readonly Word[], inspect: Inspector): void {
  if (hasAnyOption(args, STARTS)) inspect.high("has git start another program");
}

function reset({ args }: Call, inspect: Inspector): void {
  if (hasAnyOption(args, [{ long: "hard" }, { long: "merge" }])) inspect.high("throws work away");
  else inspect.medium("moves the branch or unstages files");
}

function clean({ args }: Call, inspect: Inspector): void {
  if (!hasOption(args, { short: "n", long: "dry-run" }))
    inspect.high("removes files that git does not know");
}

function checkout({ args }: Call, inspect: Inspector): void {
  inspect.medium("changes the working tree");
  const forced = hasAnyOption(args, [
    { short: "f", long: "force" },
    { short: "B" },
    { long: "ours" },
    { long: "theirs" },
  ]);
  const words = args.map(({ shape }) => readable(shape));
  const paths =
    words.includes("--") || words.some((word) => /^(?:\.|\.\/.*|\*|:\/.*|:\(.*)$/.test(word));
  if (forced || paths) inspect.high("throws work away");
}

function restore({ args }: Call, inspect: Inspector): void {
  const onlyIndex =
    hasOption(args, { short: "S", long: "staged" }) &&
    !hasOption(args, { short: "W", long: "worktree" });
  if (onlyIndex) inspect.medium("unstages files");
  else inspect.high("throws work away");
}

function branch({ args }: Call, inspect: Inspector): void {
  const forced = hasAnyOption(args, [
    { short: "D" },
    { short: "f", long: "force" },
    { short: "M" },
    { short: "C" },
  ]);
  if (forced) inspect.high("removes or overwrites a branch");
  const onlyLists =
    operandsOf(args, { valued: "u" }).length === 0 &&
    !hasAnyOption(args, [
      { short: "d" },
      { short: "m" },
      { short: "u" },
      { long: "edit-description" },
    ]);
  const filters = hasAnyOption(args, [
    { long: "contains" },
    { long: "merged" },
    { long: "no-merged" },
    { long: "list" },
    { long: "points-at" },
    { short: "l" },
  ]);
  if (!onlyLists && !filters) inspect.medium("changes branches");
}

function tag({ args }: Call, inspect: Inspector): void {
  if (
    hasAnyOption(args, [
      { short: "d", long: "delete" },
      { short: "f", long: "force" },
    ])
  )
    inspect.high("removes or moves a tag");
  else if (
    operandsOf(args).length > 0 &&
    !hasAnyOption(args, [{ short: "l", long: "list" }, { long: "contains" }, { long: "points-at" }])
  )
    inspect.medium("makes a tag");
}

function stash({ args }: Call, inspect: Inspector): void {
  const verb = args[0]?.shape ?? "push";
  if (verb === "drop" || verb === "clear") inspect.high("throws stashed work away");
  else if (verb !== "list" && verb !== "show") inspect.medium("moves work to or from the stash");
}

function reflog({ args }: Call, inspect: Inspector): void {
  if (/^(?:expire|delete)$/.test(args[0]?.shape ?? "")) inspect.high("removes commits for good");
}

function remote({ args }: Call, inspect: Inspector): void {
  const [verb] = operandsOf(args);
  const reads = !verb || /^(?:show|get-url)$/.test(verb.shape);
  if (!reads) inspect.medium("changes remotes");
}

function config({ args }: Call, inspect: Inspector): void {
  const reads = hasAnyOption(args, [
    { short: "l", long: "list" },
    { long: "get" },
    { long: "get-all" },
    { long: "get-regexp" },
  ]);
  const operands = operandsOf(args, {
    valued: "f",
    valuedLong: ["file", "blob", "type", "default"],
  });
  const verb = operands[0]?.shape ?? "";
  if (hasOption(args, { short: "e", long: "edit" })) inspect.medium("opens an editor");
  if (reads || verb === "get" || verb === "list" || operands.length === 1) return;
  inspect.medium("changes git's settings");
  const [key, value] = verb === "set" || verb === "unset" ? operands.slice(1) : operands;
  if (key) setSetting(key, inspect, value);
}
