import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Journal } from "../../../src/journal/journal.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { createReply, type Reply } from "../../../src/reply/reply.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { until } from "../../support/until.ts";
import type { Stage } from "./rig.ts";
import { approvalOf, BUTTON, SAMPLES, todoList } from "./views.ts";

/** What people see of a conversation whose platform goes away and comes back, with the part of the core that shows it. */
export function comingBack(stage: Stage): void {
  const { lacks } = stage;
  const board = (titles: readonly string[]) =>
    ({ kind: "todoBoard", todos: todoList(titles), buttons: [BUTTON] }) as const;
  const waiting = SAMPLES.approval.view;

  const texts = async () => (await stage.rig.people.visible(stage.thread)).map(({ text }) => text);
  const shows = (...words: readonly string[]) =>
    until(
      async () => {
        const seen = await texts();
        return words.every((word, index) => seen[index]?.includes(word));
      },
      `what people see: ${words.join(", ")}`,
    );

  async function withReply(story: (reply: Reply) => Promise<void>): Promise<void> {
    const directory = mkdtempSync(join(tmpdir(), "coming-back-"));
    const store = await openStore({ kind: "sqlite", file: join(directory, "store.db") });
    const { adapter } = stage.rig;
    const log = () => undefined;
    const reply = createReply({
      redactor: createRedactor({ secrets: {} }),
      journal: new Journal(store),
      notices: store.documents("unreadable"),
      adapterOf: () => adapter,
      log,
      leastEditGapMs: 5,
    });
    try {
      await story(reply);
    } finally {
      await reply[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true, force: true });
    }
  }

  async function away(meanwhile: () => void | Promise<void>): Promise<void> {
    const { faults } = stage.rig.people;
    await faults.disconnect();
    await meanwhile();
    await new Promise((resolve) => setTimeout(resolve, 30));
    await faults.reconnect();
  }

  it.skipIf(lacks.has("reconnects"))(
    "13.8 the core is told each time the connection is back, and not of the first one",
    async () => {
      expect(stage.reconnects).toBe(0);
      for (const times of [1, 2]) {
        await away(() => undefined);
        await until(() => stage.reconnects >= times, "the word that it is back");
        expect(stage.reconnects).toBe(times);
      }
    },
  );

  it.skipIf(lacks.has("a server elsewhere"))(
    "still posts and edits once closed: the bot shows the end of its turns after that",
    async () => {
      const { adapter, people } = stage.rig;
      await adapter.post(stage.thread, SAMPLES.approval.view, "before");
      await adapter[Symbol.asyncDispose]();
      const post = await adapter.post(stage.thread, board(["first words"]), "after");
      await shows("", "first words");
      await adapter.edit(stage.thread, post, board(["last words"]));
      await shows("", "last words");
      expect(await people.visible(stage.thread)).toHaveLength(2);
    },
  );

  it.skipIf(lacks.has("reconnects"))("once closed, nobody is told any more", async () => {
    const { adapter, people } = stage.rig;
    await people.faults.disconnect();
    await adapter[Symbol.asyncDispose]();
    await people.faults.reconnect();
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(stage.reconnects).toBe(0);
  });

  it("13.8 what has changed meanwhile is made good in the same messages, and what is new comes once", () =>
    withReply(async (reply) => {
      const { thread } = stage;
      reply.show(thread, "todos", board(["one"]));
      reply.show(thread, "approval", waiting);
      await reply.flush(thread);
      const before = await stage.rig.people.visible(thread);
      await away(() => {
        reply.show(thread, "todos", board(["one", "two"]));
        reply.show(thread, "todos", board(["one", "two", "three"]));
        const view = { approval: approvalOf("no", "x"), requester: "Ada", buttons: [] } as const;
        reply.show(thread, "approval", { kind: "approval", ...view });
        reply.show(thread, "new", { kind: "notice", level: "info", text: "said meanwhile" });
      });
      await reply.restore(thread);
      await shows("0/3", "Denied", "said meanwhile");
      await reply.flush(thread);
      const after = await stage.rig.people.visible(thread);
      expect(after).toHaveLength(3);
      expect(after.slice(0, 2).map(({ post }) => post)).toEqual(before.map(({ post }) => post));
      expect(after[1]?.buttons).toEqual([]);
    }));

  it("13.8 what has not changed is shown again and not doubled, and its buttons still work", () =>
    withReply(async (reply) => {
      const { rig, ada, thread } = stage;
      reply.show(thread, "todos", board(["one"]));
      reply.show(thread, "approval", waiting);
      reply.show(thread, "over", { kind: "notice", level: "info", text: "over and done" });
      await reply.flush(thread);
      const before = await rig.people.visible(thread);
      await away(() => undefined);
      await reply.restore(thread);
      await reply.flush(thread);
      const after = await rig.people.visible(thread);
      expect(after).toEqual(before);
      for (const post of [before[1], before[0]]) {
        const heard = stage.received.events.length;
        const action = post?.buttons[0]?.action ?? "";
        await rig.people.click(ada, thread, { post: post?.post ?? "", action });
        await until(() => stage.received.events.length > heard, "the click");
        expect(stage.received.events.at(-1)).toMatchObject({ type: "click", action });
      }
    }));

  it("7.21 what somebody has deleted meanwhile stands there again, as it is by now", () =>
    withReply(async (reply) => {
      const { rig, thread } = stage;
      reply.show(thread, "todos", board(["one"]));
      await reply.flush(thread);
      const [shown] = await rig.people.visible(thread);
      await rig.people.faults.deletePost(thread, shown?.post ?? "");
      await away(() => reply.show(thread, "todos", board(["one", "two"])));
      await reply.restore(thread);
      await shows("0/2");
      await reply.flush(thread);
      expect(await rig.people.visible(thread)).toHaveLength(1);
    }));
}
