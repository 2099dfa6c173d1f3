import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Json, Store } from "../../../src/contract/store.ts";
import { costs } from "../../../src/journal/costs.ts";
import { Journal, LeaseLostError } from "../../../src/journal/journal.ts";
import { type ConversationLine, JOURNAL_VERSION } from "../../../src/journal/lines.ts";
import { permissions } from "../../../src/journal/permissions.ts";
import { postedViews } from "../../../src/journal/posted-views.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { makeDataDirectory } from "../../support/data-directory.ts";

const CONVERSATION = "chat:C1:one";
let directory: string;
let store: Store;
let journal: Journal;
beforeEach(async () => {
  directory = makeDataDirectory("journal");
  store = await openStore({ kind: "sqlite", file: join(directory, "store.db") });
  journal = new Journal(store);
});
afterEach(async () => {
  await store[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

const overheard = (event: string): ConversationLine => ({
  kind: "overheard",
  data: { event, messageId: event, author: "chat:ann", name: "Ann", text: "hello" },
});
const kinds = async () => (await store.read(CONVERSATION)).map(({ kind }) => kind);
async function write(...lines: (readonly [kind: string, data: Json])[]) {
  const { length } = await kinds();
  const added = lines.map(([kind, data]) => ({ kind, data }));
  await store.append(CONVERSATION, length, added);
}

describe("the version of a journal", () => {
  it("stands before the first line", async () => {
    await journal.write(CONVERSATION, () => [overheard("one")]);
    await journal.write(CONVERSATION, () => [overheard("two")]);
    expect(await kinds()).toEqual(["journal.version", "overheard", "overheard"]);
    expect((await store.read(CONVERSATION))[0]?.data).toEqual({ version: JOURNAL_VERSION });
  });

  it("is added to a journal that was written before there were any", async () => {
    const { kind, data } = overheard("old");
    await write([kind, data as Json]);
    await journal.write(CONVERSATION, ({ events }) =>
      events.has("old") ? [overheard("new")] : [],
    );
    expect(await kinds()).toEqual(["overheard", "journal.version", "overheard"]);
  });

  it("is left alone where it is newer", async () => {
    await write(["journal.version", { version: 99 }]);
    await journal.write(CONVERSATION, () => [overheard("one")]);
    expect(await kinds()).toEqual(["journal.version", "overheard"]);
  });
});

describe("a line of a kind that this version does not know", () => {
  const readers = {
    conversation: () => journal.read(CONVERSATION),
    permissions: () => journal.read(CONVERSATION, permissions),
    "posted views": () => journal.read(CONVERSATION, postedViews),
    costs: () => journal.read(CONVERSATION, costs),
  };

  it.each([
    ["weather.changed", []],
    ["turn.paused", ["conversation"]],
    ["message.pinned", ["conversation"]],
    ["grant.narrowed", ["permissions"]],
    ["approval.delegated", ["permissions"]],
    ["view.split", ["posted views"]],
  ])(
    "%s is refused by its name by those who need it (%j), and kept by the others",
    async (kind, refusing) => {
      await write(["journal.version", { version: 99 }], [kind, {}]);
      const refused: string[] = [];
      for (const [reader, read] of Object.entries(readers)) {
        const message = await read().then(
          () => undefined,
          (error: Error) => error.message,
        );
        if (message === undefined) continue;
        refused.push(reader);
        expect(message).toContain(`Line 2 of a journal is an unknown "${kind}".`);
        expect(message).toContain("journal version 99");
      }
      expect(refused).toEqual(refusing);
      expect(await kinds()).toEqual(["journal.version", kind]);
    },
  );

  it("costs the others nothing where it is read together with them", async () => {
    await journal.write(CONVERSATION, () => [overheard("one")]);
    await journal.read(CONVERSATION, permissions);
    await write(["grant.narrowed", {}]);
    expect((await journal.read(CONVERSATION)).seq).toBe(3);
    for (let look = 0; look < 2; look += 1)
      await expect(journal.read(CONVERSATION, permissions)).rejects.toThrow("grant.narrowed");
    expect(await journal.write(CONVERSATION, () => [overheard("two")])).toBe(true);
  });
});

describe("what is read of a journal", () => {
  it("is read once for all purposes that are kept", async () => {
    let reads = 0;
    const counting = new Journal({
      ...store,
      read: async (...args) => {
        const lines = await store.read(...args);
        reads += lines.length;
        return lines;
      },
    });
    await counting.read(CONVERSATION);
    await counting.read(CONVERSATION, permissions);
    await journal.write(CONVERSATION, () => [overheard("one"), overheard("two")]);
    await counting.read(CONVERSATION, permissions);
    expect((await counting.read(CONVERSATION)).overheard).toHaveLength(2);
    expect(reads).toBe(3);
  });

  it("cannot be changed by those who read it", async () => {
    const { open, overheard: others } = await journal.read(CONVERSATION);
    const { grants } = await journal.read(CONVERSATION, permissions);
    // Never called: the compiler has to refuse each of these lines.
    const change = () => {
      // @ts-expect-error
      others.push(others[0]);
      // @ts-expect-error
      if (open) open.maximum = 1;
      // @ts-expect-error
      open?.calls[0]?.result?.progressEvents.pop();
      // @ts-expect-error
      grants.clear();
    };
    expect(change).toBeTypeOf("function");
  });
});

describe("a decision on what a journal says", () => {
  const used = (grant: string) => ({
    kind: "grant.used" as const,
    data: { grant, callId: "c", digest: "d", at: "2030-01-01T00:00:00.000Z" },
  });

  it("is made anew where another process has written meanwhile", async () => {
    const other = new Journal(store);
    await journal.read(CONVERSATION);
    await other.write(CONVERSATION, () => [overheard("one")]);
    const seen: number[] = [];
    await journal.write(CONVERSATION, ({ seq }) => {
      seen.push(seq);
      return [overheard("two")];
    });
    expect(seen).toEqual([0, 2]);
    expect((await journal.read(CONVERSATION)).overheard).toHaveLength(2);
  });

  it("gives its other answer where a claim is taken, and is made again without one", async () => {
    await store.append("chat:C1:other", 0, [], { claims: ["one"] });
    const claims = ["one"];
    const lines = [used("g")];
    const propose = () => ({ lines, claims, answer: "mine", otherwise: "taken" });
    expect(await journal.decide(CONVERSATION, permissions, propose)).toBe("taken");
    let tries = 0;
    const answer = await journal.decide(CONVERSATION, permissions, () => {
      tries += 1;
      return tries === 1 ? { lines, claims, answer: "mine" } : { answer: "nothing to do" };
    });
    expect([answer, tries]).toEqual(["nothing to do", 2]);
    expect(await kinds()).toEqual([]);
  });

  it("is refused to those who have lost the lease", async () => {
    const old = await store.lease(CONVERSATION, "one", 60_000);
    await old?.release();
    await store.lease(CONVERSATION, "two", 60_000);
    const fence = old?.fence;
    await expect(
      journal.write(CONVERSATION, () => [overheard("one")], { ...(fence && { fence }) }),
    ).rejects.toThrow(LeaseLostError);
    await expect(journal.append(CONVERSATION, [overheard("one")], { fence })).rejects.toThrow(
      LeaseLostError,
    );
    expect(await kinds()).toEqual([]);
  });
});
