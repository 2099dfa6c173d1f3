import { z } from "zod";
import type { AskedLevel } from "../permission/level.ts";

/** Ids as platforms make them; names that people can change are never among them. */
const Id = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,100}$/, "an id must contain only letters, digits, _ . -");

/**
 * What somebody is, where they speak. "external" belongs to another team that shares the channel, "self" is
 * the bot itself, "owner" the one person whose own bot this is.
 */
const ActorKind = z.enum(["member", "guest", "external", "bot", "self", "owner", "deactivated"]);

/** Somebody who did something, as the platform vouches for them at this moment. */
export const Actor = z.object({
  platform: Id,
  team: Id.optional(),
  id: Id,
  kind: ActorKind,
  /** Groups of the platform that they are in, each `platform:team:id`. */
  groups: z.array(z.string()),
  /** The platform says that they own or administer this team. */
  isAdministrator: z.boolean().optional(),
});
export type Actor = z.infer<typeof Actor>;

/** The one name of a person in journals, grants and policies. */
export function actorKey({ platform, team, id }: Pick<Actor, "platform" | "team" | "id">): string {
  return team === undefined ? `${platform}:${id}` : `${platform}:${team}:${id}`;
}

/** Where something was done, and whether its doer belongs there now. */
export interface Place {
  readonly platform: string;
  readonly team?: string | undefined;
  readonly channel: string;
  readonly isChannelMember: boolean;
}

/** Everything that people can do to the bot. */
export type Act =
  | { readonly kind: "talk" | "command" | "readThread" | "stop" }
  | { readonly kind: "changeSettings" | "autoApprove" | "admin" }
  | {
      readonly kind: "approve";
      readonly risk: AskedLevel;
      readonly operation: string;
      /** Who is behind the call; absent for a turn that no human began. */
      readonly requester?: string | undefined;
      /** Everybody else whose words went into it. */
      readonly contributors?: readonly string[] | undefined;
      /** Some of the call could not be parsed. */
      readonly isUnparsed?: boolean | undefined;
    };

/** The reason is written for whoever was refused. */
export type Authorization =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly reason: string };

/** The one question of every door. */
export type Authorize = (actor: Actor, act: Act, place: Place) => Authorization;

export interface Presence {
  readonly actor: Actor;
  readonly place: Place;
  /** As others know them; for showing only. */
  readonly name?: string | undefined;
}

/** A right that a platform gives: to administer the team, to own the bot by its token, or to be in a group. */
export type PlatformRole = "administrators" | "tokenOwner" | { readonly group: string };

/** The people who have such a right, each by the key of `People.find`. */
interface RoleHolders {
  readonly keys: readonly string[];
  /** False: there may be more people than the platform lists. */
  readonly isComplete: boolean;
}

/** Who people are now, and not when they wrote. */
export interface People {
  /** Undefined: nobody of that key is known any more. Throws when it cannot be known. */
  find(key: string, conversation: string): Promise<Presence | undefined>;
  /** Undefined: the platform cannot list them. Only for texts and early refusals; `find` decides. */
  holders?(role: PlatformRole, conversation: string): Promise<RoleHolders | undefined>;
  /** The words for the people who own the team: "the owners and admins of this Slack workspace". */
  ownersName?(conversation: string): string;
}

/**
 * Where people only speak, a platform may say who they were some time ago. What decides or reads something counts by who
 * they are now; whoever is nobody here any more is in no channel, either.
 */
export async function presenceNow(
  people: People,
  { actor, place }: Presence,
  conversation: string,
): Promise<Presence> {
  const now = await people.find(actorKey(actor), conversation);
  return now ?? { actor, place: { ...place, isChannelMember: false } };
}
