import { ownMs } from "../own-clock.ts";

const DISCORD_EPOCH_MS = 1_420_070_400_000;

/** Discord's own clock: tests can move it forward. Its ids carry their time, are unique and grow. */
export class DiscordClock {
  /** Told each time the clock was moved: deadlines look again. */
  readonly onAdvance = new Set<() => void>();
  #aheadMs = 0;
  #last = 0n;

  nowMs(): number {
    return Date.now() + this.#aheadMs;
  }

  /** What the bot's time to answer is measured with: a busy machine costs it nothing. */
  patienceMs(): number {
    return ownMs() + this.#aheadMs;
  }

  advance(milliseconds: number): void {
    this.#aheadMs += milliseconds;
    for (const listener of [...this.onAdvance]) listener();
  }

  iso(): string {
    return new Date(this.nowMs()).toISOString().replace("Z", "000+00:00");
  }

  /** docs.discord.com/developers/reference#snowflakes */
  nextId(): string {
    const now = BigInt(this.nowMs() - DISCORD_EPOCH_MS) << 22n;
    this.#last = now > this.#last ? now : this.#last + 1n;
    return String(this.#last);
  }
}
