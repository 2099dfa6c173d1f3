import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

const TICK_MS = 5;
const LONGEST_TICK_MS = 20;
const LOOK_MS = 20;

/**
 * The time that this process had for itself: while the machine is busy with something else it stands still, and while
 * more programs want to run than there are cores it goes as much more slowly as they do. What waits for a timer or for
 * another process is measured all the same.
 */
export class OwnClock implements Disposable {
  #ms = 0;
  #lastMs = performance.now();
  #share = 1;
  #lookedMs = 0;
  readonly #ticks = setInterval(() => this.#tick(), TICK_MS).unref();

  get ms(): number {
    this.#tick();
    return this.#ms;
  }

  #tick(): void {
    const now = performance.now();
    if (now - this.#lookedMs >= LOOK_MS) {
      this.#share = shareOfCore();
      this.#lookedMs = now;
    }
    this.#ms += Math.min(now - this.#lastMs, LONGEST_TICK_MS) * this.#share;
    this.#lastMs = now;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#ticks);
  }
}

const CORES = availableParallelism();

/** What each of the programs gets of a core that want one just now. */
function shareOfCore(): number {
  return Math.min(1, CORES / Math.max(1, runnable()));
}

function runnable(): number {
  try {
    return Number(readFileSync("/proc/loadavg", "utf8").split(" ")[3]?.split("/")[0]);
  } catch {
    // Only Linux says so.
    return 1;
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
