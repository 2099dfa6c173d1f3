import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";

export interface ProcessEntry {
  readonly pid: number;
  readonly ppid: number;
  readonly group: number;
  /** Process group in the foreground of its terminal; -1 without a terminal. */
  readonly foreground: number;
  /** `Z` is a zombie: its main thread has ended. */
  readonly state: string;
  /** A zombie with more than one runs on in the others. */
  readonly threads: number;
  readonly name: string;
  /** Clock ticks since boot. With the pid it names a process for good: pids are used again. */
  readonly started: number;
}

/** The kernel's process table at one moment. */
export class ProcessTable {
  readonly #byPid = new Map<number, ProcessEntry>();
  readonly #children = new Map<number, ProcessEntry[]>();

  constructor(entries: Iterable<ProcessEntry>) {
    for (const entry of entries) {
      this.#byPid.set(entry.pid, entry);
      const siblings = this.#children.get(entry.ppid);
      if (siblings) siblings.push(entry);
      else this.#children.set(entry.ppid, [entry]);
    }
  }

  get(pid: number): ProcessEntry | undefined {
    return this.#byPid.get(pid);
  }

  all(): Iterable<ProcessEntry> {
    return this.#byPid.values();
  }

  /** Everything below a process that still runs, children before their parents, without spared branches. */
  descendants(
    pid: number,
    isSpared: (entry: ProcessEntry) => boolean = () => false,
  ): ProcessEntry[] {
    const found: ProcessEntry[] = [];
    const queue = [pid];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      for (const child of this.#children.get(next) ?? []) {
        if (isSpared(child)) continue;
        found.push(child);
        queue.push(child.pid);
      }
    }
    return found.filter(isRunning).reverse();
  }

  /** The process, its parent, and so on up to the first one. */
  ancestry(pid: number): number[] {
    const line: number[] = [];
    for (let next = this.get(pid); next && !line.includes(next.pid); next = this.get(next.ppid)) {
      line.push(next.pid);
    }
    return line;
  }
}

export function isRunning({ state, threads }: ProcessEntry): boolean {
  if (state === "Z") return threads > 1;
  return state !== "X";
}

/** One name per process, also over time. */
export function identity(entry: ProcessEntry): string {
  return `${entry.pid}@${entry.started}`;
}

export function readTable(): ProcessTable {
  const buffer = Buffer.allocUnsafe(1024);
  const entries: ProcessEntry[] = [];
  for (const name of readdirSync("/proc")) {
    if (name < "0" || name > "9~") continue;
    const entry = readEntry(name, buffer);
    if (entry) entries.push(entry);
  }
  return new ProcessTable(entries);
}

/** The command line, or the name in brackets where there is none. */
export function commandLine(entry: ProcessEntry): string {
  try {
    const line = readFileSync(`/proc/${entry.pid}/cmdline`, "utf8");
    return line.replaceAll("\0", " ").trim().slice(0, 500) || `[${entry.name}]`;
  } catch {
    // It ended between the two looks.
    return `[${entry.name}]`;
  }
}

/** One process; undefined when there is none. */
export function readProcess(pid: number): ProcessEntry | undefined {
  return readEntry(String(pid), Buffer.allocUnsafe(1024)) ?? undefined;
}

/** A bash that reads commands from its terminal, not from a script or an argument. */
export function isInteractiveBash(pid: number): boolean {
  const [name = "", ...args] = readArguments(pid);
  const takesNext = /^(--rcfile|--init-file|[-+]O|[-+]o)$/;
  const isOption = (arg: string, index: number) =>
    takesNext.test(args[index - 1] ?? "") || (/^[-+]/.test(arg) && !/^-[a-zA-Z]*c/.test(arg));
  return /^(-|.*\/)?r?bash$/.test(name) && args.every(isOption);
}

function readArguments(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
  } catch {
    return []; // it has ended
  }
}

/** The real user id; undefined when the process has ended. */
export function userOf(pid: number): number | undefined {
  try {
    const user = /^Uid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return user === undefined ? undefined : Number(user);
  } catch {
    return undefined; // it ended between the two looks
  }
}

function readEntry(pid: string, buffer: Buffer): ProcessEntry | null {
  try {
    const file = openSync(`/proc/${pid}/stat`, "r");
    const length = readSync(file, buffer, 0, buffer.length, 0);
    closeSync(file);
    return parseStat(buffer.toString("latin1", 0, length));
  } catch {
    // It ended between the two looks.
    return null;
  }
}

/**
 * The name stands in parentheses and may itself hold spaces and parentheses.
 * @internal
 */
export function parseStat(line: string): ProcessEntry {
  const open = line.indexOf("(");
  const close = line.lastIndexOf(")");
  const fields = line.slice(close + 2).split(" ");
  const number = (index: number) => Number(fields[index]);
  return {
    pid: Number.parseInt(line, 10),
    name: line.slice(open + 1, close),
    state: fields[0] ?? "?",
    ppid: number(1),
    group: number(2),
    foreground: number(5),
    threads: number(17),
    started: number(19),
  };
}
