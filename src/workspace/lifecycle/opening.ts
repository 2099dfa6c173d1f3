import type { QueueWait } from "../../contract/workspace/workspace.ts";
import type { WaitOptions } from "./slots.ts";

/** One start that several callers wait for. It is given up only when all of them have gone. */
export class Opening<T> {
  readonly #result: Promise<T>;
  readonly #gone = new AbortController();
  readonly #listeners = new Set<(wait: QueueWait) => void>();
  #waiting = 0;
  #wait: QueueWait | undefined;

  constructor(start: (options: WaitOptions) => Promise<T>) {
    this.#result = start({ signal: this.#gone.signal, onQueued: (wait) => this.#tell(wait) });
    this.#result.catch(() => undefined); // everybody who joined gets the error
  }

  async join({ signal, onQueued }: WaitOptions): Promise<T> {
    signal?.throwIfAborted();
    if (onQueued) this.#listen(onQueued);
    this.#waiting += 1;
    const left = Promise.withResolvers<never>();
    const leave = () => {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#gone.abort(signal?.reason);
      left.reject(signal?.reason);
    };
    signal?.addEventListener("abort", leave, { once: true });
    try {
      return await Promise.race([this.#result, left.promise]);
    } finally {
      signal?.removeEventListener("abort", leave);
      if (onQueued) this.#listeners.delete(onQueued);
    }
  }

  #listen(onQueued: (wait: QueueWait) => void): void {
    this.#listeners.add(onQueued);
    if (this.#wait !== undefined) onQueued(this.#wait);
  }

  #tell(wait: QueueWait): void {
    this.#wait = wait;
    for (const listener of this.#listeners) listener(wait);
  }
}
