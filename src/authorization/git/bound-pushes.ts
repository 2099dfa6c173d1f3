import type { BoundPush } from "../../contract/workspace/approved-run.ts";
import type { ResolvedPush } from "./resolve-pushes.ts";

/** The pushes of a command as git must find them again when it runs. */
export function boundPushes(
  pushes: readonly ResolvedPush[],
  { isOneCall }: { readonly isOneCall: boolean },
): BoundPush[] {
  const bound = pushes.flatMap((push) => push.bound);
  return bound.map((one) => ({
    ...one,
    isWhole: isOneCall && bound.length === 1 && one.answer.kind === "push",
  }));
}

/** A push that is a command of its own, in words that leave nothing to be looked up but refs. */
export function pushText([only]: readonly BoundPush[]): string | undefined {
  if (!only?.isWhole || only.answer.kind !== "push") return undefined;
  const { directory, settings, options, repository } = only.question;
  const { remote, refspecs } = only.answer;
  const to = repository ?? (refspecs.length > 0 ? remote : undefined);
  const words = [
    ...["git", "-C", directory],
    ...settings.flatMap((setting) => ["-c", setting]),
    ...["push", "--no-set-upstream", ...options],
    ...(to === undefined ? [] : ["--", to, ...refspecs]),
  ];
  return words.map(quoted).join(" ");
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
