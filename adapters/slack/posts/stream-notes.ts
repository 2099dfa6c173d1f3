import type { Documents } from "../../../src/contract/store.ts";
import { ATTEMPT_KEPT_MS, type Attempt } from "../../shared/attempts.ts";
import { retriedLater } from "../../shared/store-outage.ts";

/** Which attempts are being written as streams: such a message carries no key of its own until it ends. */
export class StreamNotes {
  readonly #documents: Documents;

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  async add({ digest }: Attempt, channel: string, ts: string): Promise<void> {
    const ttlMs = ATTEMPT_KEPT_MS;
    await retriedLater(this.#documents.set(nameOf(channel, ts), digest, { ttlMs }));
  }

  /** The digest of the attempt that is written there. */
  async find(channel: string, ts: string): Promise<string | undefined> {
    const digest = await retriedLater(this.#documents.get(nameOf(channel, ts)));
    return typeof digest === "string" ? digest : undefined;
  }
}

function nameOf(channel: string, ts: string): string {
  return `stream:${channel}:${ts}`;
}
