import type { Documents } from "../../src/contract/store.ts";

const KEPT_MS = 30 * 24 * 60 * 60_000;

/** The conversations of two: Discord does not say which there are. */
export class Directs {
  readonly #documents: Documents;
  readonly #known = new Set<string>();

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  async add(channel: string): Promise<void> {
    if (this.#known.has(channel)) return;
    await this.#documents.set(`direct:${channel}`, true, { ttlMs: KEPT_MS });
    this.#known.add(channel);
  }

  async all(): Promise<string[]> {
    const names = await this.#documents.keys("direct:");
    return names.map((name) => name.slice("direct:".length));
  }
}
