import type { AskedLevel } from "../../contract/permission/level.ts";
import type { Policy } from "../policy/policy.ts";

export interface PlatformOwners {
  readonly platform: string;
  /** One person owns the bot there by its token, whatever OWNERS says. */
  readonly hasTokenOwner: boolean;
}

const LEVELS: readonly AskedLevel[] = ["click", "phrase"];

/** For the operator: each level whose calls no one on a platform could approve, and the remedy. */
export function approverGaps(policy: Policy, platforms: readonly PlatformOwners[]): string[] {
  return platforms.flatMap((place) =>
    LEVELS.filter((level) => !hasApprover(policy, level, place)).map(
      (level) =>
        `No one on ${place.platform} can approve calls at level ${level}, so they are refused there. ` +
        `Add ${place.platform} ids to OWNERS, or an approver for this level to the policy file.`,
    ),
  );
}

function hasApprover(
  policy: Policy,
  level: AskedLevel,
  { platform, hasTokenOwner }: PlatformOwners,
) {
  const isHere = (id: string) => id.replace(/^group:/, "").startsWith(`${platform}:`);
  const ownersAreHere = policy.owners.length === 0 || policy.owners.some(isHere) || hasTokenOwner;
  const counts = (entry: string): boolean => {
    if (entry === "requester" || entry === "members") return true;
    if (entry === "owner") return ownersAreHere;
    const role = /^role:(.+)$/.exec(entry)?.[1];
    return role === undefined ? isHere(entry) : (policy.roles[role] ?? []).some(isHere);
  };
  const rules = policy.approvers.filter(
    ({ risks, channels }) => risks.includes(level) && (channels?.some(isHere) ?? true),
  );
  return rules.some(({ who }) => who.some(counts));
}
