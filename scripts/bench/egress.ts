import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import Dockerode from "dockerode";
import type { EgressLimits } from "../../src/contract/network.ts";
import type { Documents } from "../../src/contract/store.ts";
import type { Workspace } from "../../src/contract/workspace/workspace.ts";
import { Connector } from "../../src/network/connector.ts";
import { WorkspaceEgress } from "../../src/network/egress.ts";
import { type BenchOptions, interleaved, median, quantile, rounded, timed } from "./figures.ts";
import { call, command, openLab } from "./lab.ts";

const MIB = 1024 ** 2;
const TRANSFER_MIB = 200;
const ROUNDS = { full: 5, brief: 2 };
const READS = { full: 200, brief: 60 };
const DEFAULT_RATE = 20 * MIB;
const UNLIMITED: EgressLimits = {
  bytes: Number.MAX_SAFE_INTEGER,
  connections: 256,
  bytesPerSecond: Number.MAX_SAFE_INTEGER,
};

/**
 * A download of 200 MB through the tunnel against the same bytes over a bare exec stream, and what a download does to the
 * workspace's calls: a read of 1 KB beside it against the same read alone, at full speed and with the default rate limit.
 */
export async function benchEgress({ effort }: BenchOptions) {
  await using server = await pouringServer();
  await using fast = await openNetworked(UNLIMITED);
  await using limited = await openNetworked({ ...UNLIMITED, bytesPerSecond: DEFAULT_RATE });
  const url = `http://bench.test:${server.port}/`;
  const readyMs = await timed(() => command(fast.workspace, `curl -sS ${url}ready`));

  const transfers = await interleaved(ROUNDS[effort], {
    tunnel: () =>
      timed(() => command(fast.workspace, `curl -sSp -o /dev/null ${url}${TRANSFER_MIB}`)),
    exec: () => timed(() => readByExec(fast.workspace.id)),
  });
  const ratio = median(transfers.exec) / median(transfers.tunnel);

  const reads = await interleaved(ROUNDS[effort], {
    idle: () => readTimes(fast.workspace, READS[effort]),
    full: () => beside(fast.workspace, url, READS[effort]),
    limited: () => beside(limited.workspace, url, READS[effort]),
  });
  const p95 = (times: readonly number[][]) => quantile(times.flat(), 0.95);
  const callP95Ratio = p95(reads.full) / p95(reads.idle);
  const callP95RatioLimited = p95(reads.limited) / p95(reads.idle);
  return {
    ratio: rounded(ratio),
    callP95Ratio: rounded(callP95Ratio),
    callP95RatioLimited: rounded(callP95RatioLimited),
    tunnelMbPerSecond: rounded(TRANSFER_MIB / (median(transfers.tunnel) / 1000)),
    execMbPerSecond: rounded(TRANSFER_MIB / (median(transfers.exec) / 1000)),
    idleP95Ms: rounded(p95(reads.idle)),
    firstConnectionMs: rounded(readyMs),
    ok: ratio >= 0.15 && callP95Ratio <= 3 && callP95RatioLimited <= 1.6,
  };
}

/** The path is the number of MiB to send; "endless" sends until the client goes. */
async function pouringServer() {
  const piece = Buffer.alloc(256 * 1024);
  const server = createServer((request, response) => {
    const asked = Number(request.url?.slice(1));
    let left = request.url === "/endless" ? Number.POSITIVE_INFINITY : (asked || 0) * 4;
    const more = () => {
      while (left > 0 && !response.destroyed) {
        left -= 1;
        if (!response.write(piece)) return;
      }
      response.end();
    };
    response.on("drain", more);
    more();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function openNetworked(limits: EgressLimits) {
  await using opened = new AsyncDisposableStack();
  const egress = opened.use(
    new WorkspaceEgress({
      gate: { decide: async () => ({ outcome: "open", privateRanges: ["127.0.0.0/8"] }) },
      connector: new Connector({ resolve: async () => [{ address: "127.0.0.1", family: 4 }] }),
      limits,
      documents: NO_DOCUMENTS,
      log: () => {},
    }),
  );
  const lab = opened.use(await openLab({ poolSize: 0 }, undefined, egress));
  const workspace = await lab.open();
  await command(workspace, "head -c 1024 /dev/zero | tr '\\0' x > one-kb");
  const everything = opened.move();
  return { workspace, [Symbol.asyncDispose]: () => everything.disposeAsync() };
}

const NO_DOCUMENTS: Documents = {
  get: async () => undefined,
  set: async () => undefined,
  delete: async () => false,
  keys: async () => [],
};

/** The same bytes by the plainest way out of a container. */
async function readByExec(workspace: string): Promise<void> {
  const docker = new Dockerode();
  const filters = { label: [`deckhand.workspace=${workspace}`] };
  const [found] = await docker.listContainers({ filters });
  if (!found) throw new Error(`no container of workspace ${workspace}`);
  const exec = await docker.getContainer(found.Id).exec({
    Cmd: ["head", "-c", `${TRANSFER_MIB * MIB}`, "/dev/zero"],
    AttachStdin: true,
    AttachStdout: true,
  });
  const stream = await exec.start({ hijack: true, stdin: true });
  let bytes = 0;
  stream.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
  });
  await once(stream, "end");
  stream.destroy();
  if (bytes < TRANSFER_MIB * MIB) throw new Error(`the exec sent ${bytes} bytes only`);
}

async function beside(workspace: Workspace, url: string, count: number): Promise<number[]> {
  const { pid } = await startDownload(workspace, url);
  try {
    return await readTimes(workspace, count);
  } finally {
    await command(workspace, `kill ${pid}; true`);
  }
}

async function startDownload(workspace: Workspace, url: string): Promise<{ pid: string }> {
  const started = await command(
    workspace,
    `(curl -sSp -o /dev/null ${url}endless > /dev/null 2>&1 & echo "pid $!")`,
  );
  await sleep(500);
  return { pid: /pid (\d+)/.exec(String(started.output))?.[1] ?? "" };
}

async function readTimes(workspace: Workspace, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    times.push(
      await timed(() =>
        call(workspace, "file_operations", { operation: "read_file", filePath: "one-kb" }),
      ),
    );
  }
  return times;
}
