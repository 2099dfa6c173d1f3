import { hasAnyOption, hasOption, operandsOf, valuesOfOption } from "../options.ts";
import type { Call, Inspector } from "../rule.ts";
import type { Word } from "../word.ts";
import { setSetting } from "./git-settings.ts";

const STARTS = [
  { long: "upload-pack" },
  { long: "receive-pack" },
  { long: "exec" },
  { long: "open-files-in-pager" },
  { long: "ext-diff" },
  { long: "textconv" },
];

/** For subcommands that read, unless an option makes them write or start something. */
export function readsWith({ args }: Call, inspect: Inspector): void {
  startsOther(args, inspect);
  if (hasOption(args, { short: "O" }) && args.some(({ shape }) => /^-O./.test(shape)))
    inspect.click("makes git start another program");
  for (const path of valuesOfOption(args, { long: "output" })) inspect.writes(path);
}

/** For subcommands that change the repository, with the options that make it worse. */
export function changesWith(call: Call, inspect: Inspector): void {
  const { args } = call;
  inspect.notes("changes the repository or the files");
  startsOther(args, inspect);
  if (hasOption(args, { long: "amend" })) inspect.discards("rewrites history");
  if (hasOption(args, { long: "discard-changes" })) inspect.discards("discards work");
  if (hasOption(args, { long: "unsafe-paths" })) inspect.click("may write outside the workspace");
  for (const setting of valuesOfOption(args, { long: "config" })) setSetting(setting, inspect);
  subcommandExtras(call, inspect);
}

/** What single subcommands can do beyond the common options. */
function subcommandExtras({ args, program }: Call, inspect: Inspector): void {
  if (program === "clone") {
    for (const setting of valuesOfOption(args, { short: "c" })) setSetting(setting, inspect);
    if (hasOption(args, { short: "u" })) inspect.click("makes git start another program");
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
    inspect.downloads(directory ?? clonedName(args));
    if (hasOption(args, { long: "template" })) inspect.click("may install git hooks");
  }
  if (
    program === "switch" &&
    hasAnyOption(args, [
      { short: "f", long: "force" },
      { short: "C", long: "force-create" },
    ])
  )
    inspect.discards("discards work");
  if (program === "read-tree" && hasAnyOption(args, [{ short: "u" }, { long: "reset" }]))
    inspect.discards("discards work");
  if (/^(?:merge|cherry-pick|revert|am)$/.test(program) && hasAnyOption(args, ABANDONS))
    inspect.discards("discards work");
  if (program === "init" && hasOption(args, { long: "template" }))
    inspect.click("may install git hooks");
  if (program === "apply") inspect.discards("changes files");
  const each = args.findIndex(({ shape }) => shape === "foreach");
  if (program === "submodule" && each >= 0)
    inspect.runsCode(codeOf(args.slice(each + 1)), "git submodule foreach");
}

/** The directory that git makes for an address: its last name without `.git`. */
function clonedName(args: readonly Word[]): Word | undefined {
  const address = args.find(({ shape }) => /[/:]/.test(shape) && !shape.startsWith("-"));
  const name = /([^/:]+?)(?:\.git)?\/?$/.exec(address?.shape ?? "")?.[1];
  return name === undefined ? undefined : { text: name, shape: name };
}

const ABANDONS = [{ long: "abort" }, { long: "quit" }, { long: "skip" }];

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
  if (hasAnyOption(args, STARTS)) inspect.click("makes git start another program");
}
