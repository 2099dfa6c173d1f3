/** A bounded number of places for each key; whoever comes later waits for one. */
export class Places {
  readonly #taken = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Rejects with the signal's reason while it waits. */
  async take(key: string, most: number, signal: AbortSignal): Promise<Disposable> {
    while ((this.#taken.get(key) ?? 0) >= most) await this.#next(key, signal);
    this.#taken.set(key, (this.#taken.get(key) ?? 0) + 1);
    return { [Symbol.dispose]: () => this.#free(key) };
  }

  #free(key: string): void {
    const left = (this.#taken.get(key) ?? 1) - 1;
    if (left > 0) this.#taken.set(key, left);
    else this.#taken.delete(key);
    const waiting = this.#waiting.get(key) ?? [];
    this.#waiting.delete(key);
    // In the order in which they came: whoever finds no place waits again.
    for (const wake of waiting) wake();
  }

  #next(key: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const onAbort = () => reject(signal.reason);
      signal.addEventListener("abort", onAbort, { once: true });
      const waiting = this.#waiting.get(key) ?? [];
      this.#waiting.set(key, waiting);
      waiting.push(() => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      });
    });
  }
}
