import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BenchOptions, interleaved, median, quantile, rounded, timed } from "./figures.ts";
import { call, command, IMAGE, type Lab, openLab } from "./lab.ts";

const TURNS = { full: 40, brief: 12 };
const TURN = 20;
const WARM_UP = 40;

/** The read of `call` through the engine proxy in a process of its own, and without it, in turns. */
export async function benchProxy({ effort }: BenchOptions) {
  await using proxy = await startProxyProcess();
  await using direct = await openLab({ poolSize: 0 });
  await using proxied = await openLab({ poolSize: 0, dockerHost: proxy.dockerHost });
  const reads = { direct: await reader(direct), proxied: await reader(proxied) };
  for (let count = 0; count < WARM_UP; count += 1) {
    await reads.direct();
    await reads.proxied();
  }
  const turns = await interleaved(TURNS[effort], {
    direct: () => inARow(reads.direct),
    proxied: () => inARow(reads.proxied),
  });
  const times = { direct: turns.direct.flat(), proxied: turns.proxied.flat() };
  const ratio = median(times.direct) / median(times.proxied);
  return {
    ratio: rounded(ratio),
    ratioP95: rounded(quantile(times.direct, 0.95) / quantile(times.proxied, 0.95)),
    directMs: rounded(median(times.direct)),
    proxiedMs: rounded(median(times.proxied)),
    ok: ratio >= 0.9,
  };
}

async function reader(lab: Lab): Promise<() => Promise<unknown>> {
  const workspace = await lab.open();
  await command(workspace, "head -c 1024 /dev/zero | tr '\\0' x > one-kb");
  const args = { operation: "read_file", filePath: "one-kb" };
  return () => call(workspace, "file_operations", args);
}

async function inARow(work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let count = 0; count < TURN; count += 1) times.push(await timed(work));
  return times;
}

async function startProxyProcess(): Promise<AsyncDisposable & { readonly dockerHost: string }> {
  const directory = mkdtempSync(join(tmpdir(), "deckhand-bench-proxy-"));
  const socket = join(directory, "engine.sock");
  const program = new URL("../../src/engine-proxy/main.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env.PATH, ENGINE_PROXY_SOCKET: socket, WORKSPACE_IMAGE: IMAGE },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  await Promise.race([new Promise((resolve) => child.stdout.once("data", resolve)), ended]);
  return {
    dockerHost: `unix://${socket}`,
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
