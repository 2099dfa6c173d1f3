import { setImmediate } from "node:timers/promises";
import { ToolError } from "../../../src/contract/tools/operation.ts";

const SLICE_MS = 25;

/** Lets synchronous work make way for the event loop now and then, and stop when its caller says so. */
export class Pace {
  readonly #signal: AbortSignal | undefined;
  #last = performance.now();

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  get isDue(): boolean {
    return performance.now() - this.#last > SLICE_MS;
  }

  async rest(): Promise<void> {
    await setImmediate();
    this.#last = performance.now();
    if (this.#signal?.aborted) throw new ToolError("executionFailed", "Stopped on request.");
  }
}
