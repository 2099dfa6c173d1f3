import { ToolError } from "../../../src/contract/tools/operation.ts";

const BLOCK_BYTES = 4096;
const MB = 1024 * 1024;

/** What a file costs the store's disk: whole blocks, and one for a file without content, which takes an inode. */
export function costOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / BLOCK_BYTES)) * BLOCK_BYTES;
}

/** The store is full: older checkpoints have to go before this one is kept. */
export class StoreFullError extends Error {
  constructor() {
    super("The checkpoint store is full.");
    this.name = "StoreFullError";
  }
}

/** How much a checkpoint may still add to the store. Checked before each write, so that the store never exceeds it. */
export class StoreRoom {
  #left: number;
  taken = 0;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  has(bytes: number): boolean {
    return costOf(bytes) <= this.#left;
  }

  take(bytes: number): void {
    const cost = costOf(bytes);
    if (cost > this.#left) throw new StoreFullError();
    this.#left -= cost;
    this.taken += cost;
  }

  giveBack(bytes: number): void {
    this.#left += costOf(bytes);
    this.taken -= costOf(bytes);
  }
}

export function noRoom(neededBytes: number, limitBytes: number): ToolError {
  const [needed, limit] = [Math.ceil(neededBytes / MB), Math.floor(limitBytes / MB)];
  return new ToolError(
    "executionFailed",
    `There is no room for a checkpoint: the workspace needs ${needed} MB of the ${limit} MB for checkpoints. Delete files in the workspace, then try again.`,
  );
}
