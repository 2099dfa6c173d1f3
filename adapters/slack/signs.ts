import { isRefusal, type SlackCalls } from "./calls.ts";

export type Sign = "seen" | "done" | "failed" | "stopped";

/**
 * The emoji of each sign.
 * @internal for tests
 */
export const SIGNS: Readonly<Record<Sign, string>> = {
  seen: "eyes",
  done: "white_check_mark",
  failed: "x",
  stopped: "octagonal_sign",
};

const MOST_KNOWN = 2_000;

/** Our reactions at people's messages: one at a time. */
export class SlackSigns {
  readonly #calls: SlackCalls;
  readonly #known = new Map<string, Sign>();

  constructor(calls: SlackCalls) {
    this.#calls = calls;
  }

  /** Who does not know what stands there takes it for the first sign: the others are set last, and stay. */
  async set(channel: string, message: string, sign: Sign): Promise<void> {
    const name = `${channel}:${message}`;
    const before = this.#known.get(name) ?? (sign === "seen" ? undefined : "seen");
    await this.#react("reactions.add", channel, message, sign);
    if (before !== undefined && before !== sign)
      await this.#react("reactions.remove", channel, message, before);
    this.#known.set(name, sign);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }

  async #react(
    method: "reactions.add" | "reactions.remove",
    channel: string,
    timestamp: string,
    sign: Sign,
  ): Promise<void> {
    try {
      await this.#calls.call(method, { channel, timestamp, name: SIGNS[sign] });
    } catch (error) {
      // What was asked about in a window has no message of its own.
      const isNone = isRefusal(error, "message_not_found", "bad_timestamp");
      if (!isNone && !isRefusal(error, "already_reacted", "no_reaction")) throw error;
    }
  }
}
