import { describe, expect, it } from "vitest";
import type { JournalLine, Json, Store } from "../../src/contract/store.ts";
import { call, say } from "../support/model-server/replies.ts";
import { Talk } from "../support/talk.ts";
import { until } from "../support/until.ts";

/** A store in which the first line of a kind has come to hold something else, until somebody repairs it. */
class Damaged {
  readonly store: Store;
  isRepaired = false;
  #seq: number | undefined;

  constructor(store: Store, thread: string, kind: string, data: Json) {
    const spoilt = (line: JournalLine): JournalLine => {
      if (this.isRepaired || line.kind !== kind) return line;
      this.#seq ??= line.seq;
      return line.seq === this.#seq ? { ...line, data } : line;
    };
    this.store = {
      ...store,
      read: async (conversation, range) => {
        const lines = await store.read(conversation, range);
        return conversation === thread ? lines.map(spoilt) : lines;
      },
      last: async (conversation, wanted) => {
        const line = await store.last(conversation, wanted);
        return conversation === thread && line ? spoilt(line) : line;
      },
    };
  }
}

const add = (title: string) =>
  call("todo_operations", { operation: "add", newTodos: [{ title, description: title }] });
const laments = (talk: Talk) =>
  talk.texts().filter((text) => text.includes("cannot read my record of this thread"));

/** A thread in which something was done, over a store that is damaged from here on. */
async function damaged(talk: Talk, kind: string, data: Json): Promise<Damaged> {
  talk.model.script([add("Look"), say("Planned.")]);
  await talk.say("plan it");
  await talk.sees("Planned.");
  await talk.rests();
  await talk.bot[Symbol.asyncDispose]();
  const broken = new Damaged(talk.store, talk.thread, kind, data);
  await talk.startBot(broken.store);
  return broken;
}

describe("a thread whose record cannot be read", () => {
  it.each([
    ["a message", "message", { nonsense: true }],
    ["should hold a message id", "view.posted", { slot: "todos" }],
    ["a permission", "approval.decided", { approval: 1 }],
  ])(
    "5.12 is told so once, and loses nothing (%s)",
    async (_, kind, data) => {
      await using talk = await Talk.start();
      if (kind === "approval.decided")
        await talk.store.append(talk.thread, 0, [{ kind, data: OVER }]);
      const broken = await damaged(talk, kind, data);
      talk.model.script(() => say("The first answer."), { when: "the first thing" });
      talk.model.script(() => say("The second answer."), { when: "the second thing" });
      await talk.say("do the first thing");
      await talk.sees("cannot read my record of this thread");
      await talk.say("queue do the second thing");
      const elsewhere = await talk.rig.people.newThread();
      talk.model.script(() => say("Here all is well."), { when: "the other one" });
      await talk.rig.people.say(talk.ada, elsewhere, "how is the other one?");
      const texts = () => talk.rig.platform.posts(elsewhere).map(({ text }) => text);
      await until(() => texts().some((text) => text.includes("Here all is well.")), "the other");
      await talk.bot[Symbol.asyncDispose]();
      await talk.startBot(broken.store);
      await talk.sees("For the operator: Line");
      await until(async () => (await talk.store.inbox.pending()).length >= 0, "the next look");
      broken.isRepaired = true;
      await talk.sees("The first answer.", 60_000);
      await talk.sees("The second answer.", 60_000);
      expect(laments(talk)).toEqual([expect.stringMatching(/Nothing is lost.*backup/s)]);
    },
    90_000,
  );

  it("5.12 is told so when somebody looks at what is damaged, and works on otherwise", async () => {
    await using talk = await Talk.start();
    await damaged(talk, "todo", { nonsense: true });
    talk.model.script(() => say("I go on."), { when: "go on" });
    await talk.say("go on");
    await talk.sees("I go on.");
    await talk.rests();
    expect(laments(talk)).toEqual([]);
    await talk.say("todos");
    await talk.sees("cannot read my record of this thread");
  });
});

const OVER = { approval: "none", choice: "deny", by: [], at: "2030-01-01T00:00:00.000Z" };
