import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../../../src/contract/store.ts";
import { createChoices, scopeOf } from "../../../src/conversation/choices.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { makeDataDirectory } from "../../support/data-directory.ts";

describe("what people choose for a conversation", () => {
  let directory: string;
  let store: Store;
  beforeEach(async () => {
    directory = makeDataDirectory("choices");
    store = await openStore({ kind: "sqlite", file: join(directory, "store.db") });
  });
  afterEach(async () => {
    await store[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  });
  const open = () => createChoices(store.documents("choices"));

  it("9.1 is a memory of its own until it joins a topic, and again when it leaves", async () => {
    const choices = open();
    expect(scopeOf("A", await choices.of("A"))).toBe("A");
    await choices.change("A", (chosen) => ({ ...chosen, topic: "topic:T" }));
    await choices.change("B", (chosen) => ({ ...chosen, topic: "topic:T" }));
    expect(scopeOf("A", await open().of("A"))).toBe("topic:T");
    expect(await choices.members("topic:T")).toEqual(["A", "B"]);
    await choices.change("A", ({ topic: _, ...chosen }) => chosen);
    expect(scopeOf("A", await choices.of("A"))).toBe("A");
    expect(await choices.members("topic:T")).toEqual(["B"]);
  });

  it("loses nothing when two things are chosen at once", async () => {
    const choices = open();
    await Promise.all(
      ["a", "b", "c"].map((id) =>
        choices.change("A", (chosen) => ({ ...chosen, minis: [...chosen.minis, id] })),
      ),
    );
    expect((await choices.of("A")).minis).toEqual(["a", "b", "c"]);
  });
});
