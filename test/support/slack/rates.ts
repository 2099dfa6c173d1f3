import type { SlackClock } from "./clock.ts";

/** Slack's classes of methods: so many calls a minute. "post" is one a second for each channel. */
export type Tier = "t1" | "t2" | "t3" | "t4" | "special" | "post";

const PER_MINUTE: Readonly<Record<Exclude<Tier, "post">, number>> = {
  t1: 1,
  t2: 20,
  t3: 50,
  t4: 100,
  special: 600,
};

const MINUTE = 60_000;

/** docs.slack.dev/apis/web-api/rate-limits */
export class SlackRates {
  isEnforced = true;
  /** Slack tolerates short bursts of posts without saying how long. */
  postBurst = 20;
  readonly #clock: SlackClock;
  readonly #calls = new Map<string, number[]>();

  constructor(clock: SlackClock) {
    this.#clock = clock;
  }

  /** Milliseconds until the call may be made again; undefined: now. */
  waitFor(method: string, tier: Tier, channel: string): number | undefined {
    if (!this.isEnforced) return undefined;
    const now = this.#clock.nowMs();
    const isPost = tier === "post";
    const key = isPost ? `${method}:${channel}` : method;
    const windowMs = isPost ? this.postBurst * 1_000 : MINUTE;
    const most = isPost ? this.postBurst : PER_MINUTE[tier];
    const recent = (this.#calls.get(key) ?? []).filter((at) => at > now - windowMs);
    this.#calls.set(key, recent);
    const oldest = recent[recent.length - most];
    if (oldest !== undefined) return oldest + windowMs - now;
    recent.push(now);
    return undefined;
  }
}
