import type { Receipt } from "../../../src/contract/platform/adapter.ts";
import type { Incoming, ThreadId } from "../../../src/contract/platform/incoming.ts";
import type { View } from "../../../src/contract/platform/view.ts";
import type { Log } from "../../../src/lib/log.ts";
import { HandedOver } from "../../shared/handed-over.ts";

export interface ReceivingParts {
  readonly receive: (incoming: Incoming) => Promise<Receipt>;
  readonly whisper: (thread: ThreadId, actorId: string, view: View) => Promise<void>;
  readonly log: Log;
}

/** Hands over what happens, each thread's events in their order, and tells people why they were refused. */
export class Receiving {
  readonly #parts: ReceivingParts;
  /** Slack sends a mention twice, and repeats every event that was not answered in time. */
  readonly #handedOver = new HandedOver();

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
    return this.#handedOver.once(thread, id, async () => this.#parts.receive(await read()));
  }

  /** For their eyes only. Slack is not kept waiting for it. */
  refuse(thread: ThreadId, doer: string, text: string): void {
    const { whisper, log } = this.#parts;
    whisper(thread, doer, { kind: "notice", level: "warning", text }).catch((error) => {
      log("warn", "Failed to tell a person why their message was refused.", { thread, error });
    });
  }
}
