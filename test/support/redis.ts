import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, existsSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeDataDirectory } from "./data-directory.ts";

const READY_MS = 45_000;

export interface RedisOptions {
  /** Default "yes": a server that keeps what it acknowledges. */
  readonly appendOnly?: "yes" | "no";
  /** More of redis.conf, for example { maxmemory: "1mb" }. */
  readonly config?: Readonly<Record<string, string>>;
  /** Default: a new one, removed at the end. */
  readonly directory?: string;
}

/** A real redis-server of the test's own, on a socket in a directory of its own. */
export interface TestRedis extends AsyncDisposable {
  /** unix:///… */
  readonly url: string;
  readonly socket: string;
  readonly directory: string;
  readonly pid: number;
  /** SIGKILL, and waits until it is gone. */
  kill(): Promise<void>;
  /** The same server on the same files again. */
  restart(config?: Readonly<Record<string, string>>): Promise<void>;
}

export async function startRedis(options: RedisOptions = {}): Promise<TestRedis> {
  const directory = options.directory ?? makeDataDirectory("redis");
  const socket = join(directory, "redis.sock");
  const configured = { appendonly: options.appendOnly ?? "yes", ...options.config };
  let server = await launch(directory, socket, configured);

  async function kill(): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exit = once(server, "exit");
    server.kill("SIGKILL");
    await exit;
  }

  return {
    url: `unix://${socket}`,
    socket,
    directory,
    get pid() {
      return Number(server.pid);
    },
    kill,
    async restart(config = {}) {
      await kill();
      server = await launch(directory, socket, { ...configured, ...config });
    },
    async [Symbol.asyncDispose]() {
      await kill();
      if (!options.directory) rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function launch(
  directory: string,
  socket: string,
  config: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  rmSync(socket, { force: true });
  const settings = { port: "0", unixsocket: socket, dir: directory, save: "", ...config };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const server = spawn(program(), args, {
    argv0: "redis-server",
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  server.stdout?.on("data", (chunk) => {
    said += chunk;
  });
  for (const end = Date.now() + READY_MS; Date.now() < end; await sleep(10)) {
    if (said.includes("eady to accept connections") && existsSync(socket)) return server;
    if (server.exitCode !== null) break;
  }
  server.kill("SIGKILL");
  throw new Error(`redis-server did not start:\n${said}`);
}

/** Debian's redis-tools bring the server's program under this other name; it looks at how it is called. */
function program(): string {
  const found = ["redis-server", "redis-check-rdb"].find(isInstalled);
  if (found) return found;
  throw new Error("These tests need redis-server: run scripts/setup as root, or install it.");
}

function isInstalled(name: string): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
