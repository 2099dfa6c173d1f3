import type { Documents } from "../../../src/contract/store.ts";

const KEPT_MS = 30 * 24 * 60 * 60_000;
const NOTED_EVERY_MS = 24 * 60 * 60_000;

/** The conversations of two: Discord does not say which there are. */
export class Directs {
  readonly #documents: Documents;
  /** When each was last noted. */
  readonly #known = new Map<string, number>();

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  async add(channel: string): Promise<void> {
    const now = Date.now();
    if (now - (this.#known.get(channel) ?? 0) < NOTED_EVERY_MS) return;
    await this.#documents.set(`direct:${channel}`, true, { ttlMs: KEPT_MS });
    this.#known.set(channel, now);
  }

  async all(): Promise<string[]> {
    const names = await this.#documents.keys("direct:");
    return names.map((name) => name.slice("direct:".length));
  }
}
