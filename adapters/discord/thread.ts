import { createHash } from "node:crypto";
import type { ThreadId } from "../../src/contract/platform/incoming.ts";

/** Where a thread is: a channel of its own below another one, or the conversation of two. */
export type DiscordPlace = GuildPlace | DirectPlace;

export interface GuildPlace {
  readonly guild: string;
  /** The channel that the thread hangs in. */
  readonly parent: string;
  /** The thread itself. Where it began at a message it has that message's id. */
  readonly channel: string;
}

export interface DirectPlace {
  /** As Discord's own links have it. */
  readonly guild: "@me";
  readonly channel: string;
}

const THREAD = /^discord:(?:dm|(\d{1,20}):(\d{1,20})):(\d{1,20})$/;

export function encodeThread(place: DiscordPlace): ThreadId {
  const thread = isDirect(place)
    ? `discord:dm:${place.channel}`
    : `discord:${place.guild}:${place.parent}:${place.channel}`;
  if (THREAD.test(thread)) return thread;
  throw new Error("A Discord thread id needs a server, a channel and a thread.");
}

/** Throws for what it did not encode. */
export function decodeThread(thread: string): DiscordPlace {
  const [, guild, parent, channel] = THREAD.exec(thread) ?? [];
  if (channel && guild && parent) return { guild, parent, channel };
  if (channel) return { guild: "@me", channel };
  throw new Error("This is not a Discord thread.");
}

export function isDirect(place: DiscordPlace): place is DirectPlace {
  return place.guild === "@me";
}

/** A thread's name where there is no room for the whole. */
export function threadKey(thread: ThreadId): string {
  return createHash("sha256").update(thread).digest("base64url").slice(0, 9);
}

/** The same for what is shown to one person, wherever that is. */
export function whisperKey(thread: ThreadId): string {
  return threadKey(`${thread} alone`);
}

const MESSAGE_ID = /^\d{1,20}$/;

/** The id of what was asked by a command or in a window: no message of its own stands for it. */
export function askedId(interaction: string): string {
  return `asked:${interaction}`;
}

export function isMessageId(id: string): boolean {
  return MESSAGE_ID.test(id);
}

/** The number in an id: by it Discord orders what was said, by whichever way. */
export function snowflakeIn(id: string): string {
  return /\d{1,20}$/.exec(id)?.[0] ?? id;
}

const EPOCH_MS = 1_420_070_400_000n;

/** Discord's ids begin with their time. */
export function idAt(milliseconds: number): string {
  const since = BigInt(Math.floor(milliseconds)) - EPOCH_MS;
  return String((since > 0n ? since : 0n) << 22n);
}

export function timeOf(id: string): string {
  return new Date(Number((BigInt(id) >> 22n) + EPOCH_MS)).toISOString();
}
