import type { WorkspaceSettings } from "../workspace/settings.ts";
import { RefusedError } from "./request.ts";

/** Bounds the workspaces that run at once: without it, a bot that was taken over could use up the host's memory. */
export class RunningLimit {
  readonly #most: number;
  #starting = 0;

  /** Twice what the bot's own cap allows: some of them may be stopping while others start. */
  constructor({ cap, poolSize }: WorkspaceSettings) {
    this.#most = 2 * (cap + poolSize);
  }

  /** Throws a RefusedError where too many run. `countRunning` must ask the engine only when it is called. */
  async start<T>(countRunning: () => Promise<number>, start: () => Promise<T>): Promise<T> {
    this.#starting += 1;
    // Before the count: a start that ends meanwhile is in one of the two numbers.
    const starting = this.#starting;
    try {
      if ((await countRunning()) + starting > this.#most) {
        throw new RefusedError("Too many workspaces run: more than twice WORKSPACE_CAP allows.");
      }
      return await start();
    } finally {
      this.#starting -= 1;
    }
  }
}
