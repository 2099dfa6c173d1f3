import type { APIMessage } from "discord.js";
import type { ThreadId } from "../../src/contract/incoming.ts";
import type { Log } from "../../src/lib/log.ts";
import type { DiscordCalls } from "./calls.ts";
import type { DiscordConnection } from "./connection.ts";
import type { Outbound } from "./outbound.ts";
import { placeIn } from "./places.ts";

export interface ExplainingParts {
  readonly connection: DiscordConnection;
  readonly calls: DiscordCalls;
  readonly outbound: Outbound;
  readonly log: Log;
}

/** Tells people what the bot lacks to do what they want: once in each place. */
export class Explaining {
  readonly #parts: ExplainingParts;
  readonly #explained = new Set<string>();

  constructor(parts: ExplainingParts) {
    this.#parts = parts;
  }

  async noThread({ channel_id: channel, id }: APIMessage): Promise<void> {
    if (!this.#isFirst(channel)) return;
    const { calls, connection, log } = this.#parts;
    const missing = connection.lacking(channel).join(", ") || "Create Public Threads";
    const content = `I cannot begin a thread here. Somebody who manages this server has to give my role these permissions in this channel: ${missing}.`;
    const reference = { message_id: id, fail_if_not_exists: false };
    const body = { content, allowed_mentions: { parse: [] }, message_reference: reference };
    await calls.call("post", `/channels/${channel}/messages`, { body }).catch((error: unknown) => {
      log("warn", "Nobody on Discord could be told which permissions are missing.", { error });
    });
  }

  /** Only in threads that the bot has begun: elsewhere nobody expects it to read along. */
  noContent(thread: ThreadId): void {
    const { outbound, connection, log } = this.#parts;
    const channel = connection.client.channels.cache.get(placeIn(thread).channel);
    if (!channel?.isThread() || channel.ownerId !== connection.self) return;
    if (!this.#isFirst(thread)) return;
    const text =
      "I cannot read this: on this server I am only shown messages that mention me. Mention me each time, or ask whoever runs me to turn on Message Content Intent at discord.com/developers.";
    const view = { kind: "notice", level: "warning", text } as const;
    outbound.post(thread, view, "no-content").catch((error: unknown) => {
      log("warn", "Nobody on Discord could be told that messages cannot be read.", { error });
    });
  }

  #isFirst(place: string): boolean {
    const isFirst = !this.#explained.has(place);
    this.#explained.add(place);
    return isFirst;
  }
}
