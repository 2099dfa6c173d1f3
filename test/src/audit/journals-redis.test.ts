import { createClient } from "@keyv/redis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyStore } from "../../../src/audit/verify.ts";
import type { Store } from "../../../src/contract/store.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { RedisSettings } from "../../../src/store/settings.ts";
import { fillJournals, flipBit, randomNumbers } from "../../support/journals.ts";
import { startRedis, type TestRedis } from "../../support/redis.ts";
import { caseCount } from "../../support/thorough.ts";

let redis: TestRedis;
let store: Store;
let client: ReturnType<typeof createClient>;
const PREFIX = "deckhand:";
const ask = (...args: string[]) => client.sendCommand(args);
const open = (prefix = PREFIX) =>
  openStore(RedisSettings.parse({ kind: "redis", url: redis.url, prefix }));

beforeAll(async () => {
  redis = await startRedis();
  client = createClient({ socket: { path: redis.socket, tls: false } });
  await client.connect();
  store = await open();
  await fillJournals(store, 8);
});
afterAll(async () => {
  client.destroy();
  await store[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
});

async function isNoticed(): Promise<boolean> {
  const verified = await verifyStore(store).catch(() => undefined);
  return verified === undefined || verified.breaks.length + verified.journals.breaks.length > 0;
}

describe("journals of conversations in Redis", () => {
  it("are whole when nobody touched them", async () => {
    const { breaks, journals } = await verifyStore(store);
    expect(breaks).toEqual([]);
    expect(journals).toEqual({ conversations: 4, lines: 27, breaks: [], uncovered: [] });
  });

  const journal = `${PREFIX}journal:slack:three`;
  const chain = `${PREFIX}chain:slack:three`;
  it.each<[string, string[][]]>([
    ["the last line is removed", [["RPOP", journal]]],
    ["the first line is removed", [["LPOP", journal]]],
    ["a line is repeated", [["LMOVE", journal, journal, "LEFT", "RIGHT"]]],
    ["a line is added", [["RPUSH", journal, '2030-01-01T00:00:00.000Z\n"k"\n1']]],
    ["the head is removed", [["HDEL", chain, "head"]]],
    ["the head is changed", [["HSET", chain, "head", "0".repeat(64)]]],
    ["lines are passed off as old", [["HSET", chain, "from", "9", "since", "4102444800000"]]],
    ["a conversation is hidden", [["SREM", `${PREFIX}conversations`, "slack:three"]]],
    ["a journal is removed", [["DEL", journal]]],
    [
      "a conversation is removed without a trace beside it",
      [
        ["DEL", journal, chain, `${PREFIX}kinds:slack:three`],
        ["SREM", `${PREFIX}conversations`, "slack:three"],
      ],
    ],
    ["a journal is added", [["RPUSH", `${PREFIX}journal:web:new`, "x"]]],
  ])("show that %s (P-X5)", async (_, commands) => {
    const keys = [journal, chain, `${PREFIX}conversations`];
    for (const key of keys) await ask("COPY", key, `saved:${key}`, "REPLACE");
    for (const command of commands) await ask(...command);
    expect(await isNoticed()).toBe(true);
    for (const key of keys) await ask("COPY", `saved:${key}`, key, "REPLACE");
    await ask("DEL", `${PREFIX}journal:web:new`);
  });

  it("notice a flipped bit in any line (P-X5)", async () => {
    const random = randomNumbers(29);
    const names = ["web:one", "web:two", "slack:three", "audit"];
    const missed: string[] = [];
    for (let tried = 0; tried < caseCount({ perChange: 200, all: 10_000 }); ) {
      const key = `${PREFIX}journal:${names[random(names.length)]}`;
      const index = String(random(key.endsWith("audit") ? 2 : 8));
      const old = String(await ask("LINDEX", key, index));
      const flipped = flipBit(old, random);
      if (flipped === undefined) continue;
      tried += 1;
      await ask("LSET", key, index, flipped);
      if (!(await isNoticed())) missed.push(`${key} ${index}: ${old} → ${flipped}`);
      await ask("LSET", key, index, old);
    }
    expect(missed).toEqual([]);
    expect(await isNoticed()).toBe(false);
  }, 600_000);

  it("of an older version are reported as not covered, and what follows is", async () => {
    const prefix = "older:";
    const line = '2020-01-01T00:00:00.000Z\n"k"\n1';
    await ask("SET", `${prefix}schema`, "1 some-store");
    await ask("RPUSH", `${prefix}journal:web:old`, line, line);
    await ask("SADD", `${prefix}conversations`, "web:old");
    await using upgraded = await open(prefix);
    await upgraded.append("web:old", 2, [{ kind: "k", data: 3 }]);
    const { journals } = await verifyStore(upgraded);
    expect(journals).toMatchObject({ lines: 3, breaks: [], uncovered: [{ lines: 2 }] });
  });

  it("continue after another process has written", async () => {
    await using other = await open();
    for (let seq = 0; seq < 6; seq += 1)
      await (seq % 2 ? other : store).append("web:both", seq, [{ kind: "k", data: seq }]);
    expect(await isNoticed()).toBe(false);
  });
});
