import type { DiscordClock } from "./clock.ts";
import { bitsOf, USUAL } from "./permissions.ts";
import type { Fields } from "./values.ts";

export interface DiscordUser {
  readonly id: string;
  readonly username: string;
  readonly globalName: string | null;
  readonly isBot: boolean;
  /** False: closed to messages from people and apps that only share a guild with them. */
  takesDirectMessages: boolean;
}

export interface DiscordRole {
  readonly id: string;
  readonly name: string;
  permissions: bigint;
  isMentionable: boolean;
}

export interface DiscordMember {
  readonly userId: string;
  readonly roles: Set<string>;
  nick: string | null;
  /** docs.discord.com/developers/resources/guild#guild-member-object-guild-member-flags */
  flags: number;
  isPending: boolean;
  /** Until then they may say nothing. */
  silencedUntil?: string;
  readonly joinedAt: string;
}

export interface DiscordGuild {
  readonly id: string;
  readonly name: string;
  ownerId: string;
  /** The boost tier: what files may weigh. */
  tier: 0 | 1 | 2 | 3;
  readonly roles: Map<string, DiscordRole>;
  readonly members: Map<string, DiscordMember>;
}

interface Overwrite {
  readonly id: string;
  readonly kind: "role" | "member";
  readonly allow: bigint;
  readonly deny: bigint;
}

export const CHANNEL = {
  text: 0,
  direct: 1,
  voice: 2,
  category: 4,
  announcement: 5,
  announcementThread: 10,
  publicThread: 11,
  privateThread: 12,
  forum: 15,
} as const;

export interface ThreadState {
  readonly ownerId: string;
  readonly members: Set<string>;
  isArchived: boolean;
  isLocked: boolean;
  archiveMinutes: number;
  archivedAt: string;
}

export interface DiscordChannel {
  readonly id: string;
  readonly type: number;
  name: string;
  readonly guildId?: string;
  readonly parentId?: string;
  readonly recipients: readonly string[];
  overwrites: Overwrite[];
  readonly thread?: ThreadState;
}

export interface DiscordFile {
  readonly id: string;
  readonly channelId: string;
  readonly filename: string;
  readonly title?: string;
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly description?: string;
}

/** What may be called by a message's text. */
export interface AllowedMentions {
  readonly users: "all" | readonly string[];
  readonly roles: "all" | readonly string[];
  readonly everyone: boolean;
  readonly repliedUser: boolean;
}

export interface DiscordMessage {
  readonly id: string;
  readonly channelId: string;
  readonly authorId: string;
  readonly type: number;
  readonly timestamp: string;
  content: string;
  embeds: Fields[];
  components: Fields[];
  files: DiscordFile[];
  flags: number;
  allowed: AllowedMentions;
  editedAt?: string;
  readonly nonce?: string | number;
  readonly reference?: { readonly messageId?: string; readonly channelId: string };
  /** The message that this one hands on, as it was then. */
  readonly forwarded?: DiscordMessage;
  readonly reactions: Map<string, Set<string>>;
  /** The one person who sees it; everybody where it is absent. */
  readonly onlyFor?: string;
  readonly interaction?: { readonly id: string; readonly type: number; readonly userId: string };
  readonly webhookId?: string;
  isPinned: boolean;
}

/** Everything there is on this Discord. */
export class DiscordWorld {
  readonly clock: DiscordClock;
  readonly users = new Map<string, DiscordUser>();
  readonly guilds = new Map<string, DiscordGuild>();
  readonly channels = new Map<string, DiscordChannel>();
  readonly files = new Map<string, DiscordFile>();
  /** How many threads of a guild are awake at a time. */
  mostThreads = 1_000;
  readonly typing: { channelId: string; userId: string; untilMs: number }[] = [];
  /** What the bot has sent with a nonce, deleted or not. */
  readonly nonces: {
    readonly nonce: string;
    readonly atMs: number;
    readonly message: DiscordMessage;
  }[] = [];
  readonly #messages = new Map<string, DiscordMessage[]>();

  constructor(clock: DiscordClock) {
    this.clock = clock;
  }

  addUser(options: Partial<DiscordUser> = {}): DiscordUser {
    const id = options.id ?? this.clock.nextId();
    const user = {
      username: `person${this.users.size + 1}`,
      globalName: null,
      isBot: false,
      takesDirectMessages: true,
      ...options,
      id,
    };
    this.users.set(id, user);
    return user;
  }

  addGuild(name = "A guild"): DiscordGuild {
    const id = this.clock.nextId();
    const owner = this.addUser({ username: "guild-owner" });
    const guild: DiscordGuild = {
      id,
      name,
      ownerId: owner.id,
      tier: 0,
      roles: new Map(),
      members: new Map(),
    };
    // Every guild has this role under the guild's own id.
    const everyone = { id, name: "@everyone", permissions: bitsOf(USUAL), isMentionable: false };
    guild.roles.set(id, everyone);
    this.guilds.set(id, guild);
    this.join(guild, owner.id);
    return guild;
  }

  addRole(guild: DiscordGuild, options: Partial<DiscordRole> = {}): DiscordRole {
    const id = options.id ?? this.clock.nextId();
    const role = { name: `role-${id}`, permissions: 0n, isMentionable: false, ...options, id };
    guild.roles.set(id, role);
    return role;
  }

  join(guild: DiscordGuild, userId: string, options: Partial<DiscordMember> = {}): DiscordMember {
    const joinedAt = this.clock.iso();
    const plain = { roles: new Set<string>(), nick: null, flags: 0, isPending: false, joinedAt };
    const member = { ...plain, ...options, userId };
    guild.members.set(userId, member);
    return member;
  }

  addChannel(options: Partial<DiscordChannel> & { readonly type: number }): DiscordChannel {
    const id = options.id ?? this.clock.nextId();
    const channel = { name: `channel-${id}`, recipients: [], overwrites: [], ...options, id };
    this.channels.set(id, channel);
    return channel;
  }

  /** The channel of two people; made when there is none. */
  directMessage(one: string, other: string): DiscordChannel {
    for (const channel of this.channels.values()) {
      const { recipients } = channel;
      if (recipients.includes(one) && recipients.includes(other)) return channel;
    }
    return this.addChannel({ type: CHANNEL.direct, name: "", recipients: [one, other] });
  }

  guildOf(channel: DiscordChannel): DiscordGuild | undefined {
    return this.guilds.get(channel.guildId ?? "");
  }

  /** All messages, those that only one person sees among them, oldest first. */
  messages(channelId: string): DiscordMessage[] {
    const known = this.#messages.get(channelId) ?? [];
    this.#messages.set(channelId, known);
    return known;
  }

  find(channelId: string, id: string): DiscordMessage | undefined {
    return this.messages(channelId).find((one) => one.id === id && one.onlyFor === undefined);
  }

  remove(message: DiscordMessage): void {
    const kept = this.messages(message.channelId).filter((one) => one !== message);
    this.#messages.set(message.channelId, kept);
  }
}
