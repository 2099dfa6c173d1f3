import type { DiscordClock } from "./clock.ts";
import type { RouteName } from "./faults.ts";

interface Limit {
  readonly calls: number;
  readonly windowMs: number;
}

/**
 * Discord tells its limits in headers only and changes them as it likes: these are about what bots have seen. Whoever
 * is not named here has the last one.
 */
const LIMITS: Readonly<Record<RouteName, Limit>> = {
  "POST /channels/:channel/messages": { calls: 5, windowMs: 5_000 },
  "PATCH /channels/:channel/messages/:message": { calls: 5, windowMs: 5_000 },
  "DELETE /channels/:channel/messages/:message": { calls: 5, windowMs: 1_000 },
  "PUT /channels/:channel/messages/:message/reactions/:emoji/@me": { calls: 1, windowMs: 250 },
  "DELETE /channels/:channel/messages/:message/reactions/:emoji/@me": { calls: 1, windowMs: 250 },
  "PATCH /channels/:channel": { calls: 2, windowMs: 600_000 },
  "POST /channels/:channel/threads": { calls: 50, windowMs: 300_000 },
  "POST /channels/:channel/messages/:message/threads": { calls: 50, windowMs: 300_000 },
  "POST /webhooks/:application/:token": { calls: 5, windowMs: 2_000 },
};
const OTHERS: Limit = { calls: 20, windowMs: 1_000 };
const GLOBAL: Limit = { calls: 50, windowMs: 1_000 };

export interface Verdict {
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal?: { readonly retryAfterMs: number; readonly isGlobal: boolean };
}

/** docs.discord.com/developers/topics/rate-limits */
export class DiscordRates {
  isEnforced = true;
  /** How many times faster than Discord's the windows pass, for tests that have no time. */
  speed = 1;
  /** Answers with 401, 403 and 429 after which the network in front of Discord lets nobody in. */
  mostInvalid = 10_000;
  readonly #clock: DiscordClock;
  readonly #calls = new Map<string, number[]>();
  readonly #invalid: number[] = [];

  constructor(clock: DiscordClock) {
    this.#clock = clock;
  }

  /** Counts the call, unless it is refused. `major` is the channel, guild or webhook that it is about. */
  ask(route: RouteName, major: string): Verdict {
    const limit = LIMITS[route] ?? OTHERS;
    const isInteraction = /^\S+ \/(?:interactions|webhooks)\//.test(route);
    const bucket = bucketOf(route);
    const global = isInteraction ? undefined : this.#wait("global", GLOBAL);
    if (this.isEnforced && global !== undefined)
      return {
        headers: { "x-ratelimit-global": "true", "x-ratelimit-scope": "global" },
        refusal: { retryAfterMs: global, isGlobal: true },
      };
    const key = `${bucket}:${major}`;
    const wait = this.#wait(key, limit);
    if (this.isEnforced && wait !== undefined) {
      const headers = { ...this.#headers(key, bucket, limit), "x-ratelimit-scope": "user" };
      return { headers, refusal: { retryAfterMs: wait, isGlobal: false } };
    }
    if (!isInteraction) this.#count("global");
    this.#count(key);
    return { headers: this.#headers(key, bucket, limit) };
  }

  noteInvalid(): void {
    this.#invalid.push(this.#clock.nowMs());
  }

  get isBanned(): boolean {
    const since = this.#clock.nowMs() - 600_000;
    return this.#invalid.filter((at) => at > since).length >= this.mostInvalid;
  }

  #recent(key: string, { windowMs }: Limit): number[] {
    const since = this.#clock.nowMs() - windowMs / this.speed;
    const recent = (this.#calls.get(key) ?? []).filter((at) => at > since);
    this.#calls.set(key, recent);
    return recent;
  }

  #wait(key: string, limit: Limit): number | undefined {
    const recent = this.#recent(key, limit);
    const oldest = recent[recent.length - limit.calls];
    return oldest === undefined
      ? undefined
      : oldest + limit.windowMs / this.speed - this.#clock.nowMs();
  }

  #count(key: string): void {
    this.#calls.set(key, [...(this.#calls.get(key) ?? []), this.#clock.nowMs()]);
  }

  #headers(key: string, bucket: string, limit: Limit): Record<string, string> {
    const recent = this.#recent(key, limit);
    const resetMs = (recent[0] ?? this.#clock.nowMs()) + limit.windowMs / this.speed;
    const calls = this.isEnforced ? limit.calls : 1_000;
    return {
      "x-ratelimit-limit": String(calls),
      "x-ratelimit-remaining": String(Math.max(0, calls - recent.length)),
      "x-ratelimit-reset": (resetMs / 1_000).toFixed(3),
      "x-ratelimit-reset-after": ((resetMs - this.#clock.nowMs()) / 1_000).toFixed(3),
      "x-ratelimit-bucket": bucket,
    };
  }
}

function bucketOf(route: RouteName): string {
  return Buffer.from(route).toString("hex").slice(-32);
}
