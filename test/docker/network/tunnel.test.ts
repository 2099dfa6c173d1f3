import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Workspace } from "../../../src/contract/workspace/workspace.ts";
import { command, docker, startEngine } from "../../support/engine.ts";
import {
  asRoot,
  egressFor,
  type NetworkedEngine,
  startNetworkedEngine,
  tunnelPids,
} from "../../support/network/networked-engine.ts";
import { until } from "../../support/until.ts";

const THREAD = "t/networked";
const fence = 1;

describe("a workspace's tunnel", () => {
  const closes = new AsyncDisposableStack();
  let engine: NetworkedEngine;
  let workspace: Workspace;
  let container: string;
  let web: number;
  let endless: number;

  beforeAll(async () => {
    const server = createServer((_, response) => response.end("from outside")).listen(
      0,
      "127.0.0.1",
    );
    await once(server, "listening");
    closes.defer(() => void server.close());
    web = (server.address() as AddressInfo).port;
    const piece = Buffer.alloc(64 * 1024);
    const pouring = createTcpServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n");
      const more = () => {
        while (!socket.destroyed && socket.write(piece));
      };
      socket.on("error", () => {}); // cut by the faults under test
      socket.on("drain", () => setImmediate(more));
      more();
    }).listen(0, "127.0.0.1");
    await once(pouring, "listening");
    closes.defer(() => void pouring.close());
    endless = (pouring.address() as AddressInfo).port;
    engine = closes.use(await startNetworkedEngine());
    workspace = await engine.workspaces.open(THREAD, { fence });
    container = await engine.containerOf(THREAD);
  });
  afterAll(() => closes.disposeAsync());

  const curl = (more = "", port = web) =>
    command(workspace, `curl -sS -m 30 ${more} http://site.test:${port}/`);
  const download = (seconds = 60) =>
    command(
      workspace,
      `curl -sS -m ${seconds} -o /dev/null -p http://site.test:${endless}/; echo "code $?"`,
    );

  it("costs nothing before the first connection, and serves that one", async () => {
    await command(workspace, "true");
    expect(await tunnelPids(container)).toEqual([]);
    expect((await curl()).output).toContain("from outside");
    expect(await tunnelPids(container)).toHaveLength(1);
    expect((await curl("-p")).output).toContain("from outside");
    expect((await curl(`--proxy '' --socks5-hostname 127.0.0.1:3128`)).output).toContain(
      "from outside",
    );
    expect(await tunnelPids(container)).toHaveLength(1);
    const [usage] = await engine.egress.usage(THREAD);
    expect(usage).toMatchObject({ host: "site.test", port: web, connections: 3 });
  });

  it("runs as a user of its own without any right, whom the workload can neither signal nor read", async () => {
    const [pid] = await tunnelPids(container);
    const keepers = (await asRoot(container, "pgrep -u deckhand-net")).split("\n");
    expect(keepers).toHaveLength(2);
    for (const one of keepers) {
      const status = await asRoot(container, `cat /proc/${one}/status`);
      expect(status).toMatch(/^Uid:\t997\t997\t997\t997$/m);
      expect(status).toMatch(/^Groups:\t\s*$/m);
      expect(status).toMatch(/^NoNewPrivs:\t1$/m);
      for (const set of ["Inh", "Prm", "Eff", "Bnd", "Amb"]) {
        expect(status).toContain(`Cap${set}:\t${"0".repeat(16)}\n`);
      }
      const attack = [
        `for s in 9 19 15 10 2; do kill -$s ${one} && echo SIGNALLED; done`,
        `for f in mem environ fd maps cwd root exe stack syscall; do ls -l /proc/${one}/$f/ && echo READ; head -c1 /proc/${one}/$f && echo READ; done`,
        `python3 -c 'import ctypes; r = ctypes.CDLL(None).ptrace(16, ${one}, 0, 0); print("TRACED" if r == 0 else "no")'`,
        `python3 -c 'import ctypes; r = ctypes.CDLL(None).syscall(434, ${one}, 0); r >= 0 and ctypes.CDLL(None).syscall(438, r, 3, 0) >= 0 and print("STOLEN")'`,
      ].join("\n");
      const { output } = await command(workspace, `( ${attack} ) 2>/dev/null; true`);
      expect(output).not.toMatch(/SIGNALLED|READ|TRACED|STOLEN/);
    }
    expect(await tunnelPids(container)).toEqual([pid]);
  });

  it("does not count as something that the workload runs", async () => {
    const { processes } = await workspace.census();
    expect(processes.filter(({ command: line }) => !line.includes("bash"))).toEqual([]);
    expect((await workspace.killAll()).processes).toEqual([]);
    expect(await tunnelPids(container)).toHaveLength(1);
    expect((await curl()).output).toContain("from outside");
  });

  it("keeps its port: the workload can listen on it at no address where programs would find it", async () => {
    const script = `python3 - <<'END'
import socket
for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")):
    for option in (None, socket.SO_REUSEADDR, socket.SO_REUSEPORT):
        s = socket.socket(family)
        if option: s.setsockopt(socket.SOL_SOCKET, option, 1)
        try: s.bind((address, 3128)); s.listen(); print("LISTENS", address, option)
        except OSError: pass
END
curl -sS -m 5 --unix-socket /run/deckhand-gate http://x/ && echo OPENED; true`;
    const { output } = await command(workspace, script);
    expect(output).not.toMatch(/LISTENS|OPENED/);
    await asRoot(container, `kill -9 ${(await tunnelPids(container)).join(" ")}`);
    expect((await command(workspace, script)).output).not.toMatch(/LISTENS|OPENED/);
    expect((await curl()).output).toContain("from outside");
  });

  it("reports that another process has the port once the gatekeeper is gone, and starts when it is free", async () => {
    // It waits for the port, and takes it before the bot has started another tunnel.
    const taker = `import socket, time
s = socket.socket(); s.setsockopt(1, 2, 1)
while True:
    try: s.bind(("127.0.0.1", 3128)); break
    except OSError: time.sleep(0.001)
s.listen(); time.sleep(600)`;
    await asRoot(container, `setsid -f python3 -c '${taker}' < /dev/null > /dev/null 2>&1`);
    await asRoot(container, "pkill -9 -u deckhand-net; true");
    await until(
      async () => (await command(workspace, "true")).notice?.includes("port 3128"),
      "the notice",
    );
    await asRoot(container, "pkill -9 -f time.slee[p]");
    await until(async () => String((await curl()).output).includes("from outside"), "the tunnel", {
      withinMs: 40_000,
    });
    await docker("restart", "-t", "0", container);
    expect((await curl()).output).toContain("from outside");
  });

  it("ends a download with an error when its program is killed or stopped, and serves the next one", async () => {
    for (const signal of ["KILL", "STOP"]) {
      const running = download();
      await until(async () => (await flowing(engine, endless)) > 0, "the download");
      await asRoot(container, `kill -${signal} ${(await tunnelPids(container)).join(" ")}`);
      expect((await running).output).toMatch(/code (18|35|52|55|56)/);
      expect((await curl()).output).toContain("from outside");
      expect(await tunnelPids(container)).toHaveLength(1);
    }
  });

  it("is taken over by the replica that starts one last", async () => {
    const other = egressFor();
    closes.defer(() => other[Symbol.asyncDispose]());
    const again = await engine.again({ network: other });
    workspace = await again.open(THREAD, { fence: 2 });
    await asRoot(container, `kill -9 ${(await tunnelPids(container)).join(" ")}`);
    expect((await curl()).output).toContain("from outside");
    expect(await other.usage(THREAD)).toMatchObject([{ host: "site.test" }]);
    expect(await tunnelPids(container)).toHaveLength(1);
    await again.close();
    await until(async () => (await tunnelPids(container)).length === 0, "no tunnel after its bot");
    workspace = await engine.workspaces.open(THREAD, { fence: 3 });
    // Back with the first one, which never lost its channel.
    expect((await curl()).output).toContain("from outside");
  });

  it("ends with a bot that is killed, and its programs see a closed connection", async () => {
    const own = closes.use(await startEngine());
    const program = join(import.meta.dirname, "../../support/network/doomed-bot.ts");
    const url = `http://site.test:${endless}/`;
    const bot = spawn(process.execPath, [program, own.dataDir, "t/doomed", url], {
      stdio: "inherit",
    });
    let doomed = "";
    await until(async () => {
      [doomed = ""] = await own.containers();
      return doomed !== "" && (await tunnelPids(doomed).catch(() => [])).length === 1;
    }, "the tunnel of the other bot");
    bot.kill("SIGKILL");
    await until(async () => (await tunnelPids(doomed)).length === 0, "no tunnel after its bot");
    await until(
      () => asRoot(doomed, "cat /workspace/ended").catch(() => ""),
      "the end of the download",
    );
    expect(await asRoot(doomed, "cat /workspace/ended")).toMatch(/code (18|52|56)/);
    const answered = await asRoot(
      doomed,
      "curl -s -m 20 -o /dev/null -w '%{http_code}' -x http://127.0.0.1:3128 http://site.test/",
    );
    expect(answered).toBe("503");
  });

  it("lets the container be removed within two seconds during a download", async () => {
    const running = download().catch(() => undefined);
    await until(async () => (await flowing(engine, endless)) > 0, "the download");
    const startedAt = performance.now();
    await engine.workspaces.reset(THREAD);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await running;
    workspace = await engine.workspaces.open(THREAD, { fence: 4 });
    container = await engine.containerOf(THREAD);
    const second = download().catch(() => undefined);
    await until(async () => (await flowing(engine, endless)) > 0, "the download");
    const removalAt = performance.now();
    await promisify(execFile)("docker", ["rm", "--force", container]);
    expect(performance.now() - removalAt).toBeLessThan(2_000);
    await second;
  });
});

/** Bytes that came in during a moment. */
async function flowing(engine: NetworkedEngine, port: number): Promise<number> {
  const total = async () =>
    (await engine.egress.usage(THREAD)).find((one) => one.port === port)?.bytesDown ?? 0;
  const before = await total();
  await new Promise((resolve) => setTimeout(resolve, 50));
  return (await total()) - before;
}
