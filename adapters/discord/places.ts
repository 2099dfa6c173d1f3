import { type APIMessage, type APIThreadChannel, ChannelType } from "discord.js";
import { DeliveryError } from "../../src/contract/adapter.ts";
import type { ThreadId } from "../../src/contract/incoming.ts";
import { CODE, type DiscordCalls, isRefusal } from "./calls.ts";
import type { DiscordConnection } from "./connection.ts";
import { threadName, wordsOf } from "./text.ts";
import { type DiscordPlace, decodeThread, type GuildPlace, isDirect } from "./thread.ts";

export interface PlaceParts {
  readonly connection: DiscordConnection;
  readonly calls: DiscordCalls;
}

const ARCHIVE_MINUTES = 4_320;
/** Where a message can have a thread below it. */
const WITH_THREADS: readonly ChannelType[] = [ChannelType.GuildText, ChannelType.GuildAnnouncement];
/** There the first message stands in the thread itself. */
const FORUMS: readonly ChannelType[] = [ChannelType.GuildForum, ChannelType.GuildMedia];

/** Finds the channels of threads, and makes those that are not there yet. */
export class DiscordPlaces {
  readonly #parts: PlaceParts;
  readonly #making = new Map<string, Promise<void>>();
  readonly #deleted = new Set<string>();

  constructor(parts: PlaceParts) {
    this.#parts = parts;
  }

  /** Of a channel in which something happened; undefined where no thread can be. */
  async placeOf(channel: string, message?: string): Promise<DiscordPlace | undefined> {
    const found = await this.#find(channel);
    if (found?.type === ChannelType.DM) return { guild: "@me", channel };
    // Neither a group nor a kind of channel that is not known here is a conversation of two.
    if (!found || found.isDMBased()) return undefined;
    const { guildId: guild } = found;
    if (found.isThread()) {
      const parent = found.parentId;
      return parent === null ? undefined : { guild, parent, channel };
    }
    if (message === undefined || !WITH_THREADS.includes(found.type)) return undefined;
    return { guild, parent: channel, channel: message };
  }

  /** The channel to write into. Throws where there can be none. */
  async opened(thread: ThreadId): Promise<string> {
    const place = placeIn(thread);
    const { channel } = place;
    if (isDirect(place) || this.#parts.connection.client.channels.cache.has(channel))
      return channel;
    if (this.#deleted.has(channel)) throw new DeliveryError("never", DELETED);
    const making = this.#making.get(channel) ?? this.#make(place);
    this.#making.set(channel, making);
    try {
      await making;
    } finally {
      this.#making.delete(channel);
    }
    return channel;
  }

  /** Where a message of a thread stands: the one at which it began is not in it. */
  channelOf(thread: ThreadId, message: string): string {
    const place = placeIn(thread);
    if (isDirect(place) || message !== place.channel) return place.channel;
    const parent = this.#parts.connection.client.channels.cache.get(place.parent);
    return parent && FORUMS.includes(parent.type) ? place.channel : place.parent;
  }

  wasDeleted(channel: string): void {
    this.#deleted.add(channel);
  }

  /** Posting wakes a thread by itself; changing something in it does not. */
  async wake(channel: string): Promise<void> {
    await this.#parts.calls.call("patch", `/channels/${channel}`, { body: { archived: false } });
  }

  /** Nothing where it is gone, or is none that the bot may see. */
  async #find(channel: string) {
    const { calls, connection } = this.#parts;
    const { channels } = connection.client;
    try {
      return await calls.run("a channel", () =>
        channels.fetch(channel, { allowUnknownGuild: true }),
      );
    } catch (error) {
      if (isRefusal(error, CODE.unknownChannel, CODE.missingAccess)) return undefined;
      throw error;
    }
  }

  async #make({ parent, channel }: GuildPlace): Promise<void> {
    const { client, self } = this.#parts.connection;
    const { calls } = this.#parts;
    try {
      await calls.call("get", `/channels/${channel}`);
      return;
    } catch (error) {
      if (!isRefusal(error, CODE.unknownChannel)) throw error;
    }
    const name = await this.#nameFor(parent, channel, self);
    try {
      const body = { name, auto_archive_duration: ARCHIVE_MINUTES };
      const made = await calls.call("post", `/channels/${parent}/messages/${channel}/threads`, {
        body,
      });
      if ((made as APIThreadChannel).id !== channel)
        throw new DeliveryError("never", "Discord has given a thread another id than expected.");
    } catch (error) {
      if (!isRefusal(error, CODE.hasThread)) throw error;
    }
    await client.channels.fetch(channel).catch(() => undefined);
  }

  async #nameFor(parent: string, message: string, self: string): Promise<string> {
    try {
      const answer = await this.#parts.calls.call("get", `/channels/${parent}/messages/${message}`);
      const { content, mentions } = answer as APIMessage;
      return threadName(wordsOf(content, { user: self }, mentions));
    } catch (error) {
      if (!isRefusal(error, CODE.unknownMessage)) throw error;
      const gone = new DeliveryError("never", DELETED, { cause: error });
      throw gone;
    }
  }
}

const DELETED = "The message or the thread that this belongs to was deleted.";

/** Refuses other platforms' threads as whatever cannot be delivered. */
export function placeIn(thread: ThreadId): DiscordPlace {
  try {
    return decodeThread(thread);
  } catch (cause) {
    const foreign = new DeliveryError("never", "That thread is not one of Discord.", { cause });
    throw foreign;
  }
}
