import { expect, it } from "vitest";
import { DeliveryError } from "../../../src/contract/platform/adapter.ts";
import type { View, ViewKind } from "../../../src/contract/platform/view.ts";
import type { Stage } from "./rig.ts";
import { approvalOf, BUTTON, SAMPLES, todoList } from "./views.ts";

const KINDS = Object.keys(SAMPLES) as ViewKind[];
const notice = (text: string): View => ({ kind: "notice", level: "info", text });

export function showing(stage: Stage): void {
  const { lacks } = stage;
  const visible = () => stage.rig.people.visible(stage.thread);
  const texts = async () => (await visible()).map(({ text }) => text);

  it.each(KINDS)("%s: its essential words can be read", async (kind) => {
    const { rig, thread } = stage;
    const { view, essential } = SAMPLES[kind];
    await rig.adapter.post(thread, view, "k");
    const [post] = await visible();
    for (const words of essential) expect(post?.text).toContain(words);
  });

  it.each(KINDS)("%s: its buttons are there", async (kind) => {
    const { rig, thread } = stage;
    const { view } = SAMPLES[kind];
    const expected = "buttons" in view ? (view.buttons ?? []) : [];
    const options = view.kind === "picker" ? view.options : expected;
    await rig.adapter.post(thread, view, "k");
    const [post] = await visible();
    expect(post?.buttons.map(({ action }) => action)).toEqual(options.map(({ action }) => action));
  });

  it.each(KINDS)("%s: can take the place of something else by an edit", async (kind) => {
    const { rig, thread } = stage;
    const { view, essential } = SAMPLES[kind];
    const post = await rig.adapter.post(thread, notice("before"), "k");
    expect(await rig.adapter.edit(thread, post, view)).toBe("edited");
    const [shown, ...others] = await visible();
    expect(others).toEqual([]);
    expect(shown?.post).toBe(post);
    expect(shown?.text).not.toContain("before");
    for (const words of essential) expect(shown?.text).toContain(words);
  });

  it("posts stand in the order of posting", async () => {
    const { rig, thread } = stage;
    for (let turn = 0; turn < 8; turn += 1) {
      await rig.adapter.post(thread, notice(`number ${turn}`), `k${turn}`);
    }
    const shown = await texts();
    expect(shown).toHaveLength(8);
    for (const [turn, text] of shown.entries()) expect(text).toContain(`number ${turn}`);
  });

  it("the same key twice gives one message", async () => {
    const { rig, thread } = stage;
    const first = await rig.adapter.post(thread, notice("once"), "same");
    expect(await rig.adapter.post(thread, notice("once"), "same")).toBe(first);
    expect(await visible()).toHaveLength(1);
  });

  it("the same key with another view gives one message that shows the newer one", async () => {
    const { rig, thread } = stage;
    const first = await rig.adapter.post(thread, notice("old"), "same");
    expect(await rig.adapter.post(thread, notice("new"), "same")).toBe(first);
    expect(await texts()).toEqual([expect.stringContaining("new")]);
  });

  it("different keys with the same view give two messages", async () => {
    const { rig, thread } = stage;
    const first = await rig.adapter.post(thread, notice("twin"), "one");
    expect(await rig.adapter.post(thread, notice("twin"), "two")).not.toBe(first);
    expect(await visible()).toHaveLength(2);
  });

  it("a key of 300 characters is as good as any", async () => {
    const { rig, thread } = stage;
    const keys = ["a", "b"].map((end) => "k".repeat(299) + end);
    for (const key of [...keys, ...keys])
      await rig.adapter.post(thread, notice(key.slice(-1)), key);
    expect(await visible()).toHaveLength(2);
  });

  it("an edit changes only its own message", async () => {
    const { rig, thread } = stage;
    await rig.adapter.post(thread, notice("one"), "1");
    const post = await rig.adapter.post(thread, notice("two"), "2");
    await rig.adapter.post(thread, notice("three"), "3");
    await rig.adapter.edit(thread, post, notice("deux"));
    expect((await texts()).map((text) => /one|deux|two|three/.exec(text)?.[0])).toEqual([
      "one",
      "deux",
      "three",
    ]);
  });

  it("buttons go when the view has none any more", async () => {
    const { rig, thread } = stage;
    const view = { kind: "notice", level: "info", text: "?", buttons: [BUTTON] } as const;
    const post = await rig.adapter.post(thread, view, "k");
    await rig.adapter.edit(thread, post, notice("decided"));
    expect((await visible())[0]?.buttons).toEqual([]);
  });

  it("an approval says who decided, and what", async () => {
    const { rig, thread } = stage;
    const ask = SAMPLES.approval.view;
    const post = await rig.adapter.post(thread, ask, "k");
    const approval = approvalOf("Not on a Friday", "built.txt");
    const decided = {
      kind: "approval",
      approval,
      requester: "Ada",
      decidedBy: "Grace",
      buttons: [],
    } as const;
    await rig.adapter.edit(thread, post, decided);
    const [shown] = await visible();
    for (const words of ["Denied", "Grace", "Not on a Friday", "echo built.txt"]) {
      expect(shown?.text).toContain(words);
    }
    expect(shown?.buttons).toEqual([]);
  });

  it("what was removed is gone, and removing it again does no harm", async () => {
    const { rig, thread } = stage;
    const post = await rig.adapter.post(thread, notice("away with it"), "k");
    await rig.adapter.remove(thread, post);
    expect(await visible()).toEqual([]);
    await rig.adapter.remove(thread, post);
  });

  it("an edit of what somebody has deleted says that it is gone", async () => {
    const { rig, thread } = stage;
    const post = await rig.adapter.post(thread, notice("here"), "k");
    await rig.people.faults.deletePost(thread, post);
    expect(await rig.adapter.edit(thread, post, notice("there"))).toBe("gone");
    expect(await visible()).toEqual([]);
  });

  it("a reply as long as promised is shown whole", async () => {
    const { rig, thread } = stage;
    const text = `begin ${"word ".repeat(rig.adapter.limits.replyChars / 5 - 10)} end`;
    expect(text.length).toBeLessThanOrEqual(rig.adapter.limits.replyChars);
    await rig.adapter.post(thread, { kind: "reply", text, isFinal: true }, "k");
    const shown = (await texts()).join(" ");
    expect(shown.match(/word/g)).toHaveLength(text.match(/word/g)?.length ?? 0);
    expect(shown).toMatch(/begin[\s\S]*end/);
  });

  it("a reply of the awkwardest characters is shown, as long as promised", async () => {
    const { rig, thread } = stage;
    for (const piece of ["&", "<", "😀", "`", "*", "_", "\\", "漢", "https://a.b ", "\n"]) {
      const text = piece.repeat(Math.floor(rig.adapter.limits.replyChars / piece.length));
      await rig.adapter.post(thread, { kind: "reply", text, isFinal: true }, `k${piece}`);
    }
    expect(await visible()).toHaveLength(10);
  });

  it("an empty reply is no error", async () => {
    const { rig, thread } = stage;
    const post = await rig.adapter.post(thread, { kind: "reply", text: "", isFinal: false }, "k");
    await rig.adapter.edit(thread, post, { kind: "reply", text: "words", isFinal: true });
    expect((await texts()).at(-1)).toContain("words");
  });

  it("7.23 of 500 todos, those in progress are seen and the others counted", async () => {
    const { rig, thread } = stage;
    const titles = Array.from(
      { length: 500 },
      (_, index) => `Todo number ${index} ${"x".repeat(60)}`,
    );
    await rig.adapter.post(
      thread,
      { kind: "todoBoard", todos: todoList(titles), buttons: [BUTTON] },
      "k",
    );
    const [shown] = await visible();
    expect(shown?.text).toContain("Todo number 0");
    expect(shown?.text).toContain("0/500");
    const listed = shown?.text.match(/Todo number/g)?.length ?? 0;
    const more = Number(/and (\d+) more/.exec(shown?.text ?? "")?.[1] ?? 0);
    expect(listed + more).toBe(500);
    expect(shown?.buttons).toHaveLength(1);
  });

  it("of 500 calls the newest are seen", async () => {
    const { rig, thread } = stage;
    const lines = Array.from({ length: 500 }, (_, index) => ({
      callId: `c${index}`,
      title: `Call number ${index}.`,
      details: ["detail ".repeat(5)],
      status: "success" as const,
    }));
    await rig.adapter.post(thread, { kind: "activity", lines, status: "done", buttons: [] }, "k");
    expect((await texts())[0]).toContain("Call number 499.");
  });

  it.each(["terminal", "diff", "question", "notice"] as const)(
    "a %s of 100 KB is no error",
    async (kind) => {
      const { rig, thread } = stage;
      const long = `begin ${"line of text\n".repeat(8_000)} end`;
      const views: Record<typeof kind, View> = {
        terminal: { kind: "terminal", title: "t", text: long, hiddenLines: 0, buttons: [BUTTON] },
        diff: { kind: "diff", title: "t", diff: long, buttons: [BUTTON] },
        question: { kind: "question", prompt: long, context: long, buttons: [BUTTON] },
        notice: { kind: "notice", level: "info", text: long, buttons: [BUTTON] },
      };
      await rig.adapter.post(thread, views[kind], "k");
      const [shown] = await visible();
      // Of output the end counts, of everything else the beginning.
      expect(shown?.text).toContain(kind === "terminal" ? "end" : "begin");
      expect(shown?.buttons).toHaveLength(1);
    },
  );

  it("what is waiting for an answer says so, and what was answered says by whom", async () => {
    const { rig, thread } = stage;
    const ask = { kind: "question", prompt: "Which?", buttons: [BUTTON] } as const;
    const post = await rig.adapter.post(thread, ask, "k");
    expect((await texts())[0]).toContain("Waiting for your response");
    const answer = { text: "the second", by: "Ada", at: "2026-11-16T12:00:00.000Z" };
    await rig.adapter.edit(thread, post, { ...ask, buttons: [], answer });
    const [answered] = await texts();
    for (const words of ["Which?", "the second", "Ada"]) expect(answered).toContain(words);
    expect(answered).not.toContain("Waiting for your response");
    await rig.adapter.edit(thread, post, { ...ask, buttons: [], isCancelled: true });
    expect((await texts())[0]).toMatch(/cancelled/i);
  });

  it("a whisper is seen by its person and not in the thread", async () => {
    const { rig, ada, thread } = stage;
    await rig.adapter.whisper(thread, ada.id, notice("between us"));
    expect(await visible()).toEqual([]);
    const whispers = await rig.people.whispers(thread, ada);
    expect(whispers.map(({ text }) => text)).toEqual([expect.stringContaining("between us")]);
  });

  it.skipIf(lacks.has("other people"))("a whisper is not seen by anybody else", async () => {
    const { rig, ada, thread } = stage;
    const other = rig.people.person();
    await rig.adapter.whisper(thread, ada.id, notice("between us"));
    expect(await rig.people.whispers(thread, other)).toEqual([]);
    expect(await rig.people.visible(thread, other)).toEqual([]);
  });

  it("threads do not see each other's messages", async () => {
    const { rig, thread } = stage;
    const other = await rig.people.newThread();
    await rig.adapter.post(thread, notice("here"), "k");
    await rig.adapter.post(other, notice("there"), "k");
    expect(await texts()).toEqual([expect.stringContaining("here")]);
    expect((await rig.people.visible(other)).map(({ text }) => text)).toEqual([
      expect.stringContaining("there"),
    ]);
  });

  it("a thread of another platform is refused", async () => {
    const { adapter } = stage.rig;
    const posting = adapter.post("elsewhere:C1:1", notice("lost"), "k");
    await expect(posting).rejects.toThrow(DeliveryError);
  });
}
