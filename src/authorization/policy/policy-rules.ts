import type { PathEffect } from "../../contract/workspace/workspace.ts";
import { absolutePattern, matchesPath } from "./path-pattern.ts";
import { covers, type Policy } from "./policy.ts";
import type { WorkingHours } from "./policy-schema.ts";

/** Where the workspace's files are, in every container. */
const WORKSPACE_DIR = "/workspace";

export type PolicyLevel = Policy["operations"][string];

/** What the policy makes of an operation; the most exact line counts, and the operation's own level without one. */
export function levelOf(policy: Policy, operation: string, own: PolicyLevel): PolicyLevel {
  const exactness = (pattern: string) => (pattern === operation ? Infinity : pattern.length);
  const [best] = Object.entries(policy.operations)
    .filter(([pattern]) => covers(pattern, operation))
    .sort(([one], [other]) => exactness(other) - exactness(one));
  return best?.[1] ?? own;
}

/** What the policy says of a path. Deny is stronger than ask, and ask than allow, in whatever order they stand. */
export function pathRule(
  policy: Policy,
  { resolved, access }: Pick<PathEffect, "resolved" | "access">,
): "deny" | "ask" | "allow" | undefined {
  const effects = policy.paths
    .filter((rule) => rule.access.includes(access))
    .filter((rule) => matchesPath(absolutePattern(rule.path, WORKSPACE_DIR), resolved))
    .map(({ effect }) => effect);
  return (["deny", "ask", "allow"] as const).find((effect) => effects.includes(effect));
}

/** Whether people work now. The end of the hours is no part of them; hours may go past midnight. */
export function isWithin({ timeZone, days, from, to }: WorkingHours, now: Date): boolean {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).formatToParts(now);
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? "";
  const day = part("weekday").toLowerCase().slice(0, 3);
  const time = `${part("hour")}:${part("minute")}`;
  if (!days.some((name) => name === day)) return false;
  return from <= to ? from <= time && time < to : time >= from || time < to;
}
