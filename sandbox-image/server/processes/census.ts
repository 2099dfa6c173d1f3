import type { Census } from "../../../src/contract/channel.ts";
import {
  commandLine,
  isRunning,
  type ProcessEntry,
  type ProcessTable,
  readTable,
} from "./table.ts";

/** A process under which everything belongs to one terminal or background command. */
export interface Owner {
  readonly pid: number;
  readonly id: string;
}

/**
 * Everything that runs here besides the server and those above it. `wholeMachine` also counts what has no
 * owner; where others live on the same machine, only what descends from the server counts.
 */
export function takeCensus(owners: readonly Owner[], wholeMachine: boolean): Census {
  const table = readTable();
  const ids = new Map(owners.map(({ pid, id }) => [pid, id]));
  const processes = workspaceProcesses(table, wholeMachine).map((entry) => {
    const owner = table.ancestry(entry.pid).find((pid) => ids.has(pid));
    return {
      pid: entry.pid,
      ppid: entry.ppid,
      state: entry.state,
      command: commandLine(entry),
      ...(owner === undefined ? {} : { owner: ids.get(owner) }),
    };
  });
  return { processes };
}

/** Children before their parents, so that the list can be killed in its order. */
export function workspaceProcesses(table: ProcessTable, wholeMachine: boolean): ProcessEntry[] {
  if (!wholeMachine) return table.descendants(process.pid);
  const above = new Set(table.ancestry(process.pid));
  return [...table.all()]
    .filter((entry) => isRunning(entry) && !above.has(entry.pid) && !isKernelThread(entry))
    .sort((a, b) => b.started - a.started || b.pid - a.pid);
}

function isKernelThread(entry: ProcessEntry): boolean {
  return entry.pid === 2 || entry.ppid === 2;
}
