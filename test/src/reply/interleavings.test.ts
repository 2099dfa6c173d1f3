import { rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Adapter, DeliveryError } from "../../../src/contract/platform/adapter.ts";
import type { View } from "../../../src/contract/platform/view.ts";
import { type Store, StoreError } from "../../../src/contract/store.ts";
import { Journal } from "../../../src/journal/journal.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { createReply, type Reply } from "../../../src/reply/reply.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { makeDataDirectory } from "../../support/data-directory.ts";
import { openMemoryAdapter } from "../../support/memory-adapter.ts";
import { MemoryPlatform } from "../../support/memory-platform.ts";

const SLOTS = ["todos", "turn-1:reply", "turn-1:activity", "approval:1", "turn-2:reply"] as const;
type SlotName = (typeof SLOTS)[number];

type Step =
  | { readonly do: "show"; readonly slot: SlotName; readonly length: number }
  | { readonly do: "pass"; readonly ms: number }
  | {
      readonly do:
        | "lose"
        | "refuse"
        | "storeFails"
        | "disconnect"
        | "reconnect"
        | "restart"
        | "restore";
    }
  | { readonly do: "delete"; readonly slot: SlotName };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant("show" as const),
      slot: fc.constantFrom(...SLOTS),
      length: fc.nat(600),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.nat(2_500) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom(
        "lose",
        "refuse",
        "storeFails",
        "disconnect",
        "reconnect",
        "restart",
        "restore",
      ),
    }) as fc.Arbitrary<Step>,
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("delete" as const), slot: fc.constantFrom(...SLOTS) }),
  },
);

let folder: string;
let store: Store;
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  folder = makeDataDirectory("interleavings");
  store = await openStore({ kind: "sqlite", file: join(folder, "store.sqlite") });
});
afterAll(async () => {
  vi.useRealTimers();
  await store[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

describe("whatever happens in whatever order", () => {
  it("every slot ends with its last state, once, and messages keep their order", async () => {
    let number = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        number += 1;
        const world = new World(`memory:C1:run-${number}`);
        for (const one of steps) await world.take(one);
        await world.end();
        world.check();
      }),
      { numRuns: 100, endOnFailure: true },
    );
  });
});

/** A bot with its platform and its people, and what must be seen in the end. */
class World {
  readonly #thread: string;
  readonly #platform = new MemoryPlatform({ replyChars: 200, cardChars: 5_000 });
  readonly #rig = openMemoryAdapter(this.#platform);
  readonly #last = new Map<SlotName, View>();
  readonly #deleted = new Set<SlotName>();
  #life: { isAlive: boolean; storeFails: number } = { isAlive: true, storeFails: 0 };
  #reply: Reply;
  #states = 0;

  constructor(thread: string) {
    this.#thread = thread;
    this.#reply = this.#live();
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case "show":
        this.#states += 1;
        this.#show(step.slot, viewOf(step.slot, this.#states, step.length));
        break;
      case "pass":
        await this.#pass(step.ms);
        break;
      case "lose":
        this.#platform.loseNextAnswer();
        break;
      case "refuse":
        this.#platform.refuseNext(700);
        break;
      case "storeFails":
        this.#life.storeFails += 1;
        break;
      case "disconnect":
        this.#platform.isConnected = false;
        break;
      case "reconnect":
        this.#platform.isConnected = true;
        break;
      case "restore":
        await this.#reply.restore(this.#thread);
        break;
      case "delete":
        this.#delete(step.slot);
        break;
      case "restart":
        // As by kill -9; what must be seen is known to whoever starts again, and shown in the same order.
        this.#life.isAlive = false;
        this.#reply = this.#live();
        for (const [slot, view] of this.#last) this.#reply.show(this.#thread, slot, view);
        break;
    }
  }

  async end(): Promise<void> {
    this.#platform.isConnected = true;
    await this.#pass(200_000);
    // Deleted messages come back with the next change.
    for (const slot of this.#last.keys()) {
      this.#show(slot, viewOf(slot, this.#states + 1, 300, { isFinal: true }));
    }
    await this.#pass(200_000);
  }

  check(): void {
    const posts = this.#platform.posts(this.#thread);
    const state = `state ${this.#states + 1} `;
    const owners = posts.map(({ key }) => key.split("/")[1] as SlotName);
    for (const [slot] of this.#last) {
      const own = posts.filter((_, index) => owners[index] === slot);
      const parts = own.map(({ key }) => key.split("/")[2]);
      // Nobody notices that a part was deleted which does not change any more.
      if (this.#deleted.has(slot)) expect(parts.filter((part) => part === "1")).toEqual(["1"]);
      else expect(parts).toEqual(slot.endsWith("reply") ? ["1", "2", "3"] : ["1"]);
      const text = own.find((_, index) => parts[index] === "1")?.text;
      expect(text).toContain(state);
    }
    const firsts = posts.filter(({ key }) => key.split("/")[2] === "1");
    const order = firsts.map(({ key }) => key.split("/")[1] as SlotName);
    const kept = (slots: Iterable<SlotName>) =>
      [...slots].filter((slot) => !this.#deleted.has(slot));
    expect(kept(order)).toEqual(kept(this.#last.keys()));
  }

  #show(slot: SlotName, view: View): void {
    this.#last.set(slot, view);
    this.#reply.show(this.#thread, slot, view);
  }

  #delete(slot: SlotName): void {
    for (const { key, post } of [...this.#platform.posts(this.#thread)]) {
      if (key.split("/")[1] !== slot) continue;
      this.#platform.delete(this.#thread, post);
      this.#deleted.add(slot);
    }
  }

  #live(): Reply {
    const life = { isAlive: true, storeFails: 0 };
    this.#life = life;
    const forever = new Promise<never>(() => {});
    const whileAlive = <Target extends object>(target: Target, mayFail: boolean): Target =>
      new Proxy(target, {
        get(_, name) {
          const member = Reflect.get(target, name, target) as unknown;
          if (typeof member !== "function") return member;
          const call = member.bind(target) as (...args: unknown[]) => Promise<unknown>;
          return async (...args: unknown[]) => {
            if (mayFail) failIfDue(life);
            const value = life.isAlive ? await call(...args) : forever;
            return life.isAlive ? value : forever;
          };
        },
      });
    const adapter: Adapter = whileAlive(this.#rig.adapter, false);
    const appends = whileAlive(store, true);
    return createReply({
      redactor: createRedactor({ secrets: {} }),
      journal: new Journal({ ...store, append: (...args) => appends.append(...args) }),
      notices: store.documents("unreadable"),
      adapterOf: () => adapter,
      log: (_level, message, fields) => {
        const { error } = fields as { error: unknown };
        if (error instanceof DeliveryError || error instanceof StoreError) return;
        throw new Error(`${message} ${String(error)}`);
      },
    });
  }

  async #pass(ms: number): Promise<void> {
    const steps = ms > 10_000 ? 40 : 4;
    for (let turn = 0; turn < steps; turn += 1) {
      await vi.advanceTimersByTimeAsync(ms / steps);
      for (let before = -1; before !== this.#platform.deeds.length; ) {
        before = this.#platform.deeds.length;
        for (let tick = 0; tick < 6; tick += 1)
          await new Promise((resolve) => setImmediate(resolve));
      }
    }
  }
}

function failIfDue(life: { storeFails: number }): void {
  if (life.storeFails === 0) return;
  life.storeFails -= 1;
  throw new StoreError("The disk is full.");
}

function viewOf(slot: SlotName, state: number, length: number, { isFinal = false } = {}): View {
  const text = `state ${state} ${"word ".repeat(Math.ceil(length / 5))}`;
  return slot.endsWith("reply")
    ? { kind: "reply", text, isFinal }
    : { kind: "notice", level: "info", text };
}
