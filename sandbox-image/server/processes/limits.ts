import { readFileSync, statfsSync } from "node:fs";

const CGROUP = "/sys/fs/cgroup";

/** How often the kernel enforced a limit of this workspace, ever. */
export interface LimitCounters {
  readonly memoryKills: number;
  readonly refusedForks: number;
}

/** The files of cgroup v2, then of v1; what is not there counts nothing. */
export function readLimitCounters(root = CGROUP): LimitCounters {
  return {
    memoryKills: counter(
      [`${root}/memory.events`, `${root}/memory/memory.oom_control`],
      "oom_kill",
    ),
    refusedForks: counter([`${root}/pids.events`, `${root}/pids/pids.events`], "max"),
  };
}

export interface LimitLook {
  readonly before: LimitCounters;
  readonly workspaceDir: string;
  /** What the command printed. */
  readonly output: string;
  readonly hasFailed: boolean;
  readonly root?: string;
}

/**
 * Sentences about the limits that a command ran into, each with what to do; empty when there was none. What the
 * kernel has counted is told of a success, too: a part of the command did not come to its end.
 */
export function limitNotices(look: LimitLook): string[] {
  const { before, root = CGROUP } = look;
  const now = readLimitCounters(root);
  const couldNotFork = look.hasFailed && FORK_REFUSED.test(look.output);
  const notices: string[] = [];
  if (now.memoryKills > before.memoryKills) notices.push(memoryNotice(root));
  if (now.refusedForks > before.refusedForks || couldNotFork) notices.push(processNotice(root));
  if (look.hasFailed && isFull(look.workspaceDir)) notices.push(DISK_NOTICE);
  return notices;
}

/** A shell's own words: some limits, such as ulimit -u, are not counted by the cgroup. */
const FORK_REFUSED = /\bfork: (retry: )?Resource temporarily unavailable/;

/** Whether a command ran into the process limit and left so much running that the next one would hardly find room. */
export function leavesNoRoom(before: LimitCounters, root = CGROUP): boolean {
  if (readLimitCounters(root).refusedForks === before.refusedForks) return false;
  const most = limit([`${root}/pids.max`, `${root}/pids/pids.max`]);
  const now = limit([`${root}/pids.current`, `${root}/pids/pids.current`]);
  return most !== null && now !== null && now > most / 2;
}

export const MADE_ROOM =
  "The processes it left running were stopped to make room for the next command.";

function memoryNotice(root: string): string {
  const bytes = limit([`${root}/memory.max`, `${root}/memory/memory.limit_in_bytes`]);
  const size = bytes ? ` of ${describeBytes(bytes)}` : "";
  return (
    `The kernel killed a process: the workspace's memory limit${size} was reached. ` +
    "Process less at once, or run fewer jobs in parallel."
  );
}

function processNotice(root: string): string {
  const count = limit([`${root}/pids.max`, `${root}/pids/pids.max`]);
  return (
    `A process could not be started: the workspace's process limit${count ? ` of ${count}` : ""} was reached. ` +
    "Stop some processes, or run fewer jobs in parallel."
  );
}

const DISK_NOTICE =
  "The workspace's disk is full. Delete files (du -xh . | sort -h lists the largest), then try again.";

const FULL_BELOW_BYTES = 64 * 1024;

function isFull(directory: string): boolean {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(directory);
    return bavail * bsize < FULL_BELOW_BYTES || (files > 0 && ffree === 0);
  } catch {
    // A directory that cannot be looked at says nothing about the disk.
    return false;
  }
}

function counter(files: readonly string[], key: string): number {
  const line = new RegExp(`^${key} (\\d+)$`, "m").exec(readFirst(files));
  return Number(line?.[1] ?? 0);
}

/** Null where there is no limit: v2 says "max", v1 a number beyond all memory. */
function limit(files: readonly string[]): number | null {
  const value = Number(readFirst(files).trim() || Number.NaN);
  return value > 0 && value < 2 ** 60 ? value : null;
}

function readFirst(files: readonly string[]): string {
  for (const file of files) {
    try {
      return readFileSync(file, "utf8");
    } catch {
      // The other cgroup version, or none: try the next one.
    }
  }
  return "";
}

function describeBytes(bytes: number): string {
  const gigabytes = bytes / 1024 ** 3;
  if (gigabytes >= 1) return `${Number(gigabytes.toFixed(1))} GB`;
  return `${Math.round(bytes / 1024 ** 2)} MB`;
}
