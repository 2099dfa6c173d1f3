import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ServerProcess, ServerProcessHooks } from "../contract/server-process.ts";
import { OperatorError } from "../lib/operator-error.ts";
import type { StdioServer } from "./entry.ts";

/** Every process of a server on this machine carries it, with the name of the bot that started it. */
const MARK = "DECKHAND_MCP_SERVER";
const CLOSE_MS = 2000;
const TERMINATE_MS = 2000;
const LAST_WORDS_MS = 200;
const GONE_TRIES = 50;
const GONE_PAUSE_MS = 20;

export interface HostOptions {
  /** Names this bot: two bots on one machine never end each other's servers. */
  readonly owner: string;
  readonly name: string;
  readonly path: string | undefined;
}

/** Starts a server on the bot's own machine, without a shell and with nothing of the bot's environment but its PATH. */
export async function startHostProcess(
  { command, args, env, files }: StdioServer,
  { owner, name, path }: HostOptions,
  hooks: ServerProcessHooks,
): Promise<ServerProcess> {
  const directory = mkdtempSync(join(tmpdir(), "mcp-server-"));
  for (const [file, bytes] of Object.entries(files)) writeFileSync(join(directory, file), bytes);
  // Its own: ending what is left of one attempt must not end the next.
  const mark = `${owner}:${name}:${randomUUID()}`;
  const child = spawn(command, args, {
    cwd: directory,
    env: { PATH: path, HOME: homedir(), LANG: "C.UTF-8", ...env, [MARK]: mark },
    stdio: ["pipe", "pipe", "pipe"],
    // A group of its own, so that all of it can be ended at once.
    detached: true,
  });
  child.stdin.on("error", () => {}); // It has ended, which is said below.
  child.stdout.on("data", hooks.onStdout);
  child.stderr.on("data", hooks.onStderr);
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  child.once("exit", async (code, signal) => {
    resolve();
    // What it wrote last says why it ended. A descendant may keep its streams open.
    await Promise.race([once(child, "close"), delay(LAST_WORDS_MS, undefined, { ref: false })]);
    rmSync(directory, { recursive: true, force: true });
    hooks.onEnd(code === null ? `ended by ${signal}` : `exit code ${code}`);
  });
  await started(child, command);
  return {
    write: (text) => {
      if (child.stdin.writable) child.stdin.write(text);
    },
    stop: async () => {
      child.stdin.end();
      await Promise.race([ended, delay(CLOSE_MS, undefined, { ref: false })]);
      killGroup(child, "SIGTERM");
      await Promise.race([ended, delay(TERMINATE_MS, undefined, { ref: false })]);
      killGroup(child, "SIGKILL");
      await killMarked((one) => one === mark);
      // A descendant may still hold them open.
      for (const stream of [child.stdout, child.stderr]) stream.destroy();
    },
  };
}

function started(child: ChildProcess, command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (cause) => {
      const message = `The command "${command}" cannot be started (${cause.message}).`;
      reject(new OperatorError(message, { cause }));
    });
  });
}

/** Ends what an earlier run of this bot has left, since it was killed. */
export async function killLeftProcesses(owner: string): Promise<void> {
  await killMarked((mark) => mark.startsWith(`${owner}:`));
}

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // Nothing of it is left.
  }
}

/** Also those that have left their group. Where there is no /proc, ending the group has to do. */
async function killMarked(isMeant: (mark: string) => boolean): Promise<void> {
  for (let tries = 0; tries < GONE_TRIES; tries += 1) {
    const pids = processIds().filter((pid) => {
      const mark = markOf(pid);
      return mark !== undefined && isMeant(mark);
    });
    if (pids.length === 0) return;
    for (const pid of pids) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has just ended.
      }
    }
    await delay(GONE_PAUSE_MS);
  }
}

function processIds(): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function markOf(pid: number): string | undefined {
  try {
    const variables = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
    return variables.find((one) => one.startsWith(`${MARK}=`))?.slice(MARK.length + 1);
  } catch {
    return undefined; // It has ended, or belongs to another user.
  }
}
