import { hasAnyOption, hasOption, operandsOf } from "../options.ts";
import type { Call, Inspector } from "../rule.ts";
import { isUnknown, readable } from "../word.ts";

/** Branches that a team lives on: a push there is as good as a release. */
const PROTECTED = /^(?:main|master|release.*)$/i;

const FORCED = [
  { short: "f", long: "force" },
  { long: "force-with-lease" },
  { long: "force-if-includes" },
  { long: "mirror" },
  { short: "d", long: "delete" },
  { long: "prune" },
];

/** Any push asks; one that overwrites, deletes or reaches a protected branch asks for a phrase. */
export function pushes({ args }: Pick<Call, "args">, inspect: Inspector): void {
  if (hasOption(args, { short: "n", long: "dry-run" }) && args.every((arg) => !isUnknown(arg)))
    return;
  inspect.click("sends commits to a remote");
  inspect.sends();
  const [repository = "", ...named] = operandsOf(args, {
    valued: "oP",
    valuedLong: ["push-option", "repo", "receive-pack", "exec", "prefix"],
  }).map(({ shape }) => readable(shape));
  const refs = hasOption(args, { long: "repo" }) ? [repository, ...named] : named;
  if (hasAnyOption(args, FORCED)) inspect.phrase("overwrites or deletes branches of a remote");
  if (hasAnyOption(args, [{ long: "all" }, { long: "branches" }]))
    inspect.phrase("pushes to a protected branch");
  judgeRefs(refs, inspect);
}

/** What a push would do to these branches, also where a setting names them. */
export function judgeRefs(refs: readonly string[], inspect: Inspector): void {
  if (refs.some((ref) => /^[+:]/.test(ref)))
    inspect.phrase("overwrites or deletes branches of a remote");
  if (refs.some(isProtected)) inspect.phrase("pushes to a protected branch");
}

function isProtected(ref: string): boolean {
  const target = ref.slice(ref.indexOf(":") + 1).replace(/^\+/, "");
  return isProtectedBranch(target) || /[*…]/.test(target);
}

/** A branch by any name that git takes for it: `main`, `heads/main`, `refs/heads/main`. */
export function isProtectedBranch(name: string): boolean {
  return PROTECTED.test(name.replace(/^(?:refs\/)?heads\//i, ""));
}
