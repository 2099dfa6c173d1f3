import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../../../src/contract/store.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { makeDataDirectory } from "../../support/data-directory.ts";

let directory: string;
let store: Store;
beforeEach(async () => {
  directory = makeDataDirectory("rounds");
  store = await openStore({ kind: "sqlite", file: join(directory, "store.sqlite") });
});
afterEach(async () => {
  await store[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

/** Counts the rounds of the event loop while something goes on. */
async function roundsDuring(work: Promise<unknown>): Promise<number> {
  let rounds = 0;
  let isOver = false;
  const count = () => {
    rounds += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work;
  isOver = true;
  return rounds;
}

describe("many who write to SQLite at once", () => {
  const write = (name: number) =>
    store.append(`thread-${name}`, 0, [{ kind: "message", data: "hello" }]);

  it("go on a few at a time, in the order in which they came", async () => {
    const went: number[] = [];
    const writers = Array.from({ length: 100 }, async (_, name) => {
      await write(name);
      went.push(name);
    });
    expect(await roundsDuring(Promise.all(writers))).toBeGreaterThanOrEqual(20);
    expect(went).toEqual(went.toSorted((one, other) => one - other));
  });

  it("let what comes in at the door be acknowledged before they go on", async () => {
    const went: string[] = [];
    const writers = Array.from({ length: 100 }, async (_, name) => {
      await write(name);
      went.push("writer");
    });
    const row = { id: "event", conversation: "thread", data: "hello" };
    const door = store.inbox.put(row).then(() => went.push("door"));
    await Promise.all([...writers, door]);
    expect(went.indexOf("door")).toBeLessThan(10);
  });
});
