import type { PushAnswer } from "../../contract/workspace/approved-run.ts";
import type { PushCall } from "../shell/git-pushes.ts";
import { isProtectedBranch } from "../shell/rules/git-push.ts";
import { withoutSecret } from "./secrets.ts";

/** What a card says about a push. */
export interface PushView {
  /** What it sends where. */
  readonly lines: readonly string[];
  /** Why it asks for a phrase. */
  readonly reason: string | undefined;
  /** The protected branch that it reaches. */
  readonly target: string | undefined;
}

interface Around {
  /** The command makes commits or moves branches before. */
  readonly adds: boolean;
  readonly settings: readonly (readonly [string, string])[];
}

type Push = Extract<PushAnswer, { kind: "push" }>;

/** Git's answers, one for each branch that may be current, in words. */
export function viewOf(call: PushCall, answers: readonly PushAnswer[], around: Around): PushView {
  const pushes = answers.filter((answer) => answer.kind === "push");
  const views = pushes.map((push) => viewOfOne(call, push, around));
  const target = views.map((view) => view.target).find((one) => one !== undefined);
  return {
    lines: [...new Set(views.flatMap(({ lines }) => lines))],
    reason:
      target === undefined
        ? views.map(({ reason }) => reason).find((one) => one !== undefined)
        : `pushes to a protected branch (${target})`,
    target,
  };
}

/** More are too many to look at one by one. */
const MOST_LINES = 8;

function viewOfOne(call: PushCall, push: Push, { adds, settings }: Around): PushView {
  const address = push.addresses.map(withoutSecret).join(" and ");
  const own = (name: string) =>
    settings.filter(([key]) => key === `remote.${push.remote}.${name}`).map(([, value]) => value);
  const isMirror =
    call.options.includes("--mirror") ||
    own("mirror").some((value) => !/^(?:false|no|off|0)$/i.test(value));
  if (isMirror) return { ...WHOLE.mirror(address), target: undefined };
  const isAll = call.options.some((option) => /^--(?:all|branches)$/.test(option));
  const isPattern = call.refspecs.some((one) => one.includes("*") || /^\+?:$/.test(one));
  const isTags = call.options.includes("--tags");
  const refs = push.refs.filter(({ to }) => !isTags || !to.startsWith("refs/tags/"));
  const target = refs.map(({ to }) => to).find(isProtectedBranch);
  const protectedName = target && shortName(target);
  if (isAll || isPattern || refs.length > MOST_LINES)
    return { ...WHOLE.branches(address), target: protectedName };
  const isForced = [...call.refspecs, ...own("push")].some((one) => one.startsWith("+"));
  const lines = refs.map((ref) => `${lineOf(ref, { isForced, adds })} of ${address}.`);
  const overwrites = isForced || refs.some(({ from }) => from === "");
  return {
    lines: [...lines, ...(isTags ? [`Pushes all tags to ${address}.`] : [])],
    reason: overwrites ? "overwrites or deletes branches of a remote" : undefined,
    target: protectedName,
  };
}

const WHOLE = {
  branches: (address: string) => ({
    lines: [`Pushes several branches of ${address}, as they are now.`],
    reason: "may push to a protected branch",
  }),
  mirror: (address: string) => ({
    lines: [`Makes ${address} a mirror: overwrites and deletes its branches and tags.`],
    reason: "overwrites all branches of a remote",
  }),
} as const;

const SHORT_ID = 7;

function lineOf(
  { from, to, object }: Push["refs"][number],
  { isForced, adds }: { readonly isForced: boolean; readonly adds: boolean },
): string {
  if (from === "") return `Deletes ${shortName(to)}`;
  const name = /^[0-9a-f]{40,}$/.test(from) ? from.slice(0, SHORT_ID) : shortName(from);
  const what = [object.slice(0, SHORT_ID), ...(adds ? ["what this command adds"] : [])].join(
    " and ",
  );
  return `${isForced ? "Force-pushes" : "Pushes"} ${name} (${what}) to ${shortName(to)}`;
}

function shortName(ref: string): string {
  return ref.replace(/^(?:refs\/)?heads\//, "").replace(/^refs\//, "");
}
