import { beforeEach, describe, expect, it } from "vitest";
import { type Json, type Store, StoreError } from "../../src/contract/store.ts";
import type { StoreSettings } from "../../src/store/settings.ts";
import { twoReplicas } from "../support/two-replicas.ts";
import { until } from "../support/until.ts";

/** What every store does with values: documents, and what JSON cannot keep. */
export function storeValuesContract(freshSettings: () => StoreSettings): void {
  const replicas = twoReplicas(freshSettings);
  let store: Store;
  let other: Store;
  beforeEach(() => {
    ({ store, other } = replicas);
  });
  const reopen = async () => {
    ({ store, other } = await replicas.reopen());
  };

  const line = (data: Json, kind = "note") => ({ kind, data });

  describe("documents", () => {
    it("15.14 namespaces and lifetimes: keep a value apart from the same key elsewhere, also after a restart", async () => {
      await store.documents("grants").set("k", { a: [1] });
      await store.documents("todos").set("k", "other");
      await reopen();
      expect(await store.documents("grants").get("k")).toEqual({ a: [1] });
      expect(await store.documents("todos").get("k")).toBe("other");
      expect(await store.documents("nothing").get("k")).toBeUndefined();
    });

    it("keep every kind of JSON as it is", async () => {
      const documents = store.documents("n");
      const values: Json[] = [
        null,
        false,
        0,
        "",
        ":base64:x",
        "{",
        [],
        {},
        { value: 1, expires: 1 },
      ];
      for (const value of values) {
        await documents.set("k", value);
        expect(await other.documents("n").get("k")).toEqual(value);
      }
    });

    it("4.19 persistence: end at their time, neither lost nor prolonged by a restart", async () => {
      await store.documents("n").set("short", 1, { ttlMs: 4_000 });
      await store.documents("n").set("long", 1, { ttlMs: 60_000 });
      await reopen();
      expect(await store.documents("n").get("short")).toBe(1);
      expect(await store.documents("n").keys()).toEqual(["long", "short"]);
      const isGone = async () => (await store.documents("n").get("short")) === undefined;
      await until(isGone, "the end of the short one");
      expect(await store.documents("n").keys()).toEqual(["long"]);
      expect(await store.documents("n").delete("short")).toBe(false);
    });

    it("live on when they are set again without a lifetime", async () => {
      await store.documents("n").set("k", 1, { ttlMs: 200 });
      await store.documents("n").set("k", 2);
      await store.documents("n").set("witness", 1, { ttlMs: 200 });
      const isGone = async () => (await store.documents("n").get("witness")) === undefined;
      await until(isGone, "the end of what was set later");
      expect(await store.documents("n").get("k")).toBe(2);
    });

    it("are deleted by exactly one of two", async () => {
      await store.documents("n").set("k", 1);
      const both = [store, other].map((replica) => replica.documents("n").delete("k"));
      expect((await Promise.all(both)).sort()).toEqual([false, true]);
      expect(await store.documents("n").get("k")).toBeUndefined();
    });

    it("list their keys in order, by exactly the beginning that was asked for", async () => {
      const documents = store.documents("n");
      const keys = ["a*c", "abc", "a[b]", "a\\", "n:abc", "z", "a?c", "ä", "\u{1F600}x"];
      for (const key of keys) await documents.set(key, key);
      await store.documents("nn").set("abc", 1);
      expect(await documents.keys()).toEqual([...keys].sort());
      for (const key of keys) {
        expect(await documents.get(key)).toBe(key);
        expect(await documents.keys(key)).toEqual([key]);
      }
      expect(await documents.keys("a")).toEqual(["a*c", "a?c", "a[b]", "a\\", "abc"]);
      expect(await documents.keys("b")).toEqual([]);
    });
  });

  describe("what JSON cannot keep", () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    let deep: unknown = 0;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    let shared: unknown = "x".repeat(1_000);
    for (let level = 0; level < 40; level += 1) shared = [shared, shared];
    const values: [string, unknown][] = [
      ["undefined", undefined],
      ["a member that is undefined", { a: { b: undefined } }],
      ["NaN", [Number.NaN]],
      ["Infinity", Number.POSITIVE_INFINITY],
      ["a bigint", 1n],
      ["a Date", { at: new Date() }],
      ["a Map", new Map()],
      ["a function", () => 1],
      ["a symbol", { [Symbol("x")]: 1 }],
      ["a hole in a list", new Array(2)],
      ["a circle", circle],
      ["100,000 levels", deep],
      ["17 MB", "x".repeat(17 * 1024 * 1024)],
      ["a small thing that is huge when written", shared],
    ];

    it.each(values)("%s is refused at every door, and nothing is written", async (_, value) => {
      const data = value as Json;
      await expect(store.append("c", 0, [line(1), { kind: "k", data }])).rejects.toThrow(
        StoreError,
      );
      await expect(store.inbox.put({ id: "1", conversation: "c", data })).rejects.toThrow(
        StoreError,
      );
      await expect(store.documents("n").set("k", data)).rejects.toThrow(StoreError);
      expect(await store.read("c")).toEqual([]);
      expect(await store.inbox.pending()).toEqual([]);
      expect(await store.documents("n").keys()).toEqual([]);
    });

    it("says where it stands", async () => {
      const data = { list: [{ a: undefined }] } as unknown as Json;
      await expect(store.append("c", 0, [{ kind: "call", data }])).rejects.toThrow(
        "A line of kind call (at .list[0].a) is undefined, which JSON cannot represent. Nothing was written.",
      );
    });

    it("does not hold for a line of 15 MB, 400 levels or a key named __proto__", async () => {
      let nested: Json = JSON.parse('{"__proto__": {"a": 1}}');
      for (let level = 0; level < 400; level += 1) nested = [nested];
      const data: Json[] = ["x".repeat(15 * 1024 * 1024), nested];
      await store.append(
        "c",
        0,
        data.map((one) => line(one)),
      );
      const lines = await other.read("c");
      expect(lines.map((one) => JSON.stringify(one.data))).toEqual(
        data.map((one) => JSON.stringify(one)),
      );
    });
  });
}
