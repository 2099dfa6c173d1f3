import { hasAnyOption, hasOption, operandsOf } from "../options.ts";
import type { Call, Inspector } from "../rule.ts";
import { readable } from "../word.ts";
import { setSetting } from "./git-settings.ts";

// Subcommands that read, change or throw away, depending on their words.

export function reset({ args }: Call, inspect: Inspector): void {
  if (hasAnyOption(args, [{ long: "hard" }, { long: "merge" }])) inspect.high("throws work away");
  else inspect.medium("moves the branch or unstages files");
}

export function clean({ args }: Call, inspect: Inspector): void {
  if (!hasOption(args, { short: "n", long: "dry-run" }))
    inspect.high("removes files that git does not know");
}

export function checkout({ args }: Call, inspect: Inspector): void {
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

export function restore({ args }: Call, inspect: Inspector): void {
  const onlyIndex =
    hasOption(args, { short: "S", long: "staged" }) &&
    !hasOption(args, { short: "W", long: "worktree" });
  if (onlyIndex) inspect.medium("unstages files");
  else inspect.high("throws work away");
}

export function branch({ args }: Call, inspect: Inspector): void {
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

export function tag({ args }: Call, inspect: Inspector): void {
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

export function stash({ args }: Call, inspect: Inspector): void {
  const verb = args[0]?.shape ?? "push";
  if (verb === "drop" || verb === "clear") inspect.high("throws stashed work away");
  else if (verb !== "list" && verb !== "show") inspect.medium("moves work to or from the stash");
}

export function reflog({ args }: Call, inspect: Inspector): void {
  if (/^(?:expire|delete)$/.test(args[0]?.shape ?? "")) inspect.high("removes commits for good");
}

export function remote({ args }: Call, inspect: Inspector): void {
  const [verb] = operandsOf(args);
  const reads = !verb || /^(?:show|get-url)$/.test(verb.shape);
  if (!reads) inspect.medium("changes remotes");
}

export function config({ args }: Call, inspect: Inspector): void {
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
