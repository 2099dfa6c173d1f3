import { RefusedError } from "./request.ts";

const MOST_EXECS = 10_000;

/** The latest processes that were made through this proxy. */
export class OwnExecs {
  readonly #ids = new Set<string>();

  add(id: string): void {
    this.#ids.add(id);
    const [oldest] = this.#ids;
    if (this.#ids.size > MOST_EXECS && oldest !== undefined) this.#ids.delete(oldest);
  }

  /** Throws a RefusedError for any other process. */
  check(id: string): void {
    if (!this.#ids.has(id)) throw new RefusedError("This exec was not created through the proxy.");
  }
}
