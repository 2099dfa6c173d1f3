import { threadOf } from "../../contract/conversation/subagent.ts";
import { type Act, type Authorize, actorKey, type People } from "../../contract/platform/actor.ts";
import { NAMELESS } from "../../contract/platform/nameless.ts";
import { approversOf } from "../authorize.ts";
import type { Policy } from "../policy/policy.ts";
import { printableLine } from "../printable.ts";
import { peopleNeeded } from "./people-needed.ts";

export interface EligibleParts {
  readonly policy: Policy;
  readonly authorize: Authorize;
  readonly people: People;
  readonly warn: (message: string) => void;
}

type ApproveAct = Extract<Act, { kind: "approve" }>;

/** Who could approve a call now: in words for its card, or why no one can and what to do about it. */
export type Eligible =
  | { readonly canBeApproved: true; readonly approvers: string }
  | { readonly canBeApproved: false; readonly reason: string };

/** More names than this are replaced by the name of their role. */
const MOST_NAMES = 3;
/** Looking up more people would delay the card. */
const MOST_LOOKUPS = 25;

/**
 * Only for the card and for early refusals: eligibility is checked again at the click. People who cannot be listed or
 * looked up count as possible approvers, so that a failed lookup never refuses a call that has an approver.
 */
export async function findEligible(
  parts: EligibleParts,
  act: ApproveAct,
  conversation: string,
): Promise<Eligible> {
  const listed = await listCandidates(parts, act, conversation);
  const found = await lookUp(parts, act, conversation, listed.keys);
  const needed = peopleNeeded(parts.policy, act.risk, act).count;
  const isSure = listed.isComplete && found.isComplete;
  if (isSure && found.names.size < needed) {
    return { canBeApproved: false, reason: refusal(parts, act, conversation, found.names.size) };
  }
  return {
    canBeApproved: true,
    approvers: inWords(parts, conversation, { ...listed, ...found, isSure }),
  };
}

interface Candidates {
  readonly keys: readonly string[];
  readonly isComplete: boolean;
  /** Roles whose members the card does not name one by one. */
  readonly roles: readonly string[];
}

async function listCandidates(
  parts: EligibleParts,
  act: ApproveAct,
  conversation: string,
): Promise<Candidates> {
  const { policy, people } = parts;
  const entries = approversOf(policy, act, threadOf(conversation)).flat();
  const keys = new Set<string>();
  const roles = new Set<string>();
  let isComplete = people.holders !== undefined;
  for (const entry of expand(policy, entries)) {
    if (entry === "requester") {
      if (act.requester !== undefined) keys.add(act.requester);
    } else if (entry === "members") {
      roles.add("any member of this channel");
      isComplete = false;
    } else if (entry !== "owner" && !entry.startsWith("group:")) {
      keys.add(entry);
    } else {
      const isOwner = entry === "owner";
      const owner = policy.owners.length > 0 ? "tokenOwner" : "administrators";
      const role = isOwner ? owner : { group: entry.slice("group:".length) };
      const holders = await tryTo(parts, () => people.holders?.(role, conversation));
      const isFull = holders?.isComplete === true;
      if (isOwner || !isFull)
        roles.add(isOwner ? ownersName(parts, conversation) : "members of the approvers' group");
      for (const key of holders?.keys ?? []) keys.add(key);
      isComplete &&= isFull;
    }
  }
  return { keys: [...keys], isComplete, roles: [...roles] };
}

/** Roles of the policy, and owners where OWNERS names them. */
function expand(policy: Policy, entries: readonly string[]): Set<string> {
  return new Set(
    entries.flatMap((entry) => {
      const role = /^role:(.+)$/.exec(entry)?.[1];
      if (role !== undefined) return policy.roles[role] ?? [];
      return entry === "owner" ? [...policy.owners, entry] : [entry];
    }),
  );
}

async function lookUp(
  parts: EligibleParts,
  act: ApproveAct,
  conversation: string,
  keys: readonly string[],
): Promise<{ readonly names: Map<string, string>; readonly isComplete: boolean }> {
  const names = new Map<string, string>();
  let isComplete = keys.length <= MOST_LOOKUPS;
  for (const key of keys.slice(0, MOST_LOOKUPS)) {
    const presence = await tryTo(
      parts,
      async () => (await parts.people.find(key, conversation)) ?? null,
    );
    if (presence === undefined) isComplete = false;
    if (!presence || !parts.authorize(presence.actor, act, presence.place).allowed) continue;
    names.set(actorKey(presence.actor), printableLine(presence.name ?? NAMELESS));
    // The rest is not named anyway.
    if (names.size > MOST_NAMES) break;
  }
  return { names, isComplete };
}

/** Undefined where it failed. */
async function tryTo<Value>(
  { warn }: EligibleParts,
  work: () => Promise<Value | undefined> | undefined,
): Promise<Value | undefined> {
  try {
    return await work();
  } catch (error) {
    warn(
      `Failed to look up the possible approvers: ${error instanceof Error ? error.message : String(error)}`,
    );
    return undefined;
  }
}

function inWords(
  parts: EligibleParts,
  conversation: string,
  found: {
    readonly names: ReadonlyMap<string, string>;
    readonly roles: readonly string[];
    readonly isSure: boolean;
  },
): string {
  const names = [...found.names.values()];
  if (found.isSure && names.length <= MOST_NAMES) return anyOf(names);
  const roles = found.roles.length > 0 ? found.roles : [ownersName(parts, conversation)];
  return anyOf([...(names.length <= MOST_NAMES ? names : []), ...roles]);
}

/** "Ada, Bob or Cid" */
function anyOf(all: readonly string[]): string {
  const [last, ...before] = all.toReversed();
  return before.length === 0 ? (last ?? "") : `${before.toReversed().join(", ")} or ${last}`;
}

function ownersName({ policy, people }: EligibleParts, conversation: string): string {
  return policy.owners.length > 0
    ? "the owners of this bot"
    : (people.ownersName?.(conversation) ?? "the owners");
}

function refusal(
  parts: EligibleParts,
  act: ApproveAct,
  conversation: string,
  found: number,
): string {
  const { policy } = parts;
  const entries = approversOf(policy, act, threadOf(conversation)).flat();
  const start = "No one in this channel can approve it.";
  if (found > 0) {
    return "It needs two approvers, and this channel has only one. Invite another approver to this channel.";
  }
  if (!entries.includes("owner")) {
    return `${start} Add an approver for ${act.operation} at level ${act.risk} to the policy file, or invite one to this channel.`;
  }
  const owners = ownersName(parts, conversation);
  return policy.owners.length > 0
    ? `${start} Only ${owners} (the setting OWNERS) can: invite one of them to this channel, or ask in a channel that they belong to.`
    : `${start} Only ${owners} can: invite one of them to this channel, or name owners in the setting OWNERS.`;
}
