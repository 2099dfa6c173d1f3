import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { ToolError } from "../../../src/contract/tools/operation.ts";
import type { Shell } from "../../../src/contract/workspace/shell.ts";
import type { ServerSettings } from "../settings.ts";
import { family, killAll, stopAll } from "./stop.ts";
import type { ProcessEntry } from "./table.ts";

/** How an approved command starts: in an open directory, with an environment of its own, in a shell without any profile. */
export interface FreshShell {
  readonly directory: number;
  readonly as: "root" | "agent";
  /** Bash when left out. */
  readonly shell?: Shell;
  /** Open files and directories of the workload: the kernel keeps the command from all others. Absent: from none. */
  readonly readable?: readonly number[];
  readonly env: Readonly<Record<string, string>>;
}

export interface SupervisedCommand {
  readonly command: string;
  readonly cwd: string;
  readonly fresh?: FreshShell | undefined;
  onBytes(bytes: Buffer): void;
}

/** A command outside any terminal, under a supervisor that none of its descendants can escape. */
export interface Supervised {
  /** The supervisor: everything the command started is below it. */
  readonly pid: number;
  readonly commandPid: number;
  /** Exit code of the command itself; its children may live on. */
  readonly ended: Promise<number>;
  /** Settles when the last descendant is gone and all output has been read. */
  readonly gone: Promise<void>;
  /** SIGTERM, then SIGKILL. Resolves with what could not be ended: normally nothing. */
  stop(): Promise<ProcessEntry[]>;
  /** SIGKILL at once. */
  kill(): Promise<ProcessEntry[]>;
  leftRunning(): ProcessEntry[];
}

/** Resolves when the command runs, a few milliseconds later; rejects when it could not be started. */
export async function startSupervised(
  settings: ServerSettings,
  { command, cwd, fresh, onBytes }: SupervisedCommand,
): Promise<Supervised> {
  const shell = [...shellOf(settings, fresh), "-c", command];
  const child = spawn(settings.supervise, ["--wait", ...placeOf(fresh), ...shell], {
    cwd: fresh ? "/" : cwd,
    env: { ...(fresh?.env ?? settings.childEnv), PWD: cwd },
    stdio: ["ignore", "pipe", "ignore", "pipe", ...descriptorsOf(fresh)],
  });
  child.stdout?.on("data", onBytes);
  const gone = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const { commandPid, ended } = await readReport(child);
  const pid = child.pid ?? 0;
  const below = family(pid);
  return {
    pid,
    commandPid,
    ended,
    gone,
    stop: () => untilGone(stopAll(below), gone),
    kill: () => untilGone(killAll(below), gone),
    leftRunning: below,
  };
}

/** Without any file of the workload's; -p: neither BASH_ENV nor functions nor options out of the environment. */
const FRESH = {
  bash: ["--noprofile", "--norc", "-p"],
  zsh: ["-f"],
  fish: ["--no-config"],
} as const;

function shellOf(settings: ServerSettings, fresh: FreshShell | undefined): string[] {
  if (!fresh) return [settings.shell];
  const { shell = "bash" } = fresh;
  const program = shell === "bash" ? settings.shell : settings.terminalShells[shell];
  return [program, ...FRESH[shell]];
}

const FIRST_DESCRIPTOR = 4;

function descriptorsOf(fresh: FreshShell | undefined): number[] {
  return fresh ? [fresh.directory, ...(fresh.readable ?? [])] : [];
}

function placeOf(fresh: FreshShell | undefined): string[] {
  if (!fresh) return [];
  const { as, readable } = fresh;
  const opened = readable?.flatMap((_, index) => ["--open", `${FIRST_DESCRIPTOR + 1 + index}`]);
  return [
    "--in",
    `${FIRST_DESCRIPTOR}`,
    ...(as === "agent" ? ["--agent"] : []),
    ...(opened ? ["--confine", ...opened] : []),
  ];
}

/** The supervisor leaves by itself, right after the last of its family. */
async function untilGone(
  stopping: Promise<ProcessEntry[]>,
  gone: Promise<void>,
): Promise<ProcessEntry[]> {
  const left = await stopping;
  if (left.length === 0) await Promise.race([gone, sleep(LEAVE_MS, undefined, { ref: false })]);
  return left;
}

/** "started PID" comes at once, "ended CODE" when the command ends. */
function readReport(child: ChildProcess): Promise<{ commandPid: number; ended: Promise<number> }> {
  return new Promise((resolve, reject) => {
    const end = Promise.withResolvers<number>();
    child.once("error", (error) => reject(startFailure(error)));
    child.once("close", (code) => {
      reject(startFailure(new Error(`the supervisor exited with code ${code}`)));
      end.resolve(code ?? KILLED);
    });
    createInterface({ input: child.stdio[3] as Readable }).on("line", (line) => {
      const [word, value] = line.split(" ");
      if (word === "started") resolve({ commandPid: Number(value), ended: end.promise });
      else if (word === "ended") end.resolve(Number(value));
      else reject(startFailure(new Error(line)));
    });
  });
}

const KILLED = 137;
const LEAVE_MS = 1000;

/** What to tell when a process cannot be started; EAGAIN is the process limit. */
export function startFailure(cause: unknown): ToolError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const isLimit = /EAGAIN|ENOMEM|temporarily unavailable|Cannot allocate|forkpty/.test(reason);
  const message = isLimit
    ? "The command could not be started: the workspace's process or memory limit is reached. " +
      "Stop some processes (close_session ends everything in the terminal), then try again."
    : `The command could not be started: ${reason}.`;
  return new ToolError("executionFailed", message, {}, { cause });
}
