import type { Lease, Store } from "../../contract/store.ts";

/** A lease that knows by itself when it may have run out: a process that stood still must not go on as if nothing were. */
export class HeldLease implements Lease {
  readonly fence: number;
  readonly #lease: Lease;
  #endsAtMs: number;

  private constructor(lease: Lease, endsAtMs: number) {
    this.fence = lease.fence;
    this.#lease = lease;
    this.#endsAtMs = endsAtMs;
  }

  /** Undefined: somebody else has it. */
  static async take(
    store: Pick<Store, "lease">,
    { conversation, holder, ttlMs }: { conversation: string; holder: string; ttlMs: number },
  ): Promise<HeldLease | undefined> {
    // From before it was asked for: the store cannot have counted from any earlier.
    const endsAtMs = Date.now() + ttlMs;
    const lease = await store.lease(conversation, holder, ttlMs);
    return lease && new HeldLease(lease, endsAtMs);
  }

  /** False: somebody else may have it by now. */
  get isSurelyHeld(): boolean {
    return Date.now() < this.#endsAtMs;
  }

  async renew(ttlMs: number): Promise<boolean> {
    const endsAtMs = Date.now() + ttlMs;
    const isOurs = await this.#lease.renew(ttlMs);
    if (isOurs) this.#endsAtMs = endsAtMs;
    return isOurs;
  }

  release(): Promise<void> {
    return this.#lease.release();
  }
}
