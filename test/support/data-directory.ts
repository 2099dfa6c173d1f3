import { existsSync, mkdtempSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MEMORY = "/dev/shm";
const LEAST_FREE_BYTES = 2 ** 30;
const parent = freeBytes(MEMORY) >= LEAST_FREE_BYTES ? MEMORY : tmpdir();

/**
 * A new directory for a store and what else a bot keeps: in memory where there is room, because a store waits for its disk at
 * every write. Not for the files of a workspace: the guard judges paths below /dev/shm differently.
 */
export function makeDataDirectory(name: string): string {
  return mkdtempSync(join(parent, `deckhand-${name}-`));
}

function freeBytes(directory: string): number {
  if (!existsSync(directory)) return 0;
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}
