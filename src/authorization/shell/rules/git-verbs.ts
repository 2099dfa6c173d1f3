import { hasAnyOption, hasOption, operandsOf } from "../options.ts";
import type { Call, Inspector } from "../rule.ts";
import { setSetting } from "./git-settings.ts";

// Subcommands that read, change or throw away, depending on their words.

export function reset({ args }: Call, inspect: Inspector): void {
  if (hasAnyOption(args, [{ long: "hard" }, { long: "merge" }, { long: "keep" }]))
    inspect.discards("discards work");
  else inspect.notes("moves the branch or unstages files");
}

export function clean({ args }: Call, inspect: Inspector): void {
  if (!hasOption(args, { short: "n", long: "dry-run" }))
    inspect.discards("removes files that git does not know");
}

export function checkout({ args }: Call, inspect: Inspector): void {
  inspect.notes("changes the working tree");
  const forced = hasAnyOption(args, [
    { short: "f", long: "force" },
    { short: "B" },
    { long: "ours" },
    { long: "theirs" },
  ]);
  const creates = hasAnyOption(args, [{ short: "b" }, { long: "orphan" }, { long: "detach" }]);
  // A word may be a branch or a path: with a path, changes of that file are gone.
  if (forced || (!creates && operandsOf(args, { valued: "b" }).length > 0))
    inspect.discards("may discard work");
}

export function restore({ args }: Call, inspect: Inspector): void {
  const onlyIndex =
    hasOption(args, { short: "S", long: "staged" }) &&
    !hasOption(args, { short: "W", long: "worktree" });
  if (onlyIndex) inspect.notes("unstages files");
  else inspect.discards("discards work");
}

export function branch({ args }: Call, inspect: Inspector): void {
  const forced = hasAnyOption(args, [
    { short: "D" },
    { short: "f", long: "force" },
    { short: "M" },
    { short: "C" },
  ]);
  if (forced) inspect.discards("removes or overwrites a branch");
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
  if (!onlyLists && !filters) inspect.notes("changes branches");
}

export function tag({ args }: Call, inspect: Inspector): void {
  if (
    hasAnyOption(args, [
      { short: "d", long: "delete" },
      { short: "f", long: "force" },
    ])
  )
    inspect.discards("removes or moves a tag");
  else if (
    operandsOf(args).length > 0 &&
    !hasAnyOption(args, [{ short: "l", long: "list" }, { long: "contains" }, { long: "points-at" }])
  )
    inspect.notes("makes a tag");
}

export function stash({ args }: Call, inspect: Inspector): void {
  const verb = args[0]?.shape ?? "push";
  if (verb === "drop" || verb === "clear") inspect.discards("discards stashed work");
  else if (verb !== "list" && verb !== "show") inspect.notes("moves work to or from the stash");
}

export function reflog({ args }: Call, inspect: Inspector): void {
  if (/^(?:expire|delete)$/.test(args[0]?.shape ?? ""))
    inspect.discards("permanently removes commits");
}

export function remote({ args }: Call, inspect: Inspector): void {
  const [verb] = operandsOf(args);
  const reads = !verb || /^(?:show|get-url|-v)$/.test(verb.shape);
  if (!reads) inspect.notes("changes remotes");
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
  if (hasOption(args, { short: "e", long: "edit" })) inspect.notes("opens an editor");
  if (reads || verb === "get" || verb === "list" || operands.length === 1) return;
  inspect.notes("changes git's settings");
  const [key, value] = verb === "set" || verb === "unset" ? operands.slice(1) : operands;
  if (key) setSetting(key, inspect, value);
}
