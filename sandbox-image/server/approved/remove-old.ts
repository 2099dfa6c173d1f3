import { lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** A command that runs longer than a day has read its script by then. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/** Removes what earlier commands left in a directory of root's, which is made where it is missing. */
export function removeOld(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o755 });
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found && Date.now() - found.mtimeMs > KEPT_MS) {
      rmSync(path, { recursive: true, force: true });
    }
  }
}
