import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import type { InboxRow, Store } from "../../src/contract/store.ts";
import type { StoreSettings } from "../../src/store/settings.ts";
import { twoReplicas } from "../support/two-replicas.ts";
import { until } from "../support/until.ts";

/** What every store does with the rows of its inbox. */
export function storeInboxContract(freshSettings: () => StoreSettings): void {
  const replicas = twoReplicas(freshSettings);
  let store: Store;
  let other: Store;
  beforeEach(() => {
    ({ store, other } = replicas);
  });
  const reopen = async () => {
    ({ store, other } = await replicas.reopen());
  };

  describe("the inbox", () => {
    const put = (id: string, more: { dueAt?: string; conversation?: string } = {}) =>
      store.inbox.put({ id, conversation: "c", data: { id }, ...more });
    const take = async (worker: string, limit = 10, holdMs = 60_000) =>
      (await other.inbox.take(worker, { limit, holdMs })).map(({ id }) => id);

    it("takes an id once, also when it is finished", async () => {
      expect(await put("1")).toBe(true);
      expect(await put("1")).toBe(false);
      await take("w");
      expect(await store.inbox.finish("1", "w")).toBe(true);
      expect(await store.inbox.finish("1", "w")).toBe(false);
      expect(await put("1")).toBe(false);
      await reopen();
      expect(await put("1")).toBe(false);
      expect(await store.inbox.pending()).toEqual([]);
    });

    it("gives rows out in the order they are due, each to one worker", async () => {
      for (const id of ["3", "1", "2"]) await put(id);
      await put("0", { dueAt: "2020-01-01T00:00:00Z" });
      expect(await take("v", 2)).toEqual(["0", "3"]);
      expect(await take("w")).toEqual(["1", "2"]);
      expect(await take("v")).toEqual([]);
      const rows = await store.inbox.pending();
      expect(rows.map(({ id }) => id)).toEqual(["0", "3", "1", "2"]);
      expect(rows[0]).toEqual({
        id: "0",
        conversation: "c",
        data: { id: "0" },
        dueAt: "2020-01-01T00:00:00.000Z",
        tries: 1,
      });
    });

    it("gives no row out before it is due", async () => {
      await put("1", { dueAt: new Date(Date.now() + 3_000).toISOString() });
      expect(await take("w")).toEqual([]);
      await until(async () => (await take("w")).includes("1"), "the row");
    });

    it("gives a row out again when its hold has run out, and counts", async () => {
      await put("1");
      expect(await take("v", 1, 200)).toEqual(["1"]);
      let again: InboxRow | undefined;
      await until(async () => {
        [again] = await other.inbox.take("w", { limit: 1, holdMs: 60_000 });
        return again;
      }, "the row to come again");
      expect(again).toMatchObject({ id: "1", tries: 2 });
      expect(await store.inbox.finish("1", "v")).toBe(false);
      expect(await store.inbox.defer("1", "v", new Date().toISOString())).toBe(false);
      expect(await store.inbox.finish("1", "w")).toBe(true);
    });

    it("lets a worker finish late as long as nobody else has the row", async () => {
      await put("1");
      await take("v", 1, 100);
      // Only the clock tells that a hold has run out which no other worker asks for.
      await sleep(150);
      expect(await store.inbox.finish("1", "v")).toBe(true);
      expect(await take("w")).toEqual([]);
    });

    it("takes a row back until another time", async () => {
      await put("1");
      await put("2");
      await take("v", 1);
      const later = new Date(Date.now() + 3_600_000).toISOString();
      expect(await store.inbox.defer("1", "v", later)).toBe(true);
      expect(await store.inbox.defer("1", "v", later)).toBe(false);
      expect(await take("w")).toEqual(["2"]);
      expect(await store.inbox.pending()).toMatchObject([{ id: "2" }, { id: "1", dueAt: later }]);
    });

    it("shows what waits in one conversation", async () => {
      await put("1");
      await put("2", { conversation: "d" });
      expect(await store.inbox.pending("d")).toMatchObject([{ id: "2" }]);
      expect(await store.inbox.finish("2", "nobody")).toBe(false);
    });

    it("gives each of 300 rows to exactly one of two hasty workers", async () => {
      await Promise.all(Array.from({ length: 300 }, (_, number) => put(`row-${number}`)));
      const seen: string[] = [];
      const work = async (replica: Store, worker: string): Promise<void> => {
        const rows = await replica.inbox.take(worker, { limit: 7, holdMs: 60_000 });
        for (const { id } of rows) {
          seen.push(id);
          expect(await replica.inbox.finish(id, worker)).toBe(true);
        }
        if (rows.length > 0) await work(replica, worker);
      };
      await Promise.all([work(store, "v"), work(other, "w")]);
      expect(seen).toHaveLength(300);
      expect(new Set(seen).size).toBe(300);
    });
  });
}
