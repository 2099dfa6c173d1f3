import { setTimeout as sleep } from "node:timers/promises";
import type { Receipt } from "../../../src/contract/platform/adapter.ts";
import type { Incoming } from "../../../src/contract/platform/incoming.ts";
import { KeyedLock } from "../../../src/lib/keyed-lock.ts";
import type { Log } from "../../../src/lib/log.ts";

export interface ReceivingParts {
  readonly receive: (incoming: Incoming) => Promise<Receipt>;
  readonly log: Log;
}

const MOST_TAKEN = 20_000;
/** Discord tells everything once: what could not be kept is tried again by ourselves. */
const AGAIN_AFTER_MS = [250, 1_000, 4_000, 15_000, 30_000, 60_000];

/** Hands over what happens, in the order in which it happened within a lane; other lanes do not wait. */
export class Receiving implements Disposable {
  readonly #parts: ReceivingParts;
  /** After a lost session the same is read once more, and other processes hear it, too. */
  readonly #taken = new Set<string>();
  readonly #lanes = new KeyedLock();
  readonly #closing = new AbortController();

  constructor(parts: ReceivingParts) {
    this.#parts = parts;
  }

  /** Resolves once it is kept for good. `id` is the one of the event; undefined from `read`: it concerns nobody. */
  take(
    lane: string,
    id: string,
    read: () => Promise<Incoming | undefined>,
  ): Promise<Receipt | undefined> {
    return this.#lanes.run(lane, () => this.#handOver(id, read));
  }

  hasTaken(id: string): boolean {
    return this.#taken.has(id);
  }

  [Symbol.dispose](): void {
    this.#closing.abort();
  }

  async #handOver(id: string, read: () => Promise<Incoming | undefined>) {
    if (this.#taken.has(id)) return { outcome: "known" } as const;
    for (let tries = 0; ; tries += 1) {
      try {
        const incoming = await read();
        if (this.#closing.signal.aborted) return undefined;
        const receipt = incoming && (await this.#parts.receive(incoming));
        this.#remember(id);
        return receipt;
      } catch (error) {
        const pauseMs = AGAIN_AFTER_MS[tries];
        if (pauseMs === undefined || this.#closing.signal.aborted) throw error;
        this.#parts.log("warn", "Failed to store a Discord event; retrying.", { id, error });
        await sleep(pauseMs, undefined, { signal: this.#closing.signal, ref: false });
      }
    }
  }

  #remember(id: string): void {
    this.#taken.add(id);
    const [oldest] = this.#taken;
    if (this.#taken.size > MOST_TAKEN && oldest !== undefined) this.#taken.delete(oldest);
  }
}
