import { randomBytes } from "node:crypto";
import type { SlackClock } from "./clock.ts";
import { SlackRefusedError } from "./values.ts";

const USES = 5;
const VALID_MS = 30 * 60_000;

/** Where the answer to an action goes: to this person, at this message. */
export interface ResponseTarget {
  readonly channel: string;
  readonly user: string;
  readonly messageTs?: string;
  readonly threadTs?: string;
}

/** docs.slack.dev/interactivity/handling-user-interaction: five answers within half an hour. */
export class ResponseUrls {
  readonly #clock: SlackClock;
  readonly #targets = new Map<string, ResponseTarget & { issuedMs: number; uses: number }>();

  constructor(clock: SlackClock) {
    this.#clock = clock;
  }

  /** The path of a new one. */
  issue(target: ResponseTarget): string {
    const key = randomBytes(12).toString("hex");
    this.#targets.set(key, { ...target, issuedMs: this.#clock.nowMs(), uses: 0 });
    return `/response/${key}`;
  }

  use(key: string): ResponseTarget {
    const target = this.#targets.get(key);
    if (!target) throw new SlackRefusedError("invalid_url");
    if (this.#clock.nowMs() - target.issuedMs > VALID_MS)
      throw new SlackRefusedError("expired_url");
    target.uses += 1;
    if (target.uses > USES) throw new SlackRefusedError("used_url");
    return target;
  }
}
