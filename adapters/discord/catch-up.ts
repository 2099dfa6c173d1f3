import type { Log } from "../../src/lib/log.ts";
import { type DiscordCalls, DiscordError } from "./calls.ts";
import type { DiscordConnection } from "./connection.ts";
import type { Directs } from "./directs.ts";
import { messagesAfter } from "./history.ts";
import type { HeardMessage } from "./inbound.ts";
import { idAt } from "./thread.ts";

export interface CatchUpParts {
  readonly connection: DiscordConnection;
  readonly calls: DiscordCalls;
  readonly directs: Directs;
  readonly hear: (message: HeardMessage) => Promise<void>;
  readonly log: Log;
}

/** Who was away for longer than this is asked again by whoever still wants something. */
const LONGEST_MS = 24 * 60 * 60_000;
const TRIES = 5;
const PAUSE_MS = 500;

/** Reads what was said after a message, wherever the bot can see. Discord does not repeat it by itself. */
export async function catchUp(parts: CatchUpParts, cursor: string): Promise<void> {
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
      log("warn", "What was said on Discord meanwhile could not be read.", { channel, error });
      return;
    }
  }
}

function later(one: string, other: string): string {
  return BigInt(one) > BigInt(other) ? one : other;
}
