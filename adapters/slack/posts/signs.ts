import { BoundedMap } from "../../../src/lib/bounded.ts";
import { isRefusal, type SlackCalls } from "../connection/calls.ts";

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

/** Our reactions at people's messages: that it was seen, and one outcome. */
export class SlackSigns {
  readonly #calls: SlackCalls;
  readonly #outcomes = new BoundedMap<string, Sign>(MOST_KNOWN);

  constructor(calls: SlackCalls) {
    this.#calls = calls;
  }

  async set(channel: string, message: string, sign: Sign): Promise<void> {
    const name = `${channel}:${message}`;
    const before = this.#outcomes.get(name);
    await this.#react("reactions.add", channel, message, sign);
    if (before !== undefined && before !== sign)
      await this.#react("reactions.remove", channel, message, before);
    if (sign === "seen") this.#outcomes.delete(name);
    else this.#outcomes.set(name, sign);
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
