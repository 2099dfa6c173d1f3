import { setTimeout as sleep } from "node:timers/promises";
import type { Receipt } from "../../../src/contract/platform/adapter.ts";
import type { Incoming } from "../../../src/contract/platform/incoming.ts";
import type { Log } from "../../../src/lib/log.ts";
import { HandedOver } from "../../shared/handed-over.ts";

export interface ReceivingParts {
  readonly receive: (incoming: Incoming) => Promise<Receipt>;
  readonly log: Log;
}

/** Discord tells everything once: what could not be kept is tried again by ourselves. */
const AGAIN_AFTER_MS = [250, 1_000, 4_000, 15_000, 30_000, 60_000];

/** Hands over what happens, each lane's events in their order, until the store has them. */
export class Receiving implements Disposable {
  readonly #parts: ReceivingParts;
  /** After a lost session the same is read once more, and other processes hear it, too. */
  readonly #handedOver = new HandedOver();
  readonly #closing = new AbortController();

  constructor(parts: ReceivingParts) {
    this.#parts = parts;
  }

  /**
   * Resolves once it is kept for good. `id` is the one of the event; undefined from `read`: it concerns nobody. Rejects once
   * the bot is closing: what was not kept by then is read again by the next start.
   */
  take(
    lane: string,
    id: string,
    read: () => Promise<Incoming | undefined>,
  ): Promise<Receipt | undefined> {
    return this.#handedOver.once(lane, id, () => this.#handOver(id, read));
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  hasTaken(id: string): boolean {
    return this.#handedOver.has(id);
  }

  [Symbol.dispose](): void {
    this.#closing.abort();
  }

  async #handOver(id: string, read: () => Promise<Incoming | undefined>) {
    for (let tries = 0; ; tries += 1) {
      try {
        const incoming = await read();
        this.#closing.signal.throwIfAborted();
        return incoming && (await this.#parts.receive(incoming));
      } catch (error) {
        const pauseMs = AGAIN_AFTER_MS[tries];
        if (pauseMs === undefined || this.isClosed) throw error;
        this.#parts.log("warn", "Failed to store a Discord event; retrying.", { id, error });
        await sleep(pauseMs, undefined, { signal: this.#closing.signal, ref: false });
      }
    }
  }
}
