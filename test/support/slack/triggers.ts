import { randomBytes } from "node:crypto";
import type { SlackClock } from "./clock.ts";
import { SlackRefusedError } from "./values.ts";

const VALID_MS = 3_000;

interface Trigger {
  readonly user: string;
  readonly issuedMs: number;
  isUsed: boolean;
}

/** What an app may answer a person's action with: once, and within three seconds. */
export class SlackTriggers {
  readonly #clock: SlackClock;
  readonly #triggers = new Map<string, Trigger>();

  constructor(clock: SlackClock) {
    this.#clock = clock;
  }

  issue(user: string): string {
    const id = `${this.#clock.nowMs()}.${this.#triggers.size + 1}.${randomBytes(8).toString("hex")}`;
    this.#triggers.set(id, { user, issuedMs: this.#clock.patienceMs(), isUsed: false });
    return id;
  }

  /** The person in front of whom the window opens. */
  take(id: unknown): string {
    const trigger = this.#triggers.get(String(id));
    if (!trigger) throw new SlackRefusedError("invalid_trigger_id");
    if (trigger.isUsed) throw new SlackRefusedError("exchanged_trigger_id");
    if (this.#clock.patienceMs() - trigger.issuedMs > VALID_MS)
      throw new SlackRefusedError("expired_trigger_id");
    trigger.isUsed = true;
    return trigger.user;
  }
}
