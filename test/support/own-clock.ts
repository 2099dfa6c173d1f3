const TICK_MS = 5;
const LONGEST_TICK_MS = 20;

/**
 * The time that this process had for itself: while the machine is busy with something else it stands still, and whoever
 * waits for a timer or for an answer is measured all the same.
 */
export class OwnClock implements Disposable {
  #ms = 0;
  #lastMs = performance.now();
  readonly #ticks = setInterval(() => this.#tick(), TICK_MS).unref();

  get ms(): number {
    this.#tick();
    return this.#ms;
  }

  #tick(): void {
    const now = performance.now();
    this.#ms += Math.min(now - this.#lastMs, LONGEST_TICK_MS);
    this.#lastMs = now;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#ticks);
  }
}

let shared: OwnClock | undefined;

/** The same clock for all who only want to know how long something has taken. */
export function ownMs(): number {
  shared ??= new OwnClock();
  return shared.ms;
}

/** Calls back once this process had so much time for itself. Keeps no process alive. */
export function afterOwnMs(milliseconds: number, callback: () => void): void {
  const endMs = ownMs() + milliseconds;
  const look = () => {
    const leftMs = endMs - ownMs();
    if (leftMs > 1) setTimeout(look, leftMs).unref();
    else callback();
  };
  setTimeout(look, milliseconds).unref();
}

/** For what says nothing when it is done, and is done in this process. */
export function ownSleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => afterOwnMs(milliseconds, resolve));
}
