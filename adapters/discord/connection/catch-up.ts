import type { Log } from "../../../src/lib/log.ts";
import type { HeardMessage } from "../inbound.ts";
import type { Directs } from "../places/directs.ts";
import { messagesAfter } from "../places/history.ts";
import { idAt } from "../thread.ts";
import { type DiscordCalls, DiscordError } from "./calls.ts";
import type { DiscordConnection, LineListener } from "./connection.ts";
import type { Cursor, Hold } from "./cursor.ts";

export interface CatchUpParts {
  readonly connection: DiscordConnection;
  readonly calls: DiscordCalls;
  readonly cursor: Cursor;
  readonly directs: Directs;
  readonly hear: (message: HeardMessage) => Promise<void>;
  readonly log: Log;
}

/** Who was away for longer than this is asked again by whoever still wants something. */
const LONGEST_MS = 24 * 60 * 60_000;
/** For so long a line may look alive over which nothing comes any more: two heartbeats and some. */
const LONGEST_SILENCE_MS = 2 * 60_000;
const TRIES = 5;
const PAUSE_MS = 500;

/** Reads what was said while nobody listened. Discord does not repeat it by itself. */
export class CatchingUp implements LineListener {
  readonly #parts: CatchUpParts;
  /** By the shards that are away. What the others hear meanwhile says nothing about those. */
  readonly #away = new Map<number, Hold>();

  constructor(parts: CatchUpParts) {
    this.#parts = parts;
  }

  onAway(shard: number): void {
    if (!this.#away.has(shard)) this.#away.set(shard, this.#holdFromNow());
  }

  onBack(shard: number, session: "resumed" | "lost"): void {
    const hold = this.#away.get(shard) ?? this.#holdFromNow();
    this.#away.delete(shard);
    if (session === "lost") void this.read(hold);
    else hold[Symbol.dispose]();
  }

  /** Where it is cut off, whoever starts next reads the same again. */
  async read(hold: Hold): Promise<void> {
    const { connection, log } = this.#parts;
    try {
      await readAll(this.#parts, hold.after);
    } catch (error) {
      log("error", "Failed to read Discord messages that arrived during the outage.", { error });
    }
    if (!connection.isClosed) hold[Symbol.dispose]();
  }

  #holdFromNow(): Hold {
    return this.#parts.cursor.hold(idAt(Date.now() - LONGEST_SILENCE_MS));
  }
}

/** What was said after a message, wherever the bot can see. */
async function readAll(parts: CatchUpParts, cursor: string): Promise<void> {
  const after = later(cursor, idAt(Date.now() - LONGEST_MS));
  const channels = [...withNews(parts.connection, after), ...(await parts.directs.all())];
  for (const channel of new Set(channels)) {
    if (parts.connection.isClosed) return;
    await readAfter(parts, channel, after);
  }
}

function withNews({ client }: DiscordConnection, after: string): string[] {
  return [...client.channels.cache.values()].flatMap((channel) => {
    if (!channel.isTextBased() || !("lastMessageId" in channel)) return [];
    // Discord also names those that are hidden from the bot.
    if ("viewable" in channel && !channel.viewable) return [];
    const { id, lastMessageId: last } = channel;
    return last && BigInt(last) > BigInt(after) ? [id] : [];
  });
}

async function readAfter(parts: CatchUpParts, channel: string, after: string): Promise<void> {
  const { calls, hear, log } = parts;
  for (let tries = 1; ; tries += 1) {
    try {
      for (const message of await messagesAfter(calls, channel, after)) void hear(message);
      return;
    } catch (error) {
      const isPassing = error instanceof DiscordError && error.when === "later";
      if (isPassing && tries < TRIES && !parts.connection.isClosed) {
        await new Promise((resolve) => setTimeout(resolve, error.retryAfterMs ?? PAUSE_MS * tries));
        continue;
      }
      log("warn", "Failed to read a channel's messages from the outage.", { channel, error });
      return;
    }
  }
}

function later(one: string, other: string): string {
  return BigInt(one) > BigInt(other) ? one : other;
}
