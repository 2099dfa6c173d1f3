import { beforeEach, describe, expect, it } from "vitest";
import { type Json, type Store, StoreError } from "../../src/contract/store.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { StoreSettings } from "../../src/store/settings.ts";
import { twoReplicas } from "../support/two-replicas.ts";
import { until } from "../support/until.ts";

/** What every store must do. `freshSettings` names a store that nobody has used. */
export function storeContract(freshSettings: () => StoreSettings): void {
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

  describe("the journal", () => {
    it("numbers lines from 1 without gaps and gives them back as they were", async () => {
      const data = {
        text: "a\nb\u2028\u0000 \u{1F600} \ud800",
        list: [1, -0.5, null, true, {}],
        "": "",
      };
      expect(await store.append("c", 0, [line("one"), line(data, "möre kinds")])).toEqual({
        outcome: "written",
        seq: 2,
      });
      expect(await store.append("c", 2, [line(3)])).toEqual({ outcome: "written", seq: 3 });
      const lines = await other.read("c");
      expect(lines).toMatchObject([
        { seq: 1, kind: "note", data: "one" },
        { seq: 2, kind: "möre kinds", data },
        { seq: 3, kind: "note", data: 3 },
      ]);
      for (const { at } of lines) expect(new Date(at).toISOString()).toBe(at);
    });

    it("gives a range, and nothing for a conversation nobody knows", async () => {
      await store.append(
        "c",
        0,
        [1, 2, 3, 4, 5].map((data) => line(data)),
      );
      const numbers = async (range: { after?: number; limit?: number }) =>
        (await store.read("c", range)).map(({ data }) => data);
      expect(await numbers({ after: 2 })).toEqual([3, 4, 5]);
      expect(await numbers({ after: 1, limit: 2 })).toEqual([2, 3]);
      expect(await numbers({ after: 9 })).toEqual([]);
      expect(await numbers({ limit: 0 })).toEqual([]);
      expect(await store.read("d")).toEqual([]);
    });

    it("says where the last line is to a writer who has not read it, and writes nothing", async () => {
      await store.append("c", 0, [line(1)]);
      expect(await other.append("c", 0, [line(2)])).toEqual({ outcome: "moved", seq: 1 });
      expect(await other.append("c", 5, [line(2)])).toEqual({ outcome: "moved", seq: 1 });
      expect(await store.read("c")).toHaveLength(1);
    });

    it("finds the last line of a kind", async () => {
      await store.append("c", 0, [line(1, "a"), line(2, "b"), line(3, "a"), line(4, "b")]);
      expect(await store.last("c", "a")).toMatchObject({ seq: 3, kind: "a", data: 3 });
      expect(await store.last("c", "A")).toBeUndefined();
      expect(await store.last("d", "a")).toBeUndefined();
    });

    it("lists the conversations that have a line", async () => {
      await store.append("b", 0, [line(1)]);
      await store.append("a", 0, [line(1)]);
      await store.append("only-a-claim", 0, [], { claims: ["x"] });
      await store.lease("only-a-lease", "me", 1_000);
      expect(await store.conversations()).toEqual(["a", "b"]);
    });

    it("lists the ends that are not committed to, until they are marked, and again when they move", async () => {
      await store.append("c", 0, [line(1), line(2)]);
      await other.append("d: é", 0, [line(1)]);
      await store.append("e", 0, [], { claims: ["x"] });
      const ends = await other.uncommittedEnds();
      const heads = await Promise.all(["c", "d: é"].map((name) => store.head(name)));
      expect(ends.toSorted((a, b) => a.conversation.localeCompare(b.conversation))).toEqual(
        heads.map((head) => ({
          conversation: head?.conversation,
          seq: head?.seq,
          hash: head?.hash,
        })),
      );
      await store.append("c", 2, [line(3)]);
      await other.markCommitted(ends);
      await reopen();
      expect(await store.uncommittedEnds()).toMatchObject([{ conversation: "c", seq: 3 }]);
    });

    it("keeps conversations with similar names apart", async () => {
      const names = ["c", "c:1", "C", "c*", "c ", "journal:c", "c\u0301"];
      for (const name of names) await store.append(name, 0, [line(name)]);
      for (const name of names) expect(await store.read(name)).toMatchObject([{ data: name }]);
    });

    it("lets one of many writers win each place", async () => {
      for (let seq = 0; seq < 20; seq += 1) {
        const tries = [1, 2, 3, 4, 5, 6].map((number) =>
          (number % 2 ? store : other).append("c", seq, [line(number)]),
        );
        const outcomes = (await Promise.all(tries)).map(({ outcome }) => outcome);
        expect(outcomes.filter((outcome) => outcome === "written")).toHaveLength(1);
        expect(outcomes.filter((outcome) => outcome === "moved")).toHaveLength(5);
      }
      expect(await store.read("c")).toHaveLength(20);
    });

    it("keeps all of it when it is opened again", async () => {
      await store.append("c", 0, [line(1), line(2)], { claims: ["x"] });
      await reopen();
      expect(await store.read("c")).toHaveLength(2);
      expect(await store.append("c", 2, [], { claims: ["x"] })).toMatchObject({
        outcome: "claimed",
      });
    });
  });

  describe("documents that are set with lines", () => {
    const documents = (value: Json) => [
      { namespace: "beside", key: "one", value },
      { namespace: "beside", key: "two: ö", value: { more: [1, null] } },
    ];
    const kept = async () => {
      const beside = other.documents("beside");
      return [await beside.get("one"), await beside.get("two: ö")];
    };

    it("are there with the lines, like any other, and take the place of earlier ones", async () => {
      await store.documents("beside").set("one", "before", { ttlMs: 60_000 });
      await store.append("c", 0, [line(1)], { documents: documents("with"), claims: ["x"] });
      expect(await kept()).toEqual(["with", { more: [1, null] }]);
      expect(await other.read("c")).toMatchObject([{ data: 1 }]);
      expect(await other.documents("beside").delete("one")).toBe(true);
      await reopen();
      expect(await kept()).toEqual([undefined, { more: [1, null] }]);
    });

    it("are not set where nothing is written", async () => {
      await store.append("c", 0, [line(1)], { claims: ["x"] });
      const late = await store.append("c", 0, [line(2)], { documents: documents("late") });
      const taken = await store.append("c", 1, [line(2)], {
        documents: documents("taken"),
        claims: ["x"],
      });
      expect([late.outcome, taken.outcome]).toEqual(["moved", "claimed"]);
      expect(await kept()).toEqual([undefined, undefined]);
    });
  });

  describe("claims", () => {
    it("are taken once, by whatever conversation, together with the lines or not at all", async () => {
      expect(await store.append("c", 0, [line(1)], { claims: ["x", "y", "x"] })).toMatchObject({
        outcome: "written",
      });
      expect(await other.append("d", 0, [line(1)], { claims: ["z", "y"] })).toEqual({
        outcome: "claimed",
        claim: "y",
      });
      expect(await store.read("d")).toEqual([]);
      expect(await store.append("d", 0, [line(1)], { claims: ["z"] })).toMatchObject({
        outcome: "written",
      });
    });

    it("are not taken by a writer who was late", async () => {
      await store.append("c", 0, [line(1)]);
      await store.append("c", 0, [line(2)], { claims: ["x"] });
      expect(await store.append("d", 0, [], { claims: ["x"] })).toMatchObject({
        outcome: "written",
      });
    });

    it("4.20 atomic consume: two consumers race for 2,000 one-time grants and exactly one gets each", async () => {
      let wins = 0;
      for (let round = 0; round < 20; round += 1) {
        const grants = Array.from({ length: 100 }, (_, number) => `grant-${round}-${number}`);
        const race = grants.map(async (grant) => {
          const tries = [store, other].map((replica, index) =>
            replica.append(`c${index}`, 0, [], { claims: [grant] }),
          );
          const outcomes = (await Promise.all(tries)).map(({ outcome }) => outcome).sort();
          expect(outcomes).toEqual(["claimed", "written"]);
          wins += 1;
        });
        await Promise.all(race);
      }
      expect(wins).toBe(2_000);
    });
  });

  describe("a lease", () => {
    it("is held by one, and its fence grows with every holder", async () => {
      const first = await store.lease("c", "me", 60_000);
      expect(await other.lease("c", "you", 60_000)).toBeUndefined();
      await first?.release();
      const second = await other.lease("c", "you", 60_000);
      expect(second?.fence).toBeGreaterThan(Number(first?.fence));
      expect(await first?.renew(60_000)).toBe(false);
      await first?.release();
      expect(await store.lease("c", "me", 60_000)).toBeUndefined();
    });

    it("is given anew to whoever holds it already, and then the old one is void", async () => {
      const first = await store.lease("c", "me", 60_000);
      const second = await other.lease("c", "me", 60_000);
      expect(second?.fence).toBeGreaterThan(Number(first?.fence));
      expect(await first?.renew(60_000)).toBe(false);
      expect(await second?.renew(60_000)).toBe(true);
    });

    it("runs out, is not renewed after that, and passes to the next", async () => {
      const first = await store.lease("c", "me", 60_000);
      expect(await first?.renew(300)).toBe(true);
      await store.lease("d", "me", 300);
      await until(() => other.lease("d", "you", 60_000), "the end of the later lease");
      expect(await first?.renew(300)).toBe(false);
      expect(await other.lease("c", "you", 60_000)).toBeDefined();
    });

    it("keeps its fence growing when the store is opened again", async () => {
      const first = await store.lease("c", "me", 60_000);
      await first?.release();
      await reopen();
      const second = await store.lease("c", "me", 60_000);
      expect(second?.fence).toBeGreaterThan(Number(first?.fence));
    });

    it("makes every append with an older fence fail from the moment it is given", async () => {
      const first = await store.lease("c", "me", 60_000);
      const old = { fence: Number(first?.fence) };
      expect(await store.append("c", 0, [line(1)], old)).toMatchObject({ outcome: "written" });
      await first?.release();
      const second = await other.lease("c", "you", 60_000);
      const options = { ...old, claims: ["x"] };
      expect(await store.append("c", 1, [line(2)], options)).toEqual({
        outcome: "fenced",
        fence: second?.fence,
      });
      const current = { fence: Number(second?.fence), claims: ["x"] };
      expect(await other.append("c", 1, [line(2)], current)).toMatchObject({ outcome: "written" });
      expect(await store.append("c", 0, [], options)).toMatchObject({ outcome: "fenced" });
    });

    it("does not fence another conversation", async () => {
      await store.lease("c", "me", 60_000);
      expect(await store.append("d", 0, [line(1)], { fence: 0 })).toMatchObject({
        outcome: "written",
      });
    });

    it("goes to exactly one of two who ask at once", async () => {
      for (let round = 0; round < 100; round += 1) {
        const leases = await Promise.all([
          store.lease(`c${round}`, "me", 60_000),
          other.lease(`c${round}`, "you", 60_000),
        ]);
        expect(leases.filter(Boolean)).toHaveLength(1);
      }
    });
  });

  it("refuses names and numbers that make no sense", async () => {
    const refusals = [
      () => store.append("", 0, []),
      () => store.append("a\0", 0, []),
      () => store.append("\ud800", 0, []),
      () => store.append("c", -1, []),
      () => store.append("c", 0.5, []),
      () => store.append("c", 0, [], { fence: Number.NaN }),
      () => store.append("c", 0, [], { claims: [""] }),
      () => store.lease("c", "me", 0),
      () => store.documents("n").set("k", 1, { ttlMs: 0 }),
      () => store.documents("n").set("k", 1, { ttlMs: -5 }),
      () => store.documents("n").get(""),
      () => store.inbox.put({ id: "1", conversation: "c", data: 1, dueAt: "soon" }),
      () => store.inbox.take("w", { limit: 1, holdMs: Number.NaN }),
    ];
    for (const refusal of refusals) await expect(refusal()).rejects.toThrow(StoreError);
    expect(() => store.documents("a:b")).toThrow(StoreError);
  });

  it("refuses everything once it is closed", async () => {
    const closed = await openStore(replicas.settings);
    await closed[Symbol.asyncDispose]();
    await closed[Symbol.asyncDispose]();
    const refusals = [
      () => closed.read("c"),
      () => closed.append("c", 0, [line(1)]),
      () => closed.lease("c", "me", 1_000),
      () => closed.inbox.pending(),
      () => closed.documents("n").get("k"),
      () => closed.documents("n").keys(),
    ];
    for (const refusal of refusals) await expect(refusal()).rejects.toThrow("The store is closed");
  });
}
