import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EgressDecision, HostRequest } from "../../../src/contract/network.ts";
import {
  connectThrough,
  dial,
  endOf,
  exchangeBytes,
  readAll,
  socksThrough,
} from "../../support/network/clients.ts";
import {
  CONVERSATION,
  LocalTunnel,
  type LocalTunnelOptions,
  memoryDocuments,
} from "../../support/network/local-tunnel.ts";
import { caseCount } from "../../support/thorough.ts";
import { until } from "../../support/until.ts";

let closes: AsyncDisposableStack;
beforeEach(() => {
  closes = new AsyncDisposableStack();
});
afterEach(() => closes.disposeAsync());

async function tunnelWith(options: LocalTunnelOptions = {}): Promise<LocalTunnel> {
  const tunnel = closes.use(await LocalTunnel.start(options));
  await until(
    () =>
      dial(tunnel.port).then(
        (socket) => socket.destroy() !== undefined,
        () => false,
      ),
    "the proxy",
  );
  return tunnel;
}

/** A TCP server of this machine, in whose hands each connection is. */
async function serverOf(serve: (socket: Socket) => void): Promise<number> {
  const server = createTcpServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => {}); // resets are under test
    serve(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  closes.defer(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function webOf(serve: (request: IncomingMessage) => string): Promise<number> {
  const server = createServer((request, response) => response.end(serve(request)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closes.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const echo = (socket: Socket) => void socket.pipe(socket);

describe("the tunnel's proxy", () => {
  it("carries CONNECT, plain HTTP and SOCKS5 with a host name, each with its own ends", async () => {
    const { port } = await tunnelWith();
    const echoPort = await serverOf(echo);
    const opened = await connectThrough(port, `site.test:${echoPort}`);
    expect(opened.status).toBe(200);
    opened.socket.end("through CONNECT");
    expect((await readAll(opened.socket)).toString()).toBe("through CONNECT");
    const socks = await socksThrough(port, "site.test", echoPort);
    expect(socks.code).toBe(0);
    socks.socket.end("through SOCKS");
    expect((await readAll(socks.socket)).toString()).toBe("through SOCKS");
    const webPort = await webOf(({ method, url, headers }) => `${method} ${url} ${headers.host}`);
    const plain = await exchangeBytes(
      port,
      `GET http://site.test:${webPort}/a?b=c HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(plain.toString()).toMatch(new RegExp(`GET /a\\?b=c site\\.test:${webPort}$`));
  });

  it("chooses the route by the URI's authority, whatever the Host header says", async () => {
    const asked: HostRequest[] = [];
    const { port } = await tunnelWith({
      gate: deciding(asked, { outcome: "refused", reason: "No." }),
    });
    await exchangeBytes(
      port,
      "POST http://bad.test/x HTTP/1.1\r\nHost: good.test\r\nUser-Agent: p/1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    );
    expect(asked).toEqual([
      { host: "bad.test", port: 80, via: "http", method: "POST", path: "/x", program: "p/1" },
    ]);
  });

  it("answers a refused host with 403 and the reason at once, on all three ways", async () => {
    const reason = "bad.test:443 is not open. Ask for it.";
    const { port, egress } = await tunnelWith({
      gate: deciding([], { outcome: "refused", reason }),
    });
    const { head, status, socket } = await connectThrough(port, "BAD.test.:443");
    expect(status).toBe(403);
    expect(head).toMatch(/^HTTP\/1\.1 403 Forbidden/);
    expect((await readAll(socket)).toString()).toContain(reason);
    expect((await socksThrough(port, "bad.test", 443)).code).toBe(2);
    const plain = await exchangeBytes(
      port,
      "GET http://bad.test/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    );
    expect(plain.toString()).toMatch(/^HTTP\/1\.1 403/);
    expect(plain.toString()).toContain(reason);
    const refused = egress.refusals(CONVERSATION, 0);
    expect(refused).toMatchObject([
      { host: "bad.test", port: 443, because: "policy", reason, count: 2, program: "test/1" },
      { host: "bad.test", port: 80, because: "policy" },
    ]);
  });

  it("refuses when the gate throws or does not answer", { timeout: 60_000 }, async () => {
    const failing = await tunnelWith({
      gate: { decide: () => Promise.reject(new Error("store")) },
    });
    expect((await connectThrough(failing.port, "site.test:443")).status).toBe(403);
    const silent = await tunnelWith({ gate: { decide: () => new Promise(() => {}) } });
    expect((await connectThrough(silent.port, "site.test:443")).status).toBe(403);
  });

  it("refuses a host whose addresses are inside, and says so in the refusals", async () => {
    const { port, egress } = await tunnelWith({
      gate: { decide: async () => ({ outcome: "open" }) },
    });
    for (const authority of [
      "site.test:80",
      "127.0.0.1:80",
      "[::1]:80",
      "0x7f.1:80",
      "169.254.169.254:80",
    ]) {
      expect((await connectThrough(port, authority)).status, authority).toBe(403);
    }
    expect(egress.refusals(CONVERSATION, 0).every(({ because }) => because === "address")).toBe(
      true,
    );
  });

  it.each([
    ["no proxy request", "GET / HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["https without CONNECT", "GET https://site.test/ HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["garbage", "hello\r\n\r\n"],
    ["TLS", Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3, 0, 0, 13, 10, 13, 10])],
    ["CONNECT without a port", "CONNECT site.test HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["CONNECT with a user", "CONNECT user@site.test:1 HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["a user in the URI", "GET http://a:b@site.test/ HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["a backslash in the URI", "GET http://good.test\\@bad.test/ HTTP/1.1\r\nHost: x\r\n\r\n"],
  ])("answers %s with 400 and says what to do", async (_kind, bytes) => {
    const { port, egress } = await tunnelWith();
    const answer = (await exchangeBytes(port, bytes)).toString();
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request/);
    expect(answer.split("\r\n\r\n")[1]).toMatch(/\.\s*$/);
    expect(await egress.usage(CONVERSATION)).toEqual([]);
  });

  it("refuses what SOCKS offers beyond TCP connections, and names that are none", async () => {
    const { port } = await tunnelWith();
    expect((await socksThrough(port, "site.test", 53, 3)).code).toBe(7);
    expect((await socksThrough(port, "site.test", 53, 2)).code).toBe(7);
    expect((await socksThrough(port, "site\0.test", 443)).code).toBe(8);
    expect((await socksThrough(port, Buffer.from([0xff, 0xfe, 0x41]), 443)).code).toBe(8);
    const answer = await exchangeBytes(port, Buffer.from([4, 1, 0, 80, 127, 0, 0, 1, 0]));
    expect([...answer]).toEqual([0, 0x5b, 0, 0, 0, 0, 0, 0]);
  });
});

describe("connections through the tunnel", () => {
  it("show a reset in the middle of a body as an error, never as a clean end", async () => {
    const { port } = await tunnelWith();
    const resetting = await serverOf((socket) =>
      socket.once("data", () =>
        socket.write("HTTP/1.1 200 OK\r\n\r\nhalf", () =>
          setImmediate(() => socket.resetAndDestroy()),
        ),
      ),
    );
    const opened = await connectThrough(port, `site.test:${resetting}`);
    opened.socket.write("GET / HTTP/1.0\r\n\r\n");
    expect(await endOf(opened.socket)).toBe("reset");
    const socks = await socksThrough(port, "site.test", resetting);
    socks.socket.write("GET / HTTP/1.0\r\n\r\n");
    expect(await endOf(socks.socket)).toBe("reset");
    const plain = await dial(port);
    plain.write(`GET http://site.test:${resetting}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(await endOf(plain)).toBe("reset");
  });

  it("reset the server's side when the program gives up", async () => {
    const { port } = await tunnelWith();
    const ends: Promise<string>[] = [];
    const listening = await serverOf((socket) => ends.push(endOf(socket)));
    const opened = await connectThrough(port, `site.test:${listening}`);
    opened.socket.write("half");
    await until(() => ends.length === 1, "the connection");
    opened.socket.resetAndDestroy();
    expect(await ends[0]).toBe("reset");
  });

  it("go on in both directions when all of them are busy", { timeout: 120_000 }, async () => {
    const { port } = await tunnelWith();
    const bytes = 64 * 1024;
    const both = await serverOf((socket) => {
      socket.resume();
      pour(socket, bytes);
    });
    const moved = new Map<string, number>();
    for (let index = 0; index < 8; index += 1) {
      const up = (await connectThrough(port, `site.test:${both}`)).socket;
      pour(up, bytes);
      for (const direction of ["down", "up"]) moved.set(`${direction} ${index}`, 0);
      up.on("data", (piece: Buffer) => add(moved, `down ${index}`, piece.length));
      up.on("drain", () => add(moved, `up ${index}`, bytes));
    }
    const seconds = caseCount({ perChange: 3, all: 30 });
    for (let second = 0; second < seconds; second += 1) {
      const before = new Map(moved);
      const isMoving = () => [...moved].every(([name, now]) => now > (before.get(name) ?? 0));
      await until(isMoving, "progress of every connection in both directions", {
        withinMs: 10_000,
        seen: () => [...moved],
      });
      await new Promise((resolve) => setTimeout(resolve, 1_000).unref());
    }
  });

  it("may be given up by the thousand, and be short: the session and its descriptors stay", {
    timeout: 600_000,
  }, async () => {
    const { port, service, program } = await tunnelWith();
    const echoPort = await serverOf(echo);
    let hasEnded = false;
    void service.ended.then(() => {
      hasEnded = true;
    });
    const descriptors = async () =>
      (await import("node:fs")).readdirSync(`/proc/${program.pid}/fd`).length;
    // Once the program has served one, it has opened all that it keeps.
    const first = await connectThrough(port, `site.test:${echoPort}`);
    first.socket.end("first");
    expect((await readAll(first.socket)).toString()).toBe("first");
    const base = await descriptors();
    await inBatches(caseCount({ perChange: 1_500, all: 4_000 }), async () => {
      const { socket } = await connectThrough(port, `site.test:${echoPort}`);
      socket.write("some bytes");
      socket.resetAndDestroy();
    });
    await inBatches(caseCount({ perChange: 300, all: 10_000 }), async () => {
      const { socket } = await connectThrough(port, `site.test:${echoPort}`);
      socket.end("short");
      expect((await readAll(socket)).toString()).toBe("short");
    });
    expect(hasEnded).toBe(false);
    await until(async () => (await descriptors()) <= base + 2, "descriptors back at base", {
      seen: descriptors,
    });
  });

  it("that stall do not fill memory or keep a new one waiting", { timeout: 300_000 }, async () => {
    const { port } = await tunnelWith();
    const webPort = await webOf(() => "served");
    const held: Socket[] = [];
    const pouring = await serverOf((socket) => pour(socket, 64 * 1024));
    const deaf = await serverOf((socket) => void held.push(socket.pause()));
    global.gc?.();
    const before = process.memoryUsage().rss;
    for (let index = 0; index < 64; index += 1) {
      held.push((await connectThrough(port, `site.test:${pouring}`)).socket.pause());
      const up = (await connectThrough(port, `site.test:${deaf}`)).socket;
      pour(up, 64 * 1024);
      held.push(up);
    }
    const answer = await exchangeBytes(
      port,
      `GET http://site.test:${webPort}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(answer.toString()).toMatch(/served$/);
    // The clients and servers of the test are in this process as well, with what the kernel does not take from them.
    expect((process.memoryUsage().rss - before) / 1024 / 1024).toBeLessThan(200);
    for (const socket of held) socket.destroy();
  });

  it("are limited in bytes, number and rate, with a message that says so", async () => {
    const documents = memoryDocuments();
    const limits = { bytes: 100_000, connections: 2 };
    const { port, egress } = await tunnelWith({ limits, documents });
    const echoPort = await serverOf(echo);
    const open = [1, 2].map(() => connectThrough(port, `site.test:${echoPort}`));
    const [first, second] = await Promise.all(open);
    const third = await connectThrough(port, `site.test:${echoPort}`);
    expect(third.status).toBe(429);
    expect((await readAll(third.socket)).toString()).toContain("2 connections are open");
    second?.socket.destroy();
    first?.socket.write(Buffer.alloc(60_000));
    expect(first && (await endOf(first.socket))).toBe("reset");
    const reasons = () => egress.refusals(CONVERSATION, 0).map(({ reason }) => reason);
    expect(reasons().at(-1)).toMatch(/used its network limit/);
    await until(async () => {
      const { socket, status } = await connectThrough(port, `site.test:${echoPort}`);
      return (
        status === 429 && (await readAll(socket)).toString().includes("used its network limit")
      );
    }, "the byte limit for new connections");
    const [usage] = await egress.usage(CONVERSATION);
    expect(usage).toMatchObject({ host: "site.test", port: echoPort, connections: 2 });
    egress.forget(CONVERSATION);
    expect((await connectThrough(port, `site.test:${echoPort}`)).status).toBe(200);
    await egress[Symbol.asyncDispose]();
    expect(await documents.get(CONVERSATION)).toMatchObject({ hosts: [{ host: "site.test" }] });
  });

  it("share the rate that is set", { timeout: 60_000 }, async () => {
    const { port } = await tunnelWith({ limits: { bytesPerSecond: 4 * 1024 * 1024 } });
    const amount = 6 * 1024 * 1024;
    const sending = await serverOf((socket) => void socket.end(Buffer.alloc(amount)));
    const startedAt = performance.now();
    const { socket } = await connectThrough(port, `site.test:${sending}`);
    expect((await readAll(socket)).length).toBe(amount);
    expect(performance.now() - startedAt).toBeGreaterThan(1_200);
  });

  it("are cut when their permission is revoked, and reported", async () => {
    const { port, egress } = await tunnelWith();
    const echoPort = await serverOf(echo);
    const reports: unknown[] = [];
    egress.onConnection((report) => reports.push(report));
    const { socket } = await connectThrough(port, `site.test:${echoPort}`);
    egress.disconnect(CONVERSATION, ({ host }) => host === "site.test");
    expect(await endOf(socket)).toBe("reset");
    await until(() => reports.length === 1, "the report");
    expect(reports).toMatchObject([
      {
        conversation: CONVERSATION,
        host: "site.test",
        address: "127.0.0.1",
        error: expect.stringContaining("revoked"),
      },
    ]);
  });
});

describe("the end of a tunnel", () => {
  it("ends the program when the bot goes, and resets what it carried", async () => {
    const tunnel = await tunnelWith();
    const echoPort = await serverOf(echo);
    const { socket } = await connectThrough(tunnel.port, `site.test:${echoPort}`);
    const exited = once(tunnel.program, "exit");
    tunnel.program.stdin?.destroy();
    expect(await endOf(socket)).toBe("reset");
    await exited;
  });

  it("ends the session when the program is killed, and frees the connections to servers", async () => {
    const tunnel = await tunnelWith();
    const ends: Promise<string>[] = [];
    const listening = await serverOf((socket) => ends.push(endOf(socket)));
    const { socket } = await connectThrough(tunnel.port, `site.test:${listening}`);
    pour(socket, 64 * 1024);
    await until(() => ends.length === 1, "the connection");
    tunnel.program.kill("SIGKILL");
    expect(await tunnel.service.ended).toMatch(/\.$/);
    expect(await ends[0]).toBe("reset");
    tunnel.startProgram();
    await until(
      async () =>
        (await connectThrough(tunnel.port, `site.test:${listening}`).catch(() => undefined))
          ?.status === 200,
      "the next one",
    );
  });

  it("ends the session of a program that is stopped", { timeout: 60_000 }, async () => {
    const tunnel = await tunnelWith();
    expect(await tunnel.service.isAlive()).toBe(true);
    tunnel.program.kill("SIGSTOP");
    expect(await tunnel.service.isAlive()).toBe(false);
    expect(await tunnel.service.ended).toBe("The tunnel's program does not respond.");
  });
});

function deciding(asked: HostRequest[], decision: EgressDecision) {
  return {
    decide: async (_conversation: string, request: HostRequest) => {
      asked.push(request);
      return decision;
    },
  };
}

/** Writes for ever, as fast as it is taken. */
function pour(socket: Socket, bytes: number): void {
  const piece = Buffer.alloc(bytes);
  const more = () => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on("drain", () => setImmediate(more));
  more();
}

function add(counts: Map<string, number>, name: string, amount: number): void {
  counts.set(name, (counts.get(name) ?? 0) + amount);
}

async function inBatches(count: number, work: () => Promise<void>): Promise<void> {
  for (let done = 0; done < count; done += 50) {
    await Promise.all(Array.from({ length: Math.min(50, count - done) }, work));
  }
}
