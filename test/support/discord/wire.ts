import { createHmac } from "node:crypto";
import { may } from "./access.ts";
import type { DiscordApp } from "./app.ts";
import { guildFields, PLAIN_GUILD } from "./guild-wire.ts";
import { mentionsOf } from "./mentions.ts";
import type { Fields } from "./values.ts";
import {
  CHANNEL,
  type DiscordChannel,
  type DiscordFile,
  type DiscordGuild,
  type DiscordMember,
  type DiscordMessage,
  type DiscordRole,
  type DiscordWorld,
} from "./world.ts";

const DAY = 86_400_000;
const SIGNING_KEY = "attachments";

interface Surroundings {
  readonly world: DiscordWorld;
  readonly app: DiscordApp;
  readonly origin: string;
}

/** Things as Discord writes them. */
export class Wire {
  readonly #discord: Surroundings;

  constructor(discord: Surroundings) {
    this.#discord = discord;
  }

  user(id: string): Fields {
    const user = this.#discord.world.users.get(id);
    return {
      id,
      username: user?.username ?? "Deleted User",
      global_name: user?.globalName ?? null,
      discriminator: "0",
      avatar: null,
      public_flags: 0,
      ...(user?.isBot === true && { bot: true }),
    };
  }

  member(member: DiscordMember): Fields {
    return {
      roles: [...member.roles],
      nick: member.nick,
      avatar: null,
      joined_at: member.joinedAt,
      premium_since: null,
      deaf: false,
      mute: false,
      flags: member.flags,
      pending: member.isPending,
      communication_disabled_until: member.silencedUntil ?? null,
    };
  }

  role({ id, name, permissions, isMentionable }: DiscordRole): Fields {
    return {
      id,
      name,
      permissions: String(permissions),
      mentionable: isMentionable,
      color: 0,
      colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
      hoist: false,
      managed: false,
      position: 0,
      flags: 0,
    };
  }

  channel(channel: DiscordChannel): Fields {
    const { id, type, name, guildId, parentId, thread } = channel;
    const { world, app } = this.#discord;
    const last = world.messages(id).findLast(({ onlyFor }) => onlyFor === undefined);
    const common = { id, type, last_message_id: last?.id ?? null, flags: 0 };
    if (guildId === undefined) {
      const others = channel.recipients.filter((user) => user !== app.user.id);
      return { ...common, recipients: others.map((user) => this.user(user)) };
    }
    const inGuild = { ...common, guild_id: guildId, name, parent_id: parentId ?? null };
    if (thread) return { ...inGuild, ...this.#threadFields(channel) };
    return {
      ...inGuild,
      position: 0,
      topic: null,
      nsfw: false,
      rate_limit_per_user: 0,
      ...(type === CHANNEL.voice && { bitrate: 64_000, user_limit: 0, rtc_region: null }),
      permission_overwrites: channel.overwrites.map((one) => ({
        id: one.id,
        type: one.kind === "role" ? 0 : 1,
        allow: String(one.allow),
        deny: String(one.deny),
      })),
    };
  }

  #threadFields({ id, thread }: DiscordChannel): Fields {
    if (!thread) return {};
    const { world, app } = this.#discord;
    const count = world.messages(id).length;
    return {
      owner_id: thread.ownerId,
      message_count: count,
      total_message_sent: count,
      member_count: thread.members.size,
      rate_limit_per_user: 0,
      thread_metadata: {
        archived: thread.isArchived,
        locked: thread.isLocked,
        auto_archive_duration: thread.archiveMinutes,
        archive_timestamp: thread.archivedAt,
        create_timestamp: thread.archivedAt,
      },
      ...(thread.members.has(app.user.id) && { member: this.threadMember(id, app.user.id) }),
    };
  }

  threadMember(threadId: string, userId: string): Fields {
    return {
      id: threadId,
      user_id: userId,
      join_timestamp: this.#discord.world.clock.iso(),
      flags: 0,
    };
  }

  guild(guild: DiscordGuild): Fields {
    const roles = [...guild.roles.values()].map((role) => this.role(role));
    return { ...PLAIN_GUILD, ...guildFields(guild), roles };
  }

  /** With `hidesContent` as an app without the intent gets it. */
  message(message: DiscordMessage, { hidesContent = false } = {}): Fields {
    const { world } = this.#discord;
    const channel = world.channels.get(message.channelId);
    const guild = channel && world.guildOf(channel);
    const caller = { userId: message.authorId, permission: "MENTION_EVERYONE" } as const;
    const mayCallAll = channel !== undefined && may(world, channel, caller);
    const called = mentionsOf(world, message, guild, mayCallAll);
    const hidden = hidesContent ? { content: "", embeds: [], attachments: [], components: [] } : {};
    const forwarded = hidesContent ? undefined : message.forwarded;
    const started = world.channels.get(message.id);
    return {
      id: message.id,
      channel_id: message.channelId,
      author: this.user(message.authorId),
      type: message.type,
      content: message.content,
      timestamp: message.timestamp,
      edited_timestamp: message.editedAt ?? null,
      tts: false,
      mention_everyone: called.everyone,
      mentions: called.users.map((id) => this.user(id)),
      mention_roles: called.roles,
      attachments: message.files.map((file) => this.attachment(file)),
      embeds: message.embeds,
      components: message.components,
      flags: message.flags | (started?.thread ? 32 : 0),
      pinned: message.isPinned,
      ...hidden,
      ...this.#messageExtras(message),
      ...(forwarded && this.#forwardFields(forwarded)),
      ...(started?.thread && { thread: this.channel(started) }),
    };
  }

  /** docs.discord.com/developers/resources/message#message-snapshot-object */
  #forwardFields(original: DiscordMessage): Fields {
    const { id, channel_id, ...whole } = this.message(original);
    const { type, content, embeds, attachments, components, timestamp, flags } = whole;
    const texts = { type, content, embeds, attachments, components };
    return {
      message_reference: { type: 1, message_id: id, channel_id },
      referenced_message: undefined,
      message_snapshots: [{ message: { ...texts, timestamp, flags, mentions: [] } }],
    };
  }

  #messageExtras(message: DiscordMessage): Fields {
    const { world, app } = this.#discord;
    const { reference, interaction, nonce, webhookId, reactions } = message;
    const referenced = world.find(reference?.channelId ?? "", reference?.messageId ?? "");
    const guildId = world.channels.get(message.channelId)?.guildId;
    return {
      ...(nonce !== undefined && { nonce }),
      ...(webhookId !== undefined && { webhook_id: webhookId, application_id: app.id }),
      ...(interaction && {
        interaction_metadata: {
          id: interaction.id,
          type: interaction.type,
          user: this.user(interaction.userId),
          authorizing_integration_owners: { 0: guildId ?? "0" },
        },
      }),
      ...(reference && {
        message_reference: {
          type: 0,
          channel_id: reference.channelId,
          ...(reference.messageId !== undefined && { message_id: reference.messageId }),
          ...(guildId !== undefined && { guild_id: guildId }),
        },
        ...(reference.messageId !== undefined && {
          referenced_message: referenced
            ? this.message({ ...referenced, reactions: new Map() })
            : null,
        }),
      }),
      ...(reactions.size > 0 && {
        reactions: [...reactions].map(([name, users]) => ({
          emoji: emojiOf(name),
          count: users.size,
          count_details: { burst: 0, normal: users.size },
          burst_colors: [],
          me: users.has(app.user.id),
          me_burst: false,
        })),
      }),
    };
  }

  attachment(file: DiscordFile): Fields {
    const url = this.fileUrl(file);
    return {
      id: file.id,
      filename: file.filename,
      ...(file.title !== undefined && { title: file.title }),
      ...(file.description !== undefined && { description: file.description }),
      content_type: file.contentType,
      size: file.bytes.length,
      url,
      proxy_url: url,
    };
  }

  /** Signed, and good for a day: docs.discord.com/developers/reference#signed-attachment-cdn-urls */
  fileUrl(file: DiscordFile): string {
    const { origin, world } = this.#discord;
    const now = world.clock.nowMs();
    const path = `/attachments/${file.channelId}/${file.id}/${file.filename}`;
    const expires = Math.floor((now + DAY) / 1_000).toString(16);
    const issued = Math.floor(now / 1_000).toString(16);
    return `${origin}${path}?ex=${expires}&is=${issued}&hm=${signatureOf(path, expires)}&`;
  }
}

export function signatureOf(path: string, expires: string): string {
  return createHmac("sha256", SIGNING_KEY).update(`${path}:${expires}`).digest("hex");
}

/** `name:id` for one of a guild's own. */
export function emojiOf(name: string): Fields {
  const [, own, id] = /^(\w+):(\d+)$/.exec(name) ?? [];
  return own === undefined ? { id: null, name } : { id, name: own };
}
