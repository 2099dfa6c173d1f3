import {
  type Act,
  type Actor,
  type Authorization,
  type Authorize,
  actorKey,
  type Place,
} from "../contract/platform/actor.ts";
import { nearestPlace } from "../lib/nearest-place.ts";
import { peopleNeeded } from "./approvals/people-needed.ts";
import { covers, type Policy } from "./policy/policy.ts";

/** The one answer to "may they?", the same for every door. Whatever is not permitted here is refused. */
export function createAuthorize(policy: Policy): Authorize {
  return (actor, act, place) => {
    const stranger = refusalOfStranger(actor, place);
    if (stranger) return no(stranger);
    if (isGuest(actor, place)) return ofGuest(policy, act);
    return ofMember(policy, actor, act, place);
  };
}

const YES: Authorization = { allowed: true };
const no = (reason: string): Authorization => ({ allowed: false, reason });

/** Those who may do nothing at all, whatever they try. */
function refusalOfStranger(actor: Actor, place: Place): string | undefined {
  if (actor.kind === "self" || actor.kind === "bot") return "Bots cannot do this.";
  if (actor.kind === "deactivated") return "This account is deactivated.";
  if (actor.platform !== place.platform) return "You are not a member here.";
  if (!place.isChannelMember) return "You are not in this channel. Join it first.";
  return undefined;
}

/** Somebody of another team is a guest even where the adapter took them for a member. */
function isGuest(actor: Actor, place: Place): boolean {
  return actor.kind === "guest" || actor.kind === "external" || actor.team !== place.team;
}

function ofGuest(policy: Policy, act: Act): Authorization {
  if (act.kind === "readThread") return YES;
  if (act.kind === "talk" && policy.guests === "talk") return YES;
  return no("Guests and people from other teams cannot do this. Ask a member of this team.");
}

function ofMember(policy: Policy, actor: Actor, act: Act, place: Place): Authorization {
  switch (act.kind) {
    case "talk":
    case "command":
    case "stop":
    case "readThread":
      return YES;
    case "changeSettings":
      return isAmong(policy, actor, policy.settings)
        ? YES
        : no("Only people listed under settings in the policy can change settings.");
    case "autoApprove":
      if (!policy.autoApprove.permitted) return no("The policy does not permit auto-approve.");
      return isAmong(policy, actor, policy.admins)
        ? YES
        : no("Only people listed under admins in the policy can turn auto-approve on.");
    case "admin":
      return isAmong(policy, actor, policy.admins)
        ? YES
        : no("Only people listed under admins in the policy can do this.");
    case "approve":
      return mayApprove(policy, actor, act, place);
  }
}

function mayApprove(
  policy: Policy,
  actor: Actor,
  act: Extract<Act, { kind: "approve" }>,
  place: Place,
): Authorization {
  const isRequester = act.requester !== undefined && actorKey(actor) === act.requester;
  if (peopleNeeded(policy, act.risk, act).barred.includes(actorKey(actor))) {
    return no(
      isRequester
        ? "You requested this, so another person has to approve it."
        : "Your message is part of this request, so another person has to approve it.",
    );
  }
  if (act.isUnparsed && isRequester && actor.kind !== "owner") {
    return no(
      "You requested this, and part of it could not be parsed. Another person has to approve it, or you can write it more simply.",
    );
  }
  const permitted = approversOf(policy, act, channelKey(place)).some((who) =>
    isAmong(policy, actor, who, { isRequester, isApproval: true }),
  );
  return permitted ? YES : no("You cannot approve this.");
}

/** A channel's own approvers replace all others there. `channel` may also be the id of one of its threads. */
export function approversOf(
  { approvers, channelApprovers }: Policy,
  { risk, operation }: Extract<Act, { kind: "approve" }>,
  channel: string,
): (readonly string[])[] {
  const own = nearestPlace(Object.keys(channelApprovers), channel);
  if (own !== undefined) return [channelApprovers[own] ?? []];
  return approvers
    .filter(
      (rule) =>
        rule.risks.includes(risk) &&
        rule.operations.some((pattern) => covers(pattern, operation)) &&
        (rule.channels === undefined || nearestPlace(rule.channels, channel) !== undefined),
    )
    .map(({ who }) => who);
}

function isAmong(
  policy: Policy,
  actor: Actor,
  who: readonly string[],
  { isRequester = false, isApproval = false } = {},
): boolean {
  const names = new Set([
    actorKey(actor),
    ...actor.groups.map((group) => `group:${group}`),
    ...(actor.kind === "member" || actor.kind === "owner" ? ["members"] : []),
    ...(isOwner(policy, actor, isApproval) ? ["owner"] : []),
    ...(isRequester ? ["requester"] : []),
  ]);
  return who.some((one) => {
    const role = /^role:(.+)$/.exec(one)?.[1];
    if (role === undefined) return names.has(one);
    const members = Object.hasOwn(policy.roles, role) ? policy.roles[role] : undefined;
    return members?.some((member) => names.has(member)) ?? false;
  });
}

/** Administering the platform is enough to approve calls, but not to administer the bot: for that, OWNERS or the policy names people. */
function isOwner({ owners }: Policy, actor: Actor, isApproval: boolean): boolean {
  if (actor.kind === "owner") return true;
  if (owners.length === 0) return isApproval && actor.isAdministrator === true;
  const names = [actorKey(actor), ...actor.groups.map((group) => `group:${group}`)];
  return names.some((name) => owners.includes(name));
}

function channelKey({ platform, team, channel }: Place): string {
  return team === undefined ? `${platform}:${channel}` : `${platform}:${team}:${channel}`;
}
