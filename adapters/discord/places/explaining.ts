import type { APIMessage } from "discord.js";
import type { ThreadId } from "../../../src/contract/platform/incoming.ts";
import type { Log } from "../../../src/lib/log.ts";
import { createMessage, type DiscordCalls } from "../connection/calls.ts";
import type { DiscordConnection } from "../connection/connection.ts";
import type { Outbound } from "../outbound.ts";
import { placeIn } from "./places.ts";

export interface ExplainingParts {
  readonly connection: DiscordConnection;
  readonly calls: DiscordCalls;
  readonly outbound: Outbound;
  readonly log: Log;
}

export const NO_THREADS = "This channel does not support threads. Mention me in a text channel.";

const TOO_MANY =
  "This server has reached Discord's limit of open threads. Close some, then mention me again.";

/** Tells people what the bot lacks to do what they want: once in each place. */
export class Explaining {
  readonly #parts: ExplainingParts;
  readonly #explained = new Set<string>();

  constructor(parts: ExplainingParts) {
    this.#parts = parts;
  }

  async noThread(thread: ThreadId, message: APIMessage): Promise<void> {
    const { channel_id: channel } = message;
    if (!this.#isFirst(channel)) return;
    const missing = this.#parts.connection.lacking(channel).join(", ") || "Create Public Threads";
    const text = `I cannot open a thread here. Ask a server admin to give my role these permissions in this channel: ${missing}.`;
    await this.#tell(thread, message, text);
  }

  /** Each time: it passes. */
  async noMoreThreads(thread: ThreadId, message: APIMessage): Promise<void> {
    await this.#tell(thread, message, TOO_MANY);
  }

  /** Where it may not write, whoever has called it is told alone. */
  async #tell(thread: ThreadId, message: APIMessage, text: string): Promise<void> {
    const { outbound, log } = this.#parts;
    const view = { kind: "notice", level: "warning", text } as const;
    await this.#answer(message, text)
      .catch(() => outbound.whisper(thread, message.author.id, view))
      .catch((error: unknown) => {
        log("warn", "Failed to explain why there is no thread.", { thread, error });
      });
  }

  /** In a voice channel or on a stage. */
  noThreads(message: APIMessage): void {
    const { channel_id: channel } = message;
    const { connection, log } = this.#parts;
    const isVoice = connection.client.channels.cache.get(channel)?.isVoiceBased();
    if (!isVoice || !this.#isFirst(channel)) return;
    this.#answer(message, NO_THREADS).catch((error: unknown) => {
      log("warn", "Failed to explain that the channel has no threads.", { channel, error });
    });
  }

  /** Only in threads that the bot has begun: elsewhere nobody expects it to read along. */
  noContent(thread: ThreadId): void {
    const { outbound, connection, log } = this.#parts;
    const channel = connection.client.channels.cache.get(placeIn(thread).channel);
    if (!channel?.isThread() || channel.ownerId !== connection.self) return;
    if (!this.#isFirst(thread)) return;
    const text =
      "I can only read messages that mention me on this server. Mention me each time, or ask my operator to turn on Message Content Intent at discord.com/developers.";
    const view = { kind: "notice", level: "warning", text } as const;
    outbound.post(thread, view, "no-content").catch((error: unknown) => {
      log("warn", "Failed to explain that messages cannot be read.", { thread, error });
    });
  }

  async #answer({ channel_id: channel, id }: APIMessage, content: string): Promise<void> {
    const { calls, connection } = this.#parts;
    // Whoever may not read what was said may not reply to it, either.
    const mayReply = !connection.lacking(channel).includes("Read Message History");
    const message_reference = { message_id: id, fail_if_not_exists: false };
    const body = { content, ...(mayReply ? { message_reference } : {}) };
    await createMessage(calls, channel, { body, nonce: `why.${id}` });
  }

  #isFirst(place: string): boolean {
    const isFirst = !this.#explained.has(place);
    this.#explained.add(place);
    return isFirst;
  }
}
