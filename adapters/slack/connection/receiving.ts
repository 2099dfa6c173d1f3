import type { Receipt } from "../../../src/contract/platform/adapter.ts";
import type { Incoming, ThreadId } from "../../../src/contract/platform/incoming.ts";
import type { View } from "../../../src/contract/platform/view.ts";
import { KeyedLock } from "../../../src/lib/keyed-lock.ts";
import type { Log } from "../../../src/lib/log.ts";

export interface ReceivingParts {
  readonly receive: (incoming: Incoming) => Promise<Receipt>;
  readonly whisper: (thread: ThreadId, actorId: string, view: View) => Promise<void>;
  readonly log: Log;
}

const MOST_TAKEN = 10_000;

/** Hands over what happens, in the order in which it happened within a thread; other threads do not wait. */
export class Receiving {
  readonly #parts: ReceivingParts;
  /** Slack tells of a mention twice, and of everything again that it was not answered in time. */
  readonly #taken = new Set<string>();
  readonly #lanes = new KeyedLock();

  constructor(parts: ReceivingParts) {
    this.#parts = parts;
  }

  /** Resolves once it is kept for good. `id` is the one of the event: what is known by it is not looked at again. */
  async take(thread: ThreadId, id: string, read: () => Promise<Incoming>): Promise<Receipt> {
    let doer: string | undefined;
    const receipt = await this.takeQuietly(thread, id, async () => {
      const incoming = await read();
      doer = incoming.actor.id;
      return incoming;
    });
    if (receipt.outcome === "ignored" && receipt.reason !== undefined && doer !== undefined)
      this.refuse(thread, doer, receipt.reason);
    return receipt;
  }

  /** The same where whoever hands it over says a refusal by themselves. */
  takeQuietly(thread: ThreadId, id: string, read: () => Promise<Incoming>): Promise<Receipt> {
    return this.#lanes.run(thread, () => this.#handOver(id, read));
  }

  /** For their eyes only. Slack is not kept waiting for it. */
  refuse(thread: ThreadId, doer: string, text: string): void {
    const { whisper, log } = this.#parts;
    whisper(thread, doer, { kind: "notice", level: "warning", text }).catch((error) => {
      log("warn", "Failed to tell a person why their message was refused.", { thread, error });
    });
  }

  async #handOver(id: string, read: () => Promise<Incoming>): Promise<Receipt> {
    if (this.#taken.has(id)) return { outcome: "known" };
    const receipt = await this.#parts.receive(await read());
    this.#taken.add(id);
    const [oldest] = this.#taken;
    if (this.#taken.size > MOST_TAKEN && oldest !== undefined) this.#taken.delete(oldest);
    return receipt;
  }
}
