import { BoundedSet } from "../../src/lib/bounded.ts";
import { KeyedLock } from "../../src/lib/keyed-lock.ts";

const MOST_KNOWN = 20_000;

/**
 * Hands over what happens, in the order in which it happened within a lane; other lanes do not wait. A platform may send the
 * same event again: what was handed over stays known by its id.
 */
export class HandedOver {
  readonly #known = new BoundedSet<string>(MOST_KNOWN);
  readonly #lanes = new KeyedLock();

  has(id: string): boolean {
    return this.#known.has(id);
  }

  /** Resolves once `handOver` has. Where that throws, the event counts as new. */
  once<Result>(
    lane: string,
    id: string,
    handOver: () => Promise<Result>,
  ): Promise<Result | { readonly outcome: "known" }> {
    return this.#lanes.run(lane, async () => {
      if (this.#known.has(id)) return { outcome: "known" };
      const result = await handOver();
      this.#known.add(id);
      return result;
    });
  }
}
