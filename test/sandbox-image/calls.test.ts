import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { Calls } from "../../sandbox-image/server/calls.ts";
import { LatchLedger } from "../../sandbox-image/server/latch-ledger.ts";
import type { Ledger, LedgerEntry } from "../../sandbox-image/server/ledger.ts";
import { serve, Tools } from "../../sandbox-image/server/tools.ts";
import { defineTool, type OperationResult } from "../../src/contract/tools/operation.ts";
import type { CallMeta } from "../../src/contract/workspace/channel.ts";

const probe = defineTool({
  name: "probe",
  description: "counts",
  operations: {
    add: {
      summary: "adds",
      repeat: "unsafe",
      level: "standard",
      category: "write",
      line: () => "Adding",
      params: z.object({ by: z.number(), ms: z.number().default(0) }),
    },
    look: {
      summary: "looks",
      repeat: "safe",
      level: "safe",
      category: "read",
      line: () => "Looking",
      params: z.object({}),
    },
    break: {
      summary: "breaks",
      repeat: "unsafe",
      level: "standard",
      category: "write",
      line: () => "Breaking",
      params: z.object({}),
    },
  },
});

class MemoryLedger implements Ledger {
  fence = 0;
  readonly entries = new Map<string, LedgerEntry>();
  raiseFence(fence: number) {
    this.fence = Math.max(this.fence, fence);
  }
  find(id: string) {
    return this.entries.get(id);
  }
  async start(id: string, digest: string) {
    this.entries.set(id, { state: "started", digest });
    return true;
  }
  finish(id: string, digest: string, result: OperationResult) {
    this.entries.set(id, { state: "finished", digest, result });
  }
}

/** A server's calls over a ledger, and how often they really ran. */
function server(ledger: Ledger) {
  const ran = { add: 0, look: 0 };
  const tools = new Tools([
    serve(probe, {
      add: async ({ by, ms }, { signal, progress }) => {
        ran.add += by;
        progress("adding");
        await sleep(ms, undefined, { signal }).catch(() => {});
        return { total: ran.add, stopped: signal.aborted };
      },
      look: async () => {
        ran.look += 1;
        return { total: ran.add };
      },
      break: async () => {
        throw new TypeError("a bug");
      },
    }),
  ]);
  const calls = new Calls(tools, ledger);
  const send = (
    args: Record<string, unknown>,
    meta: CallMeta = {},
    signal = new AbortController().signal,
  ) => calls.run({ tool: "probe", args, meta, signal, onProgress: () => {} });
  return { calls, ran, send };
}

const add = { operation: "add", by: 1 };

describe("calls", () => {
  it("runs one id once, however often and however early it comes again", async () => {
    const { ran, send } = server(new MemoryLedger());
    const meta = { "deckhand/call": "c1" };
    const slow = { ...add, ms: 30 };
    const results = await Promise.all([send(slow, meta), send(slow, meta), send(slow, meta)]);
    expect(await send(slow, meta)).toEqual(results[0]);
    expect(results[1]).toEqual(results[0]);
    expect(ran.add).toBe(1);
  });

  it("refuses an id that was used for another call", async () => {
    const { ran, send } = server(new MemoryLedger());
    await send(add, { "deckhand/call": "c1" });
    const other = await send({ ...add, by: 5 }, { "deckhand/call": "c1" });
    expect(other).toMatchObject({ success: false, kind: "invalidParameters" });
    expect(ran.add).toBe(1);
  });

  it("says unknown, and runs nothing, for a call that a former server had begun", async () => {
    const ledger = new MemoryLedger();
    const former = server(ledger);
    void former.send({ ...add, ms: 60_000 }, { "deckhand/call": "c1" });
    await expect.poll(() => former.ran.add).toBe(1);
    const { ran, send } = server(ledger);
    expect(await send({ ...add, ms: 60_000 }, { "deckhand/call": "c1" })).toMatchObject({
      success: false,
      outcome: "unknown",
    });
    expect(ran.add).toBe(0);
  });

  it("runs a harmless call again instead of calling it unknown", async () => {
    const ledger = new MemoryLedger();
    const { ran, send } = server(ledger);
    await send({ operation: "look" }, { "deckhand/call": "c1" });
    expect(await send({ operation: "look" }, { "deckhand/call": "c1" })).toMatchObject({
      success: true,
    });
    expect(ran.look).toBe(2);
    expect(ledger.entries.size).toBe(0);
  });

  it("refuses a fence older than the highest it has seen", async () => {
    const { ran, send } = server(new MemoryLedger());
    await send(add, { "deckhand/fence": 5 });
    expect(await send(add, { "deckhand/fence": 4 })).toMatchObject({
      kind: "permissionDenied",
      staleFence: true,
    });
    expect(await send(add, { "deckhand/fence": 5 })).toMatchObject({ success: true });
    expect(ran.add).toBe(2);
  });

  it("belongs to the conversation of its first call and refuses any other", async () => {
    const { ran, send } = server(new MemoryLedger());
    await send(add, { "deckhand/conversation": "A" });
    expect(await send(add, { "deckhand/conversation": "B" })).toMatchObject({
      kind: "permissionDenied",
    });
    expect(ran.add).toBe(1);
  });

  it("stops a running call and answers with its result", async () => {
    const { calls, ran, send } = server(new MemoryLedger());
    const meta = { "deckhand/call": "c1" };
    const running = send({ ...add, ms: 60_000 }, meta);
    await expect.poll(() => ran.add).toBe(1);
    expect(await calls.cancel("c1")).toMatchObject({ stopped: true });
    expect(await running).toMatchObject({ stopped: true });
    expect(calls.running).toEqual([]);
  });

  it("never runs a call that was cancelled before it arrived", async () => {
    const { calls, ran, send } = server(new MemoryLedger());
    await calls.cancel("early");
    expect(await send(add, { "deckhand/call": "early" })).toMatchObject({ success: false });
    expect(ran.add).toBe(0);
  });

  it("stops the call when its client takes the request back", async () => {
    const { send } = server(new MemoryLedger());
    const stop = new AbortController();
    const running = send({ ...add, ms: 60_000 }, {}, stop.signal);
    stop.abort();
    expect(await running).toMatchObject({ success: false });
  });

  it("turns a bug into a failed result that shows no stack", async () => {
    const { send } = server(new MemoryLedger());
    const result = await send({ operation: "break" }, { "deckhand/call": "c1" });
    expect(result).toMatchObject({ success: false, kind: "executionFailed" });
    expect(JSON.stringify(result)).not.toContain("a bug");
  });

  it.each([
    [{}, "needs an operation. Available: add, look, break"],
    [{ operation: "zzz" }, 'has no operation "zzz". Available: add, look, break'],
    [{ operation: "__proto__" }, 'has no operation "__proto__"'],
    [{ operation: "add", by: "many" }, "by: "],
  ])("says what is wrong with %j", async (args, sentence) => {
    const { ran, send } = server(new MemoryLedger());
    const result = await send(args);
    expect(result).toMatchObject({ success: false, kind: "invalidParameters" });
    expect(result.message).toContain(sentence);
    expect(ran.add).toBe(0);
  });
});

describe("calls as root, each in a server of its own", () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "latch-"));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  it("lets one of two servers run the call and gives both its result", async () => {
    const [first, second] = [server(new LatchLedger(dir)), server(new LatchLedger(dir))];
    const meta = { "deckhand/call": "r1" };
    const results = await Promise.all([
      first.send({ ...add, ms: 50 }, meta),
      second.send({ ...add, ms: 50 }, meta),
    ]);
    expect(results[0]).toEqual(results[1]);
    expect(first.ran.add + second.ran.add).toBe(1);
    expect(await server(new LatchLedger(dir)).send({ ...add, ms: 50 }, meta)).toEqual(results[0]);
  });

  it("keeps the highest fence for the next server", async () => {
    await server(new LatchLedger(dir)).send(add, { "deckhand/call": "r1", "deckhand/fence": 9 });
    const next = server(new LatchLedger(dir));
    expect(await next.send(add, { "deckhand/call": "r2", "deckhand/fence": 8 })).toMatchObject({
      kind: "permissionDenied",
    });
  });
});
