import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

export interface LatchLimits {
  /** Calls that are remembered; the bot does not repeat calls that are older. */
  readonly calls: number;
  /** Of all results together. */
  readonly bytes: number;
  /** A result from this size on makes the folder be looked through at once. */
  readonly largeBytes: number;
}

export const LATCH_LIMITS: LatchLimits = {
  calls: 1000,
  bytes: 16 * 1024 * 1024,
  largeBytes: 16 * 1024,
};

interface Kept {
  readonly name: string;
  readonly bytes: number;
  readonly at: number;
}

/**
 * Deletes the oldest records of root calls until the rest fits. A call that runs is the newest of all, or `isRunning`
 * keeps it. What a killed process left half written goes with the records of its time.
 */
export function pruneLatches(
  dir: string,
  limits: LatchLimits,
  isRunning: (name: string) => boolean,
): void {
  const calls = callsIn(dir).sort((a, b) => b.at - a.at);
  let bytes = 0;
  for (const [index, call] of calls.entries()) {
    bytes += call.bytes;
    if (index === 0 || (index < limits.calls && bytes <= limits.bytes)) continue;
    if (!isRunning(call.name)) remove(dir, call.name);
  }
}

/** One per call, with all files of its name: the latch, the result, and what was to become one of them. */
function callsIn(dir: string): Kept[] {
  const found = new Map<string, Kept>();
  for (const file of readdirSync(dir)) {
    const name = /^[0-9a-f]{64}(?=\.)/.exec(file)?.[0];
    const stats = name && statSync(join(dir, file), { throwIfNoEntry: false });
    if (!name || !stats) continue;
    const { bytes = 0, at = 0 } = found.get(name) ?? {};
    found.set(name, { name, bytes: bytes + stats.size, at: Math.max(at, stats.mtimeMs) });
  }
  return [...found.values()];
}

/** The latch last: cut off in between, the call counts as begun and never as new. */
function remove(dir: string, name: string): void {
  const files = readdirSync(dir).filter((file) => file.startsWith(`${name}.`));
  for (const file of files.filter((one) => one !== `${name}.call`))
    rmSync(join(dir, file), { force: true });
  rmSync(join(dir, `${name}.call`), { force: true });
}
