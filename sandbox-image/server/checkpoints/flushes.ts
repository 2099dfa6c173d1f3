import { close, fdatasync } from "node:fs";
import { promisify } from "node:util";

const flush = promisify(fdatasync);
const shut = promisify(close);
/** Each needs a thread: init.c gives this server as many. */
const AT_ONCE = 16;

/** Files on their way to the disk, several at a time: the file system then writes its journal once for many. */
export class Flushes {
  readonly #busy = new Set<Promise<void>>();
  readonly #failures: unknown[] = [];

  /** Takes the open file over; `then` runs when its content is durable. Resolves when there is room for the next. */
  async add(fd: number, then: () => void): Promise<void> {
    const work = this.#finish(fd, then).finally(() => this.#busy.delete(work));
    this.#busy.add(work);
    if (this.#busy.size >= AT_ONCE) await Promise.race(this.#busy);
  }

  /** Throws the first failure of all that was added. */
  async settle(): Promise<void> {
    await Promise.all(this.#busy);
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  async #finish(fd: number, then: () => void): Promise<void> {
    try {
      try {
        await flush(fd);
      } finally {
        await shut(fd);
      }
      then();
    } catch (error) {
      this.#failures.push(error); // thrown by settle(): nobody waits for this promise alone
    }
  }
}
