import { execFileSync } from "node:child_process";
import { rmdirSync } from "node:fs";
import { createClient } from "@keyv/redis";
import { afterEach, describe, expect, it } from "vitest";
import { type Store, StoreError } from "../../../src/contract/store.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { RedisConnection } from "../../../src/store/redis/connection.ts";
import { prepareSchema } from "../../../src/store/redis/schema.ts";
import { RedisSettings } from "../../../src/store/settings.ts";
import { makeDataDirectory } from "../../support/data-directory.ts";
import { ownMs } from "../../support/own-clock.ts";
import { type RedisOptions, startRedis, type TestRedis } from "../../support/redis.ts";
import { startTcpProxy, type TcpProxy } from "../../support/tcp-proxy.ts";

const isRoot = process.getuid?.() === 0;
// Longer than a healthy server needs on a machine that is busy with something else.
const TIMEOUT_MS = 2_000;
const disposables: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of disposables.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

function disposed<T extends AsyncDisposable>(one: T): T {
  disposables.push(one);
  return one;
}

async function redisWith(options: RedisOptions = {}): Promise<TestRedis> {
  return disposed(await startRedis(options));
}

async function open(url: string, more: object = {}): Promise<Store> {
  const settings = RedisSettings.parse({ kind: "redis", url, timeoutMs: TIMEOUT_MS, ...more });
  return disposed(await openStore(settings));
}

async function overProxy(): Promise<{ redis: TestRedis; proxy: TcpProxy; store: Store }> {
  const redis = await redisWith();
  const proxy = disposed(await startTcpProxy(redis.socket));
  return { redis, proxy, store: await open(`redis://127.0.0.1:${proxy.port}`) };
}

async function command(redis: TestRedis, ...args: string[]): Promise<unknown> {
  const client = createClient({ socket: { path: redis.socket, tls: false } });
  await client.connect();
  const answer = await client.sendCommand(args);
  client.destroy();
  return answer;
}

/** Every door of a store refuses with this sentence, in bounded time, and none says "not there". */
async function expectAllRefused(store: Store, sentence: RegExp): Promise<void> {
  const doors: (() => Promise<unknown>)[] = [
    () => store.documents("n").get("k"),
    () => store.documents("n").set("k", 1),
    () => store.documents("n").delete("k"),
    () => store.documents("n").keys(),
    () => store.append("c", 0, [{ kind: "x", data: 1 }], { claims: ["grant"] }),
    () => store.read("c"),
    () => store.last("c", "x"),
    () => store.conversations(),
    () => store.lease("c", "me", 1_000),
    () => store.inbox.put({ id: "1", conversation: "c", data: 1 }),
    () => store.inbox.take("w", { limit: 1, holdMs: 1_000 }),
    () => store.inbox.finish("1", "w"),
    () => store.inbox.defer("1", "w", new Date().toISOString()),
    () => store.inbox.pending(),
  ];
  const begin = ownMs();
  const answers = await Promise.allSettled(doors.map((door) => door()));
  expect(ownMs() - begin).toBeLessThan(10 * TIMEOUT_MS);
  for (const answer of answers) {
    expect(answer.status).toBe("rejected");
    const { reason } = answer as PromiseRejectedResult;
    expect(reason).toBeInstanceOf(StoreError);
    expect(reason.message).toMatch(sentence);
  }
}

/** Resolves once the store answers again. */
async function expectRecovery(store: Store): Promise<void> {
  await expect
    .poll(() =>
      store.read("c").then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
}

describe("a Redis that may forget", () => {
  it("is refused without an append-only file, unless the operator vouches for it", async () => {
    const redis = await redisWith({ appendOnly: "no" });
    await expect(open(redis.url)).rejects.toThrow(
      /has no append-only file .*: set `appendonly yes` .*, or set REDIS_DURABLE=assumed/,
    );
    expect(await command(redis, "DBSIZE")).toBe(0);
    const store = await open(redis.url, { durable: "assumed" });
    expect(await store.append("c", 0, [{ kind: "x", data: 1 }])).toMatchObject({ seq: 1 });
  });

  it("is refused when it evicts keys for want of memory", async () => {
    const config = { maxmemory: "50mb", "maxmemory-policy": "allkeys-lru" };
    const redis = await redisWith({ config });
    await expect(open(redis.url)).rejects.toThrow(/evicts keys .* \(allkeys-lru\)/);
  });
});

describe("the keys in a Redis", () => {
  it("all begin with the prefix, and two bots do not see each other", async () => {
    const redis = await redisWith();
    const one = await open(redis.url, { prefix: "one:" });
    const two = await open(redis.url, { prefix: "two[x]:" });
    for (const store of [one, two]) {
      await store.append("c", 0, [{ kind: "x", data: 1 }], { claims: ["grant"] });
      await store.lease("c", "me", 1_000);
      await store.inbox.put({ id: "1", conversation: "c", data: 1 });
      await store.documents("n").set("k", 1);
    }
    const keys = (await command(redis, "KEYS", "*")) as string[];
    expect(keys.filter((key) => !/^(one:|two\[x\]:)/.test(key))).toEqual([]);
    expect(keys.filter((key) => key.startsWith("one:")).length).toBe(keys.length / 2);
    expect(await two.inbox.pending()).toHaveLength(1);
  });

  it("of a newer Deckhand are refused with a sentence", async () => {
    const redis = await redisWith();
    await command(redis, "SET", "deckhand:schema", "99 some-id");
    await expect(open(redis.url)).rejects.toThrow(
      /was written by a newer Deckhand \(schema 99, this version supports 3\)/,
    );
  });

  it("are brought up to date step by step, and then an old Deckhand is refused", async () => {
    const redis = await redisWith();
    const store = await open(redis.url);
    await store.append("c", 0, [{ kind: "x", data: 1 }]);
    const settings = RedisSettings.parse({ kind: "redis", url: redis.url });
    const connection = await RedisConnection.open(settings);
    const steps = [
      "",
      "",
      "",
      "redis.call('SET', ARGV[3] .. 'new', 'a')",
      "redis.call('APPEND', ARGV[3] .. 'new', 'b')",
    ];
    expect(await prepareSchema(connection, settings, steps)).toMatch(/^5 \S+$/);
    expect(await command(redis, "GET", "deckhand:new")).toBe("ab");
    await connection.close();
    await expectAllRefused(store, /was emptied, replaced or upgraded/);
    await expect(open(redis.url)).rejects.toThrow(/schema 5, this version supports 3/);
  });

  it.each([
    ["deckhand:schema", /has other data under deckhand:/],
    [
      "deckhand:cache",
      /has keys under deckhand: that do not belong to Deckhand \(for example deckhand:cache\)/,
    ],
  ])("of another program are refused: %s", async (key, sentence) => {
    const redis = await redisWith();
    await command(redis, "SET", key, "hello");
    await expect(open(redis.url)).rejects.toThrow(sentence);
    expect(await command(redis, "KEYS", "*")).toEqual([key]);
  });

  it("are not taken for missing when somebody has emptied the Redis, or filled it anew", async () => {
    const redis = await redisWith();
    const store = await open(redis.url);
    await store.append("c", 0, [], { claims: ["grant"] });
    await command(redis, "FLUSHALL");
    await expectAllRefused(store, /was emptied, replaced or upgraded/);
    await command(redis, "FLUSHALL");
    await open(redis.url);
    await expectAllRefused(store, /was emptied, replaced or upgraded/);
  });
});

describe("P-D6 a Redis in trouble", () => {
  it("is refused at the start with a sentence that holds no password", async () => {
    const begin = ownMs();
    await expect(open("redis://user:secret@127.0.0.1:1/2")).rejects.toThrow(
      /^The Redis at redis:\/\/127.0.0.1:1\/2 cannot be reached: start it, or correct REDIS_URL\..*ECONNREFUSED/,
    );
    expect(ownMs() - begin).toBeLessThan(10 * TIMEOUT_MS);
  });

  it("is refused when it wants another password", async () => {
    const redis = await redisWith({ config: { requirepass: "secret" } });
    await expect(open(redis.url)).rejects.toThrow(
      /rejected Deckhand's login: correct the user and password/,
    );
  });

  it("allows nothing while it is dead, and has kept all it acknowledged", async () => {
    // With "everysec" Redis acknowledges before it writes while the disk is slow, and a kill loses that.
    const redis = await redisWith({ config: { appendfsync: "always" } });
    const store = await open(redis.url);
    const acknowledged = await appendUntilDead(store, redis);
    await expectAllRefused(store, /cannot be reached: start it/);
    await redis.restart();
    await expectRecovery(store);
    const lines = await store.read("c");
    expect(lines.length).toBeGreaterThanOrEqual(acknowledged);
    expect(lines.length % 2).toBe(0);
    for (const [index, { seq, data }] of lines.entries()) {
      expect({ seq, data }).toEqual({ seq: index + 1, data: index + 1 });
    }
    for (let seq = 0; seq < acknowledged; seq += 2) {
      const again = await store.append("d", 0, [], { claims: [`claim-${seq}`] });
      expect(again).toMatchObject({ outcome: "claimed" });
    }
  });

  it("allows nothing while it is silent, and is found again", async () => {
    const { proxy, store } = await overProxy();
    proxy.trouble = { isSilent: true };
    await expectAllRefused(store, /did not respond within 2000 ms|cannot be reached/);
    await expectAllRefused(store, /did not respond within 2000 ms|cannot be reached/);
    proxy.trouble = {};
    await expectRecovery(store);
    expect(await store.append("d", 0, [], { claims: ["new"] })).toMatchObject({
      outcome: "written",
    });
  });

  it("is waited for when it is slow, and given up when it is too slow", async () => {
    const { proxy, store } = await overProxy();
    proxy.trouble = { delayMs: 50 };
    expect(await store.append("c", 0, [{ kind: "x", data: 1 }])).toMatchObject({ seq: 1 });
    proxy.trouble = { delayMs: 3 * TIMEOUT_MS };
    await expectAllRefused(store, /did not respond within 2000 ms|cannot be reached/);
    proxy.trouble = {};
    await expectRecovery(store);
    // What was given up may have come through later, but then as a whole.
    const lines = await store.read("c");
    expect(lines[0]).toMatchObject({ data: 1 });
  });

  it("lets a claim be won once, however often the line is cut", async () => {
    const { proxy, redis, store } = await overProxy();
    const other = await open(redis.url);
    const wins = new Map<string, number>();
    const claimWith = async (replica: Store, claim: string) => {
      const { outcome } = await replica
        .append("c", 0, [], { claims: [claim] })
        .catch(() => ({ outcome: "" }));
      if (outcome === "written") wins.set(claim, (wins.get(claim) ?? 0) + 1);
    };
    for (let round = 0; round < 100; round += 1) {
      const race = [store, other].map((replica) => claimWith(replica, `claim-${round}`));
      if (round % 10 === 5) proxy.cut();
      await Promise.all(race);
    }
    expect([...wins.values()].every((count) => count === 1)).toBe(true);
    expect(wins.size).toBeGreaterThan(50);
    await expectRecovery(store);
  });

  it("is refused when it has no memory left", async () => {
    const redis = await redisWith({
      config: { maxmemory: "3mb", "maxmemory-policy": "noeviction" },
    });
    const store = await open(redis.url);
    const data = "x".repeat(200_000);
    const fill = async () => {
      for (let seq = 0; seq < 100; seq += 1) await store.append("c", seq, [{ kind: "x", data }]);
    };
    await expect(fill()).rejects.toThrow(/is out of memory: raise its maxmemory/);
  });

  it.runIf(isRoot)("is refused when its disk is full, and nothing is allowed by it", async () => {
    const directory = makeDataDirectory("redis");
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "none", directory]);
    disposables.push({
      async [Symbol.asyncDispose]() {
        execFileSync("umount", [directory]);
        rmdirSync(directory);
      },
    });
    const redis = await redisWith({ directory });
    const store = await open(redis.url);
    const data = "x".repeat(100_000);
    const fill = async () => {
      for (let seq = 0; seq < 100; seq += 1) await store.append("c", seq, [{ kind: "x", data }]);
    };
    await expect(fill()).rejects.toThrow(/cannot write to its disk: free some space/);
    const claim = store.append("d", 0, [], { claims: ["grant"] });
    await expect(claim).rejects.toThrow(/cannot write to its disk/);
  });

  it("is refused when it only copies another one", async () => {
    const redis = await redisWith();
    const store = await open(redis.url);
    await command(redis, "REPLICAOF", "127.0.0.1", "1");
    await expect(store.append("c", 0, [{ kind: "x", data: 1 }])).rejects.toThrow(
      /is read-only: set REDIS_URL to the primary/,
    );
    await expect(open(redis.url)).rejects.toThrow(/is a replica/);
  });
});

/** Pairs of lines, each with a claim, until the server is killed in the middle of it. */
async function appendUntilDead(store: Store, redis: TestRedis): Promise<number> {
  let seq = 0;
  for (;;) {
    const lines = [1, 2].map((part) => ({ kind: "x", data: seq + part }));
    try {
      const appending = store.append("c", seq, lines, { claims: [`claim-${seq}`] });
      if (seq === 2_000) void redis.kill();
      await appending;
    } catch (error) {
      expect(error).toBeInstanceOf(StoreError);
      return seq;
    }
    seq += 2;
  }
}
