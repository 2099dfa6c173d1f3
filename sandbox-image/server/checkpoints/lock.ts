import { closeSync, openSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ToolError } from "../../../src/contract/tools/operation.ts";
import { readIfThere } from "../durable.ts";
import type { Pace } from "./pace.ts";

const POLL_MS = 20;
const PATIENCE_MS = 120_000;

/**
 * One at a time, among all processes. Each first puts up its claim and then looks for others: of two at once, at
 * most one sees no other. A claim's name tells whose it is, so one left by a killed process is known and removed.
 */
export async function withLock<T>(dir: string, pace: Pace, work: () => Promise<T>): Promise<T> {
  const claim = `${process.pid}.${bornAt(process.pid)}.${crypto.randomUUID()}`;
  const giveUpAt = Date.now() + PATIENCE_MS;
  try {
    while (!isAlone(dir, claim)) {
      rmSync(join(dir, claim), { force: true });
      if (Date.now() > giveUpAt) throw busy();
      await sleep(POLL_MS * (1 + Math.random()));
      await pace.rest();
    }
    return await work();
  } finally {
    rmSync(join(dir, claim), { force: true });
  }
}

function isAlone(dir: string, claim: string): boolean {
  closeSync(openSync(join(dir, claim), "w", 0o600));
  for (const other of readdirSync(dir)) {
    if (other === claim) continue;
    const [pid = "", born = ""] = other.split(".");
    if (bornAt(Number(pid)) === born) return false;
    rmSync(join(dir, other), { force: true });
  }
  return true;
}

/** With the pid it names a process for good: pids are used again. */
function bornAt(pid: number): string {
  const stat = readIfThere(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "gone";
}

function busy(): ToolError {
  return new ToolError(
    "executionFailed",
    "Another checkpoint or restore is running. Wait until it has finished, then try again.",
  );
}
