import type { QueueWait } from "../../contract/workspace/workspace.ts";
import { FairShare, type Party } from "./fair-share.ts";

export interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onQueued?: ((wait: QueueWait) => void) | undefined;
  readonly party?: Party | undefined;
}

interface Waiter extends WaitOptions {
  readonly key: string;
  readonly party: Party;
  readonly admit: () => void;
}

/**
 * How many workspaces may run at once, and the queue of those that wait. A free slot goes to the first request within
 * its person's and channel's fair share, and only without one to a request beyond it. The oldest request of all is
 * passed over at most as often as there are slots, so that every request has its turn.
 */
export class Slots {
  readonly #cap: number;
  /** Stops an idle workspace, if any is idle; that gives its slot back. */
  readonly #makeRoom: () => Promise<void>;
  readonly #held = new Map<string, Party>();
  #queue: Waiter[] = [];
  #passes = 0;
  #makingRoom = false;

  constructor(cap: number, makeRoom: () => Promise<void>) {
    this.#cap = cap;
    this.#makeRoom = makeRoom;
  }

  holds(key: string): boolean {
    return this.#held.has(key);
  }

  /** Takes a slot for one that runs already, over the cap if need be. */
  take(key: string, party: Party = {}): void {
    this.#held.set(key, party);
  }

  /** The person behind the latest use counts; a use of which no person is known changes nothing. */
  renew(key: string, party: Party = {}): void {
    if (party.person !== undefined) this.#held.set(key, party);
  }

  async acquire(key: string, options: WaitOptions = {}): Promise<void> {
    const { party = {} } = options;
    if (this.#held.has(key)) return this.renew(key, party);
    options.signal?.throwIfAborted();
    if (this.#queue.length === 0 && this.#held.size < this.#cap) return this.take(key, party);
    await this.#wait(key, { ...options, party });
  }

  release(key: string): void {
    if (this.#held.delete(key)) this.#serve();
  }

  /** Some workspace has become idle: a request that waits may get its slot. */
  async retry(): Promise<void> {
    if (this.#queue.length === 0 || this.#makingRoom) return;
    this.#makingRoom = true;
    try {
      await this.#makeRoom();
    } finally {
      this.#makingRoom = false;
    }
  }

  /** Whether a holder has more than its share, or is unknown, while a request within its share waits. */
  mustYield(key: string): boolean {
    const share = this.#share();
    const isShort = this.#queue.some(({ party }) => share.excessWithOneMore(party) === 0);
    const holder = this.#held.get(key);
    if (!isShort || !holder) return false;
    return holder.person === undefined || share.excessOf(holder) > 0;
  }

  async #wait(key: string, options: WaitOptions & { party: Party }): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    promise.catch(() => undefined); // it may reject before it is awaited below
    const waiter: Waiter = { ...options, key, admit: resolve };
    const leave = () => {
      this.#remove(waiter);
      this.#tellPlaces();
      reject(options.signal?.reason);
    };
    options.signal?.addEventListener("abort", leave, { once: true });
    this.#queue.push(waiter);
    await this.retry();
    if (this.#queue.includes(waiter)) this.#tellPlaces();
    await promise.finally(() => options.signal?.removeEventListener("abort", leave));
  }

  #serve(): void {
    while (this.#held.size < this.#cap) {
      const next = this.#order()[0];
      if (!next) return;
      this.#passes = next === this.#queue[0] ? 0 : this.#passes + 1;
      this.#remove(next);
      this.take(next.key, next.party);
      next.admit();
    }
    this.#tellPlaces();
  }

  /** Least excess first; among equals the older request. */
  #order(): Waiter[] {
    const [oldest, ...others] = this.#queue;
    if (!oldest) return [];
    const share = this.#share();
    const byExcess = (waiters: Waiter[]) =>
      waiters
        .map((waiter) => ({ waiter, excess: share.excessWithOneMore(waiter.party) }))
        .sort((a, b) => a.excess - b.excess)
        .map(({ waiter }) => waiter);
    return this.#passes >= this.#cap ? [oldest, ...byExcess(others)] : byExcess(this.#queue);
  }

  #share(): FairShare {
    const waiting = this.#queue.map(({ party }) => party);
    return new FairShare(this.#cap, [...this.#held.values()], waiting);
  }

  #remove(waiter: Waiter): void {
    if (waiter === this.#queue[0]) this.#passes = 0;
    this.#queue = this.#queue.filter((one) => one !== waiter);
  }

  #tellPlaces(): void {
    const share = this.#share();
    this.#order().forEach(({ party, onQueued }, index) => {
      onQueued?.(share.waitOf(party, index + 1));
    });
  }
}
