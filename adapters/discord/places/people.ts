import {
  type APIChannel,
  type APIGuildMember,
  type APIUser,
  ChannelType,
  type Guild,
  type GuildMember,
  GuildMemberFlags,
  PermissionFlagsBits,
  type User,
} from "discord.js";
import type { Actor, PlatformRole, Presence } from "../../../src/contract/platform/actor.ts";
import type { HolderIds } from "../../../src/contract/platform/adapter.ts";
import { BoundedMap } from "../../../src/lib/bounded.ts";
import { personName } from "../../shared/person-name.ts";
import { CODE, type DiscordCalls, isRefusal } from "../connection/calls.ts";
import type { DiscordConnection } from "../connection/connection.ts";
import { type DiscordPlace, type GuildPlace, isDirect } from "../thread.ts";

/** Somebody, as Discord vouches for them. */
export interface DiscordPerson {
  readonly actor: Actor;
  /** As people see them. */
  readonly name: string;
}

export interface PeopleParts {
  readonly connection: DiscordConnection;
  readonly calls: DiscordCalls;
  readonly homeGuild: string | undefined;
  /** False: other processes are told of other servers. */
  readonly knowsAllGuilds: boolean;
}

/** What a message or a click says of its author's part in the server. */
export type Membership = Pick<APIGuildMember, "roles"> &
  Partial<Pick<APIGuildMember, "nick" | "flags" | "pending" | "communication_disabled_until">> & {
    /** All that they may do where they clicked; only interactions say it. */
    readonly permissions?: string;
  };

/** Somebody by name. */
export type KnownUser = Pick<APIUser, "id" | "username" | "global_name" | "bot">;

const SNOWFLAKE = /^\d{1,20}$/;
const MOST_GUILDS = 20;
const DIRECT_MS = 60_000;
const MOST_KEPT = 2_000;

/** Who people are, and where they belong. */
export class DiscordPeople {
  readonly #parts: PeopleParts;
  readonly #direct = new BoundedMap<
    string,
    { readonly person: DiscordPerson; readonly atMs: number }
  >(MOST_KEPT);

  constructor(parts: PeopleParts) {
    this.#parts = parts;
  }

  /** Somebody who did something just now. What Discord has not said along with it is asked for. */
  async doer(place: DiscordPlace, user: KnownUser, member?: Membership): Promise<DiscordPerson> {
    if (isDirect(place)) return this.#inDirect(user);
    const known = member ?? (user.bot ? undefined : await this.#member(place.guild, user.id));
    const person = this.#person(user, place.guild, known);
    const permissions = BigInt(member?.permissions ?? "0");
    if ((permissions & PermissionFlagsBits.Administrator) === 0n) return person;
    // A channel's own settings can put this bit there, too; only roles and ownership count.
    const now = await this.#memberNow(place.guild, user.id);
    return now ? administering(person, now) : person;
  }

  /** Who has a right on a server. Members by their roles cannot be listed without a privileged intent. */
  async holders(place: DiscordPlace, role: PlatformRole): Promise<HolderIds | undefined> {
    if (role === "tokenOwner") return { ids: [], isComplete: true };
    if (isDirect(place)) {
      const user = await this.#recipient(place.channel);
      return { ids: user ? [user.id] : [], isComplete: true };
    }
    if (role !== "administrators") return undefined;
    const guild = await this.#guildNow(place.guild);
    const hasOthers = guild.roles.cache.some(
      (one) => !one.managed && one.permissions.has(PermissionFlagsBits.Administrator),
    );
    return { ids: [guild.ownerId], isComplete: !hasOthers };
  }

  /** By Discord's word of this moment. */
  async presence(place: DiscordPlace, id: string): Promise<Presence | undefined> {
    if (!SNOWFLAKE.test(id)) return undefined;
    const { channel } = place;
    if (isDirect(place)) {
      const user = await this.#recipient(channel);
      if (user?.id !== id) return undefined;
      this.#direct.delete(id);
      const { actor, name } = await this.doerInDirect(user);
      const { team } = actor;
      return { actor, name, place: { platform: "discord", team, channel, isChannelMember: true } };
    }
    const member = await this.#memberNow(place.guild, id);
    if (!member) return undefined;
    const { actor, name } = administering(
      this.#person(userOf(member.user), place.guild, membershipOf(member)),
      member,
    );
    const isChannelMember = await this.#mayRead(place, member);
    const { guild: team, parent } = place;
    return { actor, name, place: { platform: "discord", team, channel: parent, isChannelMember } };
  }

  /** A person who clicked in a conversation of two, with their rights on the server whose people write there. */
  async doerInDirect(user: KnownUser): Promise<DiscordPerson> {
    const person = await this.#inDirect(user);
    const { team } = person.actor;
    const member = team === undefined ? undefined : await this.#memberNow(team, user.id);
    return member ? administering(person, member) : person;
  }

  /** The bot itself: it stands for whoever did what Discord does not say. */
  self(place: DiscordPlace): DiscordPerson {
    const { user } = this.#parts.connection.client;
    const id = this.#parts.connection.self;
    const team = isDirect(place) ? {} : { team: place.guild };
    const actor: Actor = { platform: "discord", ...team, id, kind: "self", groups: [] };
    return { actor, name: user?.username ?? "the bot" };
  }

  /** The server whose people write to the bot alone: the one that was set, or the only one there is. */
  #home(): string | undefined {
    const { homeGuild, knowsAllGuilds, connection } = this.#parts;
    const [first, second] = connection.client.guilds.cache.keys();
    return homeGuild ?? (knowsAllGuilds && second === undefined ? first : undefined);
  }

  async #inDirect(user: KnownUser): Promise<DiscordPerson> {
    const known = this.#direct.get(user.id);
    if (known && performance.now() - known.atMs < DIRECT_MS) return known.person;
    const person = await this.#lookUpDirect(user);
    this.#direct.delete(user.id);
    this.#direct.set(user.id, { person, atMs: performance.now() });
    return person;
  }

  async #lookUpDirect(user: KnownUser): Promise<DiscordPerson> {
    const { connection } = this.#parts;
    const home = this.#home();
    if (home !== undefined) return this.#person(user, home, await this.#member(home, user.id));
    const person = this.#person(user, undefined, undefined);
    if (user.bot || user.id === connection.self) return person;
    for (const guild of [...connection.client.guilds.cache.keys()].slice(0, MOST_GUILDS)) {
      const member = await this.#member(guild, user.id);
      if (member) return this.#person(user, undefined, member);
    }
    return person;
  }

  #person(
    user: KnownUser,
    guild: string | undefined,
    member: Membership | undefined,
  ): DiscordPerson {
    const kind = this.#kindOf(user, member);
    const groups =
      kind === "member" && guild !== undefined
        ? (member?.roles ?? []).map((role) => `discord:${guild}:${role}`)
        : [];
    const team = guild === undefined ? {} : { team: guild };
    const name = personName(member?.nick, user.global_name, user.username);
    return { actor: { platform: "discord", ...team, id: user.id, kind, groups }, name };
  }

  #kindOf({ id, bot }: KnownUser, member: Membership | undefined): Actor["kind"] {
    if (id === this.#parts.connection.self) return "self";
    if (bot) return "bot";
    if (!member) return "external";
    const silencedUntil = Date.parse(member.communication_disabled_until ?? "");
    if (silencedUntil > Date.now()) return "deactivated";
    const isGuest = ((member.flags ?? 0) & GuildMemberFlags.IsGuest) !== 0;
    return isGuest || member.pending ? "guest" : "member";
  }

  async #member(guild: string, id: string): Promise<APIGuildMember | undefined> {
    try {
      const answer = await this.#parts.calls.call("get", `/guilds/${guild}/members/${id}`);
      return answer as APIGuildMember;
    } catch (error) {
      if (isRefusal(error, CODE.unknownMember, CODE.unknownUser)) return undefined;
      throw error;
    }
  }

  async #recipient(channel: string): Promise<APIUser | undefined> {
    const answer = await this.#parts.calls.call("get", `/channels/${channel}`);
    const { recipients } = answer as { recipients?: APIUser[] };
    return recipients?.find(({ id }) => id !== this.#parts.connection.self);
  }

  async #memberNow(guild: string, id: string): Promise<GuildMember | undefined> {
    const { calls } = this.#parts;
    try {
      const found = await this.#guildNow(guild);
      return await calls.run("a member", () => found.members.fetch({ user: id, force: true }));
    } catch (error) {
      const { unknownGuild, missingAccess, unknownMember, unknownUser } = CODE;
      if (isRefusal(error, unknownGuild, missingAccess, unknownMember, unknownUser))
        return undefined;
      throw error;
    }
  }

  /** Asked anew for its owner and roles. Servers of another process are not kept here: their changes would not arrive. */
  #guildNow(guild: string): Promise<Guild> {
    const { calls, connection } = this.#parts;
    const { guilds } = connection.client;
    return calls.run("a server", () => guilds.fetch({ guild, cache: false, force: true }));
  }

  /** Whoever can see the channel can see its threads; of those that are closed, whoever was let in. */
  async #mayRead({ parent, channel }: GuildPlace, member: GuildMember): Promise<boolean> {
    const { channels } = member.guild;
    const place = await this.#parts.calls.run("a channel", () =>
      channels.fetch(parent, { cache: false }),
    );
    if (!place) return false;
    const may = place.permissionsFor(member);
    if (!may.has("ViewChannel")) return false;
    if (await this.#isOpen(channel)) return true;
    return may.has("ManageThreads") || this.#isThreadMember(channel, member.id);
  }

  /** Threads that were put away are not among those that are known. */
  async #isOpen(thread: string): Promise<boolean> {
    const { calls, connection } = this.#parts;
    const known = connection.client.channels.cache.get(thread);
    if (known) return known.type !== ChannelType.PrivateThread;
    try {
      const { type } = (await calls.call("get", `/channels/${thread}`)) as APIChannel;
      return type !== ChannelType.PrivateThread;
    } catch (error) {
      // A thread that is yet to begin, at a message that everybody sees.
      if (isRefusal(error, CODE.unknownChannel)) return true;
      throw error;
    }
  }

  async #isThreadMember(thread: string, id: string): Promise<boolean> {
    try {
      await this.#parts.calls.call("get", `/channels/${thread}/thread-members/${id}`);
      return true;
    } catch (error) {
      if (isRefusal(error, CODE.unknownMember)) return false;
      throw error;
    }
  }
}

/** The server's owner, and everyone with a role that has the permission Administrator. */
function administering(person: DiscordPerson, member: GuildMember): DiscordPerson {
  const isAdministrator =
    person.actor.kind === "member" &&
    (member.guild.ownerId === member.id || member.permissions.has("Administrator"));
  return isAdministrator ? { ...person, actor: { ...person.actor, isAdministrator } } : person;
}

function membershipOf(member: GuildMember): Membership {
  const silencedUntil = member.communicationDisabledUntil?.toISOString() ?? null;
  return {
    roles: [...member.roles.cache.keys()].filter((role) => role !== member.guild.id),
    nick: member.nickname,
    flags: member.flags.bitfield,
    pending: member.pending,
    communication_disabled_until: silencedUntil,
  };
}

function userOf({ id, username, globalName, bot }: User): KnownUser {
  return { id, username, global_name: globalName, bot };
}
