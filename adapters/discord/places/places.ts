import { type APIMessage, type APIThreadChannel, ChannelType } from "discord.js";
import { DeliveryError } from "../../../src/contract/platform/adapter.ts";
import type { ThreadId } from "../../../src/contract/platform/incoming.ts";
import { BoundedMap, BoundedSet } from "../../../src/lib/bounded.ts";
import { CODE, type DiscordCalls, isRefusal } from "../connection/calls.ts";
import type { DiscordConnection } from "../connection/connection.ts";
import { threadName } from "../rendering/text.ts";
import { type DiscordPlace, decodeThread, type GuildPlace, isDirect } from "../thread.ts";

export interface PlaceParts {
  readonly connection: DiscordConnection;
  readonly calls: DiscordCalls;
}

const ARCHIVE_MINUTES = 4_320;
const MOST_KNOWN = 5_000;
/** Where a message can have a thread below it. */
const WITH_THREADS: readonly ChannelType[] = [ChannelType.GuildText, ChannelType.GuildAnnouncement];
/** There the first message stands in the thread itself. */
const FORUMS: readonly ChannelType[] = [ChannelType.GuildForum, ChannelType.GuildMedia];

/** Finds the channels of threads, and makes those that are not there yet. */
export class DiscordPlaces {
  readonly #parts: PlaceParts;
  readonly #making = new Map<string, Promise<void>>();
  /** Threads that are there although the gateway has not told of them yet. */
  readonly #made = new BoundedSet<string>(MOST_KNOWN);
  /** The names of threads that do not exist yet, by the messages at which they begin. */
  readonly #names = new BoundedMap<string, string>(MOST_KNOWN);
  readonly #deleted = new BoundedSet<string>(MOST_KNOWN);

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

  /** What was said at the beginning of a thread names it: then the message has not to be read again. */
  beginsWith(message: string, words: string): void {
    this.#names.set(message, threadName(words));
  }

  /** The channel to write into. Throws where there can be none. */
  async opened(thread: ThreadId): Promise<string> {
    const place = placeIn(thread);
    const { channel } = place;
    if (isDirect(place) || this.#isThere(channel)) return channel;
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
    this.#made.delete(channel);
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

  #isThere(channel: string): boolean {
    return this.#made.has(channel) || this.#parts.connection.client.channels.cache.has(channel);
  }

  async #make({ parent, channel }: GuildPlace): Promise<void> {
    const { calls } = this.#parts;
    const name = this.#names.get(channel) ?? (await this.#lookUp(parent, channel));
    if (name === undefined) return;
    try {
      const body = { name, auto_archive_duration: ARCHIVE_MINUTES };
      const made = await calls.call("post", `/channels/${parent}/messages/${channel}/threads`, {
        body,
      });
      if ((made as APIThreadChannel).id !== channel)
        throw new DeliveryError("never", "Discord gave a thread an unexpected id.");
    } catch (error) {
      if (isRefusal(error, CODE.unknownMessage)) throw gone(error);
      if (!isRefusal(error, CODE.hasThread)) throw error;
    }
    this.#names.delete(channel);
    this.#made.add(channel);
  }

  /** For a thread that another process, or this one before a restart, was asked for. Undefined: it is there. */
  async #lookUp(parent: string, channel: string): Promise<string | undefined> {
    try {
      await this.#parts.calls.call("get", `/channels/${channel}`);
      this.#made.add(channel);
      return undefined;
    } catch (error) {
      if (!isRefusal(error, CODE.unknownChannel)) throw error;
    }
    return this.#nameFor(parent, channel);
  }

  async #nameFor(parent: string, message: string): Promise<string> {
    const { calls, connection } = this.#parts;
    try {
      const answer = await calls.call("get", `/channels/${parent}/messages/${message}`);
      const { content, mentions } = answer as APIMessage;
      return threadName(connection.wordsOf({ content, mentions, channel: parent }));
    } catch (error) {
      if (!isRefusal(error, CODE.unknownMessage)) throw error;
      throw gone(error);
    }
  }
}

function gone(cause: unknown): DeliveryError {
  return new DeliveryError("never", DELETED, { cause });
}

const DELETED = "The message or thread was deleted.";

/** Refuses other platforms' threads as whatever cannot be delivered. */
export function placeIn(thread: ThreadId): DiscordPlace {
  try {
    return decodeThread(thread);
  } catch (cause) {
    const foreign = new DeliveryError("never", "This is not a Discord thread.", { cause });
    throw foreign;
  }
}
