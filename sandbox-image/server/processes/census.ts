import type { Census } from "../../../src/contract/workspace/channel.ts";
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

export interface CensusScope {
  /** Every process is the workspace's own, as in its container; otherwise only what descends from this process counts. */
  readonly wholeMachine: boolean;
  /** The server's other processes. */
  readonly spared?: readonly number[];
}

/** Everything that runs here besides the server and those above it. */
export function takeCensus(owners: readonly Owner[], scope: CensusScope): Census {
  const table = readTable();
  const ids = new Map(owners.map(({ pid, id }) => [pid, id]));
  const processes = workspaceProcesses(table, scope).map((entry) => {
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
export function workspaceProcesses(
  table: ProcessTable,
  { wholeMachine, spared = [] }: CensusScope,
): ProcessEntry[] {
  if (!wholeMachine) return table.descendants(process.pid);
  const ours = new Set([...table.ancestry(process.pid), ...spared]);
  return [...table.all()]
    .filter((entry) => isRunning(entry) && !ours.has(entry.pid) && !isKernelThread(entry))
    .sort((a, b) => b.started - a.started || b.pid - a.pid);
}

function isKernelThread(entry: ProcessEntry): boolean {
  return entry.pid === 2 || entry.ppid === 2;
}
