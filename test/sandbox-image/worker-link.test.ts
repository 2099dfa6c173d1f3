import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ExchangeLog } from "../../sandbox-image/server/files/exchange-log.ts";
import type { CallContext } from "../../sandbox-image/server/handlers.ts";
import { RemoteTerminals } from "../../sandbox-image/server/worker/remote-terminals.ts";
import { Workers } from "../../sandbox-image/server/worker/workers.ts";
import { LINE_LIMIT_BYTES } from "../../src/contract/workspace/channel.ts";

const TIMES = { pingMs: 20, silenceMs: 60_000, cancelMs: 200 };
const WRITE = {
  fingerprint: '["t","write",{}]',
  repeat: "unsafe",
  tool: "terminal_operations",
} as const;
const READ = { fingerprint: '["t","read",{}]', repeat: "safe", tool: "file_operations" } as const;
const EXCHANGES = [1, 2].map((n) => ({
  directory: "/w",
  target: `${n}`,
  fresh: `f${n}`,
  kept: `k${n}`,
}));

/** The worker's end of one connection, in the hands of the test. */
interface FakeWorker {
  readonly socket: Socket;
  readonly heard: Record<string, unknown>[];
  send(message: unknown): void;
  /** Resolves with the newest message of the kind. */
  hears(kind: string): Promise<Record<string, unknown>>;
}

let directory: string;
let server: Server;
let connections: FakeWorker[];
let log: string[];
let losses: { count: number };
let workers: Workers;

const ledger: ExchangeLog & { unfinished(): [] } = {
  begin: async (mark) => void log.push(`begin ${mark}`),
  exchanged: (mark) => void log.push(`exchanged ${mark}`),
  end: (mark) => void log.push(`end ${mark}`),
  unfinished: () => [],
};

function fakeWorker(socket: Socket): FakeWorker {
  const heard: Record<string, unknown>[] = [];
  let rest = "";
  socket.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString("utf8")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) heard.push(JSON.parse(line));
  });
  socket.on("error", () => {}); // cut off by the supervisor, as the tests expect
  // Pids that no process has: nothing on this machine is signalled.
  socket.write('{"worker":4194300,"launcher":4194301}\n');
  return {
    socket,
    heard,
    send: (message) =>
      socket.write(typeof message === "string" ? message : `${JSON.stringify(message)}\n`),
    hears: async (kind) => {
      await expect.poll(() => heard.findLast((one) => one.kind === kind)).toBeDefined();
      return heard.findLast((one) => one.kind === kind) ?? {};
    },
  };
}

async function open(times = TIMES): Promise<void> {
  [connections, log] = [[], []];
  // The worker of an earlier test may be lost only now: each test counts its own.
  const own = { count: 0 };
  losses = own;
  directory = mkdtempSync(join(tmpdir(), "deckhand-link-"));
  const path = join(directory, "socket");
  server = createServer((socket) => connections.push(fakeWorker(socket))).listen(path);
  await once(server, "listening");
  const reconnect = async () => {
    const socket = connect(path);
    await once(socket, "connect");
    return socket;
  };
  workers = new Workers({
    first: await reconnect(),
    ledger,
    times,
    onOutput: () => {},
    onLost: () => {
      own.count += 1;
    },
    onBroken: () => {}, // the server of the test has been closed
    reconnect,
  });
}

function close(): void {
  for (const { socket } of connections) socket.destroy();
  server.close();
  rmSync(directory, { recursive: true, force: true });
}

beforeEach(() => open());
afterEach(close);

const context = (changes: Partial<CallContext> = {}): CallContext => ({
  callId: "c1",
  conversation: "main",
  signal: new AbortController().signal,
  progress: () => {},
  ...changes,
});

async function worker(number = 0): Promise<FakeWorker> {
  await expect.poll(() => connections[number]).toBeDefined();
  return connections[number] as FakeWorker;
}

/** Answers pings, so that only the point of the test counts. */
function keepsAlive({ socket, heard, send }: FakeWorker): void {
  let pings = 0;
  socket.on("data", () => {
    const now = heard.filter(({ kind }) => kind === "ping").length;
    if (now > pings) send({ kind: "pong" });
    pings = now;
  });
}

async function expectReplaced(): Promise<void> {
  const next = await worker(1);
  const call = workers.call(READ, context());
  const { id } = await next.hears("call");
  next.send({ kind: "done", id, result: { success: true, from: "the next" } });
  expect(await call).toMatchObject({ success: true, from: "the next" });
  expect(losses.count).toBe(1);
}

describe("the supervisor and an honest worker", () => {
  it("says what runs in the background, and takes it that something does while the worker is slow", async () => {
    const terminals = new RemoteTerminals(() => workers, { agentUid: 1000, tunnelUid: 997 });
    const first = await worker();
    for (const backgroundRunning of [2, 0]) {
      const asked = terminals.backgroundRunning();
      await expect.poll(() => first.heard.filter(({ kind }) => kind === "ask")).not.toEqual([]);
      const { id } = await first.hears("ask");
      first.heard.length = 0;
      first.send({ kind: "answer", id, value: { owners: [], backgroundRunning } });
      expect(await asked).toBe(backgroundRunning);
    }
    expect(await terminals.backgroundRunning()).toBe(1);
    const lost = terminals.backgroundRunning();
    first.socket.destroy();
    expect(await lost).toBe(0);
  });

  it("passes a call on, holds it until it is recorded, and passes progress and result back", async () => {
    const recorded = Promise.withResolvers<void>();
    const progress: string[] = [];
    const call = workers.call(
      WRITE,
      context({
        checkedPaths: new Set(["/w/a"]),
        requester: "Bea <web:bea>",
        recorded: () => recorded.promise,
        progress: (text) => progress.push(text),
      }),
    );
    const one = await worker();
    const sent = await one.hears("call");
    expect(sent).toMatchObject({ waits: true, call: ["t", "write", {}] });
    expect(sent.context).toMatchObject({
      callId: "c1",
      checkedPaths: ["/w/a"],
      requester: "Bea <web:bea>",
    });
    expect(one.heard.some(({ kind }) => kind === "recorded")).toBe(false);
    recorded.resolve();
    await one.hears("recorded");
    one.send({ kind: "progress", id: sent.id, text: "half" });
    one.send({ kind: "done", id: sent.id, result: { success: true, n: 1 } });
    expect(await call).toEqual({ success: true, n: 1 });
    expect(progress).toEqual(["half"]);
  });

  it("records a change of several files before it is made", async () => {
    const call = workers.call(WRITE, context());
    const one = await worker();
    const { id } = await one.hears("call");
    one.send({ kind: "begin", mark: "m", exchanges: EXCHANGES });
    await one.hears("stored");
    one.send({ kind: "exchanged", mark: "m" });
    one.send({ kind: "end", mark: "m" });
    one.send({ kind: "done", id, result: { success: true } });
    await call;
    expect(log).toEqual(["begin m", "exchanged m", "end m"]);
  });

  it("reports a failed call as a failure, and keeps the worker", async () => {
    const call = workers.call(WRITE, context());
    const one = await worker();
    const { id } = await one.hears("call");
    const result = { success: false, kind: "executionFailed", message: "no such file" };
    one.send({ kind: "done", id, result });
    expect(await call).toEqual(result);
    expect(losses.count).toBe(0);
  });
});

const DONE = { kind: "done", id: 1, result: { success: true } };
const ALIEN: Record<string, (id: unknown) => unknown> = {
  "a line that is not JSON": () => "hello\n",
  "JSON of another kind": () => ({ kind: "shutdown" }),
  "an array": () => [],
  "a JSON-RPC answer": () => ({ jsonrpc: "2.0", id: 1, result: {} }),
  "a result without success": (id) => ({ kind: "done", id, result: {} }),
  "a result that is a string": (id) => ({ kind: "done", id, result: "fine" }),
  "a result with a kind of its own": (id) => ({
    kind: "done",
    id,
    result: { success: false, kind: "root" },
  }),
  "a result of an unknown call": () => ({ ...DONE, id: 77 }),
  "an answer to a call": (id) => ({ kind: "answer", id, value: {} }),
  "a negative id": () => ({ ...DONE, id: -1 }),
  "progress of an unknown call": () => ({ kind: "progress", id: 99, text: "x" }),
  "progress without end": (id) => ({ kind: "progress", id, text: "x".repeat(100_000) }),
  "the end of an unknown change": () => ({ kind: "end", mark: "m" }),
  "a change of one file": () => ({ kind: "begin", mark: "m", exchanges: EXCHANGES.slice(1) }),
  "output without an index": () => ({ kind: "output", piece: { session_id: "main", output: "x" } }),
  "a line over the limit": () => `${"x".repeat(LINE_LIMIT_BYTES + 1)}\n`,
  "a line over the limit that never ends": () => "x".repeat(LINE_LIMIT_BYTES + 1),
};

describe("the supervisor and a hostile worker", () => {
  it.each(Object.entries(ALIEN))("cuts it off and starts another: %s", async (_what, alien) => {
    const call = workers.call(WRITE, context());
    const one = await worker();
    const { id } = await one.hears("call");
    one.send(alien(id));
    const result = await call;
    expect(result).toMatchObject({ success: false, outcome: "unknown" });
    expect(result.message).toContain("worker process sent malformed data");
    await expectReplaced();
  });

  it("cuts it off for a second answer to one call", async () => {
    const call = workers.call(READ, context());
    const one = await worker();
    const { id } = await one.hears("call");
    one.send({ kind: "done", id, result: { success: true } });
    one.send({ kind: "done", id, result: { success: false } });
    expect(await call).toEqual({ success: true });
    await expectReplaced();
  });

  it("cuts it off for more changes than it has calls", async () => {
    void workers.call(WRITE, context());
    const one = await worker();
    await one.hears("call");
    one.send({ kind: "begin", mark: "a", exchanges: EXCHANGES });
    one.send({ kind: "begin", mark: "b", exchanges: EXCHANGES });
    await expectReplaced();
    expect(log).toEqual(["begin a"]);
  });

  it("replaces one that is silent", async () => {
    close();
    await open({ ...TIMES, silenceMs: 300 });
    const call = workers.call(WRITE, context());
    expect((await call).message).toContain("stopped responding");
    await expectReplaced();
  });

  it("replaces one that does not end a cancelled call", async () => {
    const stop = new AbortController();
    const call = workers.call(WRITE, context({ signal: stop.signal }));
    const one = await worker();
    keepsAlive(one);
    await one.hears("call");
    stop.abort();
    await one.hears("cancel");
    expect(await call).toMatchObject({ outcome: "unknown" });
    await expectReplaced();
  });
});

describe("a worker that dies", () => {
  it.each([
    ["before the call was recorded", () => new Promise<void>(() => {})],
    ["after the call was recorded", async () => {}],
  ])("leaves an unsafe call unknown: %s", async (_when, recorded) => {
    const call = workers.call(WRITE, context({ recorded }));
    const one = await worker();
    await one.hears("call");
    one.socket.destroy();
    const result = await call;
    expect(result).toMatchObject({ success: false, outcome: "unknown" });
    expect(result.message).toContain("was killed or crashed");
    await expectReplaced();
  });

  it("leaves a safe call to be tried again", async () => {
    const call = workers.call(READ, context());
    const one = await worker();
    await one.hears("call");
    one.socket.destroy();
    const result = await call;
    expect(result.outcome).toBeUndefined();
    expect(result.message).toContain("try again");
  });

  it("fails requests about terminals, and calls wait for the next worker", async () => {
    const asked = workers.ask("terminals", {});
    const one = await worker();
    await one.hears("ask");
    one.socket.destroy();
    await expect(asked).rejects.toThrow(/killed or crashed/);
    await expectReplaced();
  });

  it("is mentioned once in each conversation's next terminal result", async () => {
    const one = await worker();
    one.socket.destroy();
    const next = await worker(1);
    for (const [conversation, hasNotice] of [
      ["a", true],
      ["a", false],
      ["b", true],
    ] as const) {
      next.heard.length = 0;
      const call = workers.call(WRITE, context({ conversation }));
      const { id } = await next.hears("call");
      next.send({ kind: "done", id, result: { success: true } });
      expect("notice" in (await call)).toBe(hasNotice);
    }
  });
});
