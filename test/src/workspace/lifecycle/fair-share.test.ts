import { describe, expect, it } from "vitest";
import type { QueueWait } from "../../../../src/contract/workspace/workspace.ts";
import { queueText } from "../../../../src/conversation/shown/queue-text.ts";
import { channelOf, type Party } from "../../../../src/workspace/lifecycle/fair-share.ts";
import { Slots } from "../../../../src/workspace/lifecycle/slots.ts";
import { caseCount } from "../../../support/thorough.ts";

const nothingIsIdle = async () => {};

/** The order in which requests get a slot, and what each was last told. */
class Room {
  readonly slots: Slots;
  readonly admitted: string[] = [];
  readonly waits = new Map<string, QueueWait>();
  readonly #isCareless: boolean;

  constructor(cap: number, isCareless = false) {
    this.slots = new Slots(cap, nothingIsIdle);
    this.#isCareless = isCareless;
  }

  /** A careless room knows no person: first come, first served, as before. */
  ask(key: string, party: Party): void {
    const onQueued = (wait: QueueWait) => this.waits.set(key, wait);
    const options = this.#isCareless ? { onQueued } : { party, onQueued };
    void this.slots.acquire(key, options).then(() => this.admitted.push(key));
  }

  async finish(key: string): Promise<void> {
    this.slots.release(key);
    await settle();
  }
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

const by = (person: string, channel = `of ${person}`): Party => ({ person, channel });

describe("the fair share of the cap", () => {
  it.each([
    { isCareless: true, second: "hog-7" },
    { isCareless: false, second: "newcomer" },
  ])(
    "gives the next free slot to a newcomer (careless: $isCareless)",
    async ({ isCareless, second }) => {
      const room = new Room(6, isCareless);
      for (let count = 1; count <= 9; count += 1) room.ask(`hog-${count}`, by("hog"));
      room.ask("newcomer", by("ann"));
      await settle();
      expect(room.admitted).toEqual(["hog-1", "hog-2", "hog-3", "hog-4", "hog-5", "hog-6"]);
      await room.finish("hog-1");
      expect(room.admitted.at(-1)).toBe(second);
    },
  );

  it("lets one person use the whole cap while no one else waits", async () => {
    const room = new Room(4);
    for (const key of ["a", "b", "c", "d", "e"]) room.ask(key, by("ann"));
    await settle();
    expect(room.admitted).toEqual(["a", "b", "c", "d"]);
    await room.finish("a");
    expect(room.admitted.at(-1)).toBe("e");
  });

  it("counts channels like persons", async () => {
    const room = new Room(4);
    for (let count = 1; count <= 6; count += 1) room.ask(`x${count}`, by(`p${count}`, "loud"));
    room.ask("y", by("quiet person", "quiet"));
    await settle();
    expect(room.waits.get("x5")).toMatchObject({ channel: 4, place: 2 });
    await room.finish("x1");
    expect(room.admitted.at(-1)).toBe("y");
  });

  it.each([
    [{ place: 2, cap: 8 }, "All workspaces are in use. This thread is number 2 in the queue."],
    [
      { place: 2, cap: 8, person: 4 },
      "You already use 4 of 8 workspaces; waiting for one of them to finish. This thread is number 2 in the queue.",
    ],
    [
      { place: 1, cap: 8, channel: 4 },
      "This channel already uses 4 of 8 workspaces; waiting for one of them to finish. This thread is number 1 in the queue.",
    ],
  ])("says why a thread waits: %j", (wait, text) => expect(queueText(wait)).toBe(text));

  it("tells the place that the share gives, and the newcomer the first", async () => {
    const room = new Room(2);
    for (const key of ["a", "b", "c", "d"]) room.ask(key, by("ann"));
    room.ask("new", by("bob"));
    await settle();
    expect(room.waits.get("new")).toEqual({ place: 1, cap: 2 });
    expect(room.waits.get("c")).toEqual({ place: 2, cap: 2, person: 2 });
    expect(room.waits.get("d")).toEqual({ place: 3, cap: 2, person: 2 });
  });

  it("takes the channel from the thread's id", () => {
    expect(channelOf("slack:T1:C2:1700.1")).toBe("slack:T1:C2");
    expect(channelOf("t/1")).toBe("t/1");
  });

  it("names holders beyond their share, and unknown ones, only while a request within its share waits", async () => {
    const room = new Room(3);
    room.slots.take("found");
    room.ask("a", by("ann"));
    room.ask("b", by("ann"));
    await settle();
    expect(["found", "a", "b"].filter((key) => room.slots.mustYield(key))).toEqual([]);
    room.ask("c", by("bob"));
    await settle();
    expect(["found", "a", "b"].filter((key) => room.slots.mustYield(key))).toEqual([
      "found",
      "a",
      "b",
    ]);
  });

  it("counts the person of the latest use, and keeps the known one without", async () => {
    const room = new Room(2);
    room.slots.take("found");
    await room.slots.acquire("found", { party: by("ann") });
    room.slots.renew("found");
    room.ask("a", by("ann"));
    room.ask("b", by("ann"));
    await settle();
    expect(room.waits.get("b")).toMatchObject({ person: 2 });
  });
});

/** A fixed generator, so that a failure can be repeated. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe("random arrivals and endings", () => {
  const seeds = Array.from({ length: caseCount({ perChange: 40, all: 2000 }) }, (_, n) => n + 1);

  it("never exceed the cap, waste a slot, starve a request or pass a newcomer over", async () => {
    for (const seed of seeds) await play(seed);
  });

  async function play(seed: number): Promise<void> {
    const random = randomOf(seed);
    const cap = 1 + random(6);
    const room = new Room(cap);
    const people = 1 + random(6);
    const asked: { key: string; person: string; behind: number; at: number }[] = [];
    for (let step = 0; step < 120; step += 1) {
      if (random(5) < 3 && asked.length < 60) {
        const person = `p${random(people)}`;
        const key = `${seed}-${step}`;
        const behind = asked.filter((one) => !room.admitted.includes(one.key)).length;
        asked.push({ key, person, behind, at: room.admitted.length });
        room.ask(key, by(person, `c${random(3)}`));
        await settle();
      } else await finishOne(room, asked, random);
      check(room, asked, cap);
    }
    for (let left = 0; left < 200 && room.admitted.length < asked.length; left += 1) {
      await finishOne(room, asked, random);
    }
    expect(room.admitted.length, `seed ${seed}: all are served`).toBe(asked.length);
    for (const { key, behind, at } of asked) {
      const waited = room.admitted.indexOf(key) - at;
      expect(waited, `seed ${seed}, ${key}`).toBeLessThanOrEqual((behind + 1) * (cap + 1));
    }
  }

  async function finishOne(
    room: Room,
    asked: readonly { key: string; person: string }[],
    random: (below: number) => number,
  ): Promise<void> {
    const held = asked.filter(({ key }) => room.slots.holds(key));
    const ended = held[random(Math.max(1, held.length))];
    if (!ended) return;
    await room.finish(ended.key);
  }

  function check(room: Room, asked: readonly { key: string }[], cap: number): void {
    const held = asked.filter(({ key }) => room.slots.holds(key)).length;
    const waiting = asked.length - room.admitted.length;
    expect(held).toBeLessThanOrEqual(cap);
    if (waiting > 0) expect(held).toBe(cap);
  }

  it("put a newcomer behind no request of those who hold a full share", async () => {
    for (const seed of seeds) {
      const random = randomOf(seed);
      const cap = 2 + random(7);
      const room = new Room(cap);
      const hogs = cap + random(10);
      for (let count = 0; count < hogs; count += 1) room.ask(`hog-${count}`, by("hog"));
      const newcomers = 1 + random(cap - 1);
      for (let count = 0; count < newcomers; count += 1) room.ask(`new-${count}`, by(`n${count}`));
      await settle();
      for (let count = 0; count < newcomers; count += 1) {
        expect(room.waits.get(`new-${count}`)?.place, `seed ${seed}`).toBe(count + 1);
      }
      for (let count = 0; count < newcomers; count += 1) {
        await room.finish(`hog-${count}`);
        expect(room.admitted.at(-1), `seed ${seed}`).toBe(`new-${count}`);
      }
    }
  });

  it("pass the oldest request over at most as often as there are slots", async () => {
    const room = new Room(2);
    for (const key of ["a", "b", "c"]) room.ask(key, by("ann"));
    for (let count = 0; count < 8; count += 1) room.ask(`n${count}`, by(`p${count}`));
    await settle();
    await room.finish("a");
    await room.finish("n0");
    await room.finish("n1");
    expect(room.admitted).toEqual(["a", "b", "n0", "n1", "c"]);
  });
});
