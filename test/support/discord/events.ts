import { afterOwnMs } from "../own-clock.ts";
import { may } from "./access.ts";
import type { DiscordApp } from "./app.ts";
import type { DiscordFaults } from "./faults.ts";
import type { Gateway } from "./gateway.ts";
import type { Dispatch } from "./session.ts";
import type { Fields } from "./values.ts";
import { emojiOf, type Wire } from "./wire.ts";
import { CHANNEL, type DiscordChannel, type DiscordMessage, type DiscordWorld } from "./world.ts";

export const INTENT = {
  guilds: 1 << 0,
  members: 1 << 1,
  guildMessages: 1 << 9,
  guildReactions: 1 << 10,
  guildTyping: 1 << 11,
  directMessages: 1 << 12,
  directReactions: 1 << 13,
  directTyping: 1 << 14,
  content: 1 << 15,
} as const;

/** One thing that Discord tells the app, however often. */
export interface Delivery {
  readonly dispatch: Dispatch;
  /** How often it went out. */
  sent: number;
}

interface Surroundings {
  readonly world: DiscordWorld;
  readonly app: DiscordApp;
  readonly wire: Wire;
  readonly faults: DiscordFaults;
  readonly gateway: Gateway;
}

/** Everything that happens, told to the app over the gateway. */
export class DiscordEvents {
  readonly all: Delivery[] = [];
  readonly #discord: Surroundings;
  #held: { readonly waiting: Delivery[]; left: number } | undefined;

  constructor(discord: Surroundings) {
    this.#discord = discord;
  }

  posted(message: DiscordMessage): Delivery[] {
    return this.#message("MESSAGE_CREATE", message);
  }

  edited(message: DiscordMessage): Delivery[] {
    return this.#message("MESSAGE_UPDATE", message);
  }

  deleted(message: DiscordMessage): Delivery[] {
    if (!this.#isSeen(message.channelId)) return [];
    const place = this.#place(message.channelId);
    const data = { id: message.id, ...place.fields };
    return this.#happened("MESSAGE_DELETE", data, place.messages);
  }

  reacted(message: DiscordMessage, change: Reaction): Delivery[] {
    if (!this.#isSeen(message.channelId)) return [];
    const place = this.#place(message.channelId);
    const { userId, emoji, isAdded } = change;
    const data = {
      user_id: userId,
      message_id: message.id,
      message_author_id: message.authorId,
      emoji: emojiOf(emoji),
      burst: false,
      type: 0,
      ...place.fields,
      ...(isAdded && this.#memberOf(message.channelId, userId)),
    };
    const type = isAdded ? "MESSAGE_REACTION_ADD" : "MESSAGE_REACTION_REMOVE";
    return this.#happened(type, data, place.reactions);
  }

  typing(channelId: string, userId: string): Delivery[] {
    if (!this.#isSeen(channelId)) return [];
    const place = this.#place(channelId);
    const timestamp = Math.floor(this.#discord.world.clock.nowMs() / 1_000);
    const member = this.#memberOf(channelId, userId);
    const data = { user_id: userId, timestamp, ...place.fields, ...member };
    return this.#happened("TYPING_START", data, place.typing);
  }

  thread(
    change: "THREAD_CREATE" | "THREAD_UPDATE" | "THREAD_DELETE",
    thread: DiscordChannel,
  ): Delivery[] {
    const { id, guildId, parentId, type } = thread;
    const whole = this.#discord.wire.channel(thread);
    const data =
      change === "THREAD_DELETE"
        ? { id, guild_id: guildId, parent_id: parentId, type }
        : { ...whole, ...(change === "THREAD_CREATE" && { newly_created: true }) };
    return this.#isSeen(thread.id) ? this.#happened(change, data, INTENT.guilds) : [];
  }

  channel(change: "CHANNEL_CREATE" | "CHANNEL_UPDATE" | "CHANNEL_DELETE", channel: DiscordChannel) {
    return this.#happened(change, this.#discord.wire.channel(channel), INTENT.guilds);
  }

  interaction(data: Fields): Delivery[] {
    return this.#happened("INTERACTION_CREATE", data, 0);
  }

  #happened(type: string, data: Fields, intents: number): Delivery[] {
    return [this.#tell({ type, intents, data: () => data })];
  }

  /** The same event once more. */
  again(delivery: Delivery): void {
    this.#send(delivery);
  }

  #message(type: string, message: DiscordMessage): Delivery[] {
    if (!this.#isSeen(message.channelId)) return [];
    const place = this.#place(message.channelId);
    const { wire, world } = this.#discord;
    const member = this.#memberOf(message.channelId, message.authorId);
    const channelType = world.channels.get(message.channelId)?.type ?? 0;
    const extra = { ...place.fields, ...member, channel_type: channelType };
    // As it is now: it may have changed when a session asks.
    const whole = { ...wire.message(message), ...extra };
    const bare = { ...wire.message(message, { hidesContent: true }), ...extra };
    const isOpen = this.showsContent(message);
    const data = (intents: number) => (isOpen || intents & INTENT.content ? whole : bare);
    return [this.#tell({ type, intents: place.messages, data })];
  }

  /** What an app may read without the intent: docs.discord.com/developers/events/gateway#message-content-intent */
  showsContent(message: DiscordMessage): boolean {
    const { app, wire, world } = this.#discord;
    if (message.authorId === app.user.id) return true;
    if (world.channels.get(message.channelId)?.type === CHANNEL.direct) return true;
    const { mentions } = wire.message(message) as { mentions: { id: string }[] };
    return mentions.some(({ id }) => id === app.user.id);
  }

  /** An app is not told of what it may not see. */
  #isSeen(channelId: string): boolean {
    const { world, app } = this.#discord;
    const channel = world.channels.get(channelId);
    const who = { userId: app.user.id, permission: "VIEW_CHANNEL" } as const;
    return channel !== undefined && may(world, channel, who);
  }

  #memberOf(channelId: string, userId: string): Fields {
    const { world, wire } = this.#discord;
    const channel = world.channels.get(channelId);
    const member = channel && world.guildOf(channel)?.members.get(userId);
    return member ? { member: wire.member(member) } : {};
  }

  #place(channelId: string) {
    const guildId = this.#discord.world.channels.get(channelId)?.guildId;
    const isGuild = guildId !== undefined;
    return {
      fields: { channel_id: channelId, ...(isGuild && { guild_id: guildId }) },
      messages: isGuild ? INTENT.guildMessages : INTENT.directMessages,
      reactions: isGuild ? INTENT.guildReactions : INTENT.directReactions,
      typing: isGuild ? INTENT.guildTyping : INTENT.directTyping,
    };
  }

  #tell(dispatch: Dispatch): Delivery {
    const { faults } = this.#discord;
    const delivery = { dispatch, sent: 0 };
    this.all.push(delivery);
    const left = faults.takeReordering();
    if (left > 0) this.#held = { waiting: [], left };
    if (this.#held) this.#hold(delivery);
    else this.#sendAll([delivery]);
    return delivery;
  }

  #hold(delivery: Delivery): void {
    const held = this.#held;
    if (!held) return;
    held.waiting.push(delivery);
    if (held.waiting.length < held.left) return;
    this.#held = undefined;
    this.#sendAll(held.waiting.reverse());
  }

  /** As often as it is to be told, one round after the other. */
  #sendAll(deliveries: readonly Delivery[]): void {
    for (let copy = 0; copy < this.#discord.faults.copies; copy += 1)
      for (const delivery of deliveries) this.#send(delivery);
  }

  #send(delivery: Delivery): void {
    const { gateway, faults } = this.#discord;
    const send = () => {
      delivery.sent += 1;
      gateway.dispatch(delivery.dispatch);
    };
    if (faults.deliverAfterMs > 0) afterOwnMs(faults.deliverAfterMs, send);
    else send();
  }
}

interface Reaction {
  readonly userId: string;
  readonly emoji: string;
  readonly isAdded: boolean;
}
