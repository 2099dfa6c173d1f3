export interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onQueued?: ((place: number) => void) | undefined;
}

interface Waiter extends WaitOptions {
  readonly key: string;
  readonly admit: () => void;
}

/** How many workspaces may run at once, and the queue of those that wait: first come, first served. */
export class Slots {
  readonly #cap: number;
  /** Stops the workspace that has been idle longest, if any is idle; that gives its slot back. */
  readonly #makeRoom: () => Promise<void>;
  readonly #held = new Set<string>();
  #queue: Waiter[] = [];
  #makingRoom = false;

  constructor(cap: number, makeRoom: () => Promise<void>) {
    this.#cap = cap;
    this.#makeRoom = makeRoom;
  }

  holds(key: string): boolean {
    return this.#held.has(key);
  }

  /** Takes a slot for one that runs already, over the cap if need be. */
  take(key: string): void {
    this.#held.add(key);
  }

  async acquire(key: string, options: WaitOptions = {}): Promise<void> {
    if (this.#held.has(key)) return;
    options.signal?.throwIfAborted();
    if (this.#queue.length === 0 && this.#held.size < this.#cap) return this.take(key);
    await this.#wait(key, options);
  }

  release(key: string): void {
    if (this.#held.delete(key)) this.#serve();
  }

  /** Some workspace has become idle: whoever waits may get its slot. */
  async retry(): Promise<void> {
    if (this.#queue.length === 0 || this.#makingRoom) return;
    this.#makingRoom = true;
    try {
      await this.#makeRoom();
    } finally {
      this.#makingRoom = false;
    }
  }

  async #wait(key: string, options: WaitOptions): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    promise.catch(() => undefined); // it may reject before anybody awaits it below
    const waiter: Waiter = { ...options, key, admit: resolve };
    const leave = () => {
      this.#queue = this.#queue.filter((one) => one !== waiter);
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
      const next = this.#queue.shift();
      if (!next) return;
      this.take(next.key);
      next.admit();
    }
    this.#tellPlaces();
  }

  #tellPlaces(): void {
    this.#queue.forEach((waiter, index) => {
      waiter.onQueued?.(index + 1);
    });
  }
}
