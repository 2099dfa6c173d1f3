import { setTimeout as sleep } from "node:timers/promises";
import { identity, isRunning, type ProcessEntry, readTable } from "./table.ts";

/** Time that a process has between SIGTERM and SIGKILL. */
const GRACE_MS = 100;
const LOOK_EVERY_MS = 10;
/** SIGKILL cannot be refused; what is still there after this is stuck in the kernel or not ours. */
const KILL_DEADLINE_MS = 3000;

/** Looks anew, each time it is called, who must go. Children come before their parents. */
export type Victims = () => ProcessEntry[];

export interface FamilyOptions {
  readonly withItself?: boolean;
  /** Identities of processes that stay, with everything below them. */
  readonly spared?: ReadonlySet<string>;
}

/**
 * Everything below a process, and whatever was seen there before: when a parent dies first, its children
 * move elsewhere in the table.
 */
export function family(pid: number, { withItself = false, spared }: FamilyOptions = {}): Victims {
  const seen = new Map<string, number>();
  const isSpared = (entry: ProcessEntry) => spared?.has(identity(entry)) ?? false;
  return () => {
    const table = readTable();
    const found = new Map<number, ProcessEntry>();
    const add = (entry: ProcessEntry | undefined) => {
      if (entry && isRunning(entry)) found.set(entry.pid, entry);
    };
    for (const root of [pid, ...seen.values()]) table.descendants(root, isSpared).forEach(add);
    for (const [name, known] of seen) {
      const entry = table.get(known);
      if (entry && identity(entry) === name) add(entry);
      else seen.delete(name);
    }
    for (const entry of found.values()) seen.set(identity(entry), entry.pid);
    if (withItself) add(table.get(pid));
    return [...found.values()];
  };
}

/** Asks with SIGTERM, then ends by force. Resolves with what could not be ended: normally nothing. */
export async function stopAll(victims: Victims, graceMs = GRACE_MS): Promise<ProcessEntry[]> {
  for (const victim of victims()) signal(victim.pid, "SIGTERM");
  const patience = performance.now() + graceMs;
  while (performance.now() < patience && victims().length > 0) await sleep(LOOK_EVERY_MS);
  return killAll(victims);
}

/**
 * SIGKILL until nobody is left. Whoever forks faster than we kill is frozen first: each round stops the
 * newcomers, and only when there are none does it kill.
 */
export async function killAll(victims: Victims): Promise<ProcessEntry[]> {
  const deadline = performance.now() + KILL_DEADLINE_MS;
  let left: ProcessEntry[];
  do {
    freeze(victims);
    for (const victim of victims()) signal(victim.pid, "SIGKILL");
    // Reading the table takes time: who forks and exits meanwhile is seen by the second look.
    await sleep(LOOK_EVERY_MS / 2);
    left = victims();
  } while (left.length > 0 && performance.now() < deadline);
  return left;
}

function freeze(victims: Victims): void {
  const frozen = new Set<number>();
  for (let round = 0; round < 50; round++) {
    const running = victims().filter(({ pid }) => !frozen.has(pid));
    if (running.length === 0) return;
    for (const { pid } of running) {
      signal(pid, "SIGSTOP");
      frozen.add(pid);
    }
  }
}

/** Whether the signal could be sent; 0 only asks. A negative pid means a process group. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    // Gone already, or another user's: the look that follows tells.
    return false;
  }
}
