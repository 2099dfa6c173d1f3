import { ownMs } from "../own-clock.ts";

/** Slack's own clock: tests can move it forward. Its timestamps are unique and grow. */
export class SlackClock {
  #aheadMs = 0;
  #lastMicroseconds = 0;

  nowMs(): number {
    return Date.now() + this.#aheadMs;
  }

  /** What the bot's time to answer is measured with: a busy machine costs it nothing. */
  patienceMs(): number {
    return ownMs() + this.#aheadMs;
  }

  nowSeconds(): number {
    return Math.floor(this.nowMs() / 1_000);
  }

  advance(milliseconds: number): void {
    this.#aheadMs += milliseconds;
  }

  /** The next `ts`: it is a message's name in its channel. */
  nextTs(): string {
    this.#lastMicroseconds = Math.max(this.nowMs() * 1_000, this.#lastMicroseconds + 100);
    const seconds = Math.floor(this.#lastMicroseconds / 1_000_000);
    return `${seconds}.${String(this.#lastMicroseconds % 1_000_000).padStart(6, "0")}`;
  }
}
