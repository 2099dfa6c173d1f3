const WINDOW_MS = 60_000;
const MOST = 20;
const MOST_ADDRESSES = 1_000;

/** Slows down whoever guesses: after some bad tokens an address is not listened to until a minute has passed. */
export class BadTokens {
  readonly #counts = new Map<string, { count: number; until: number }>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  isRefused(address: string): boolean {
    const seen = this.#counts.get(address);
    if (seen && seen.until <= this.#now()) this.#counts.delete(address);
    return (this.#counts.get(address)?.count ?? 0) >= MOST;
  }

  note(address: string): void {
    const seen = this.#counts.get(address) ?? { count: 0, until: this.#now() + WINDOW_MS };
    seen.count += 1;
    this.#counts.set(address, seen);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > MOST_ADDRESSES && oldest !== undefined) this.#counts.delete(oldest);
  }
}
