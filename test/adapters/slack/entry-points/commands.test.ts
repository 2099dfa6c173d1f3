import { afterEach, describe, expect, it } from "vitest";
import type { View } from "../../../../src/contract/platform/view.ts";
import { FORM_BUTTON } from "../../../contracts/adapter/views.ts";
import { ownMs } from "../../../support/own-clock.ts";
import { SlackLab } from "../../../support/slack-lab.ts";
import type { SlackRigOptions } from "../../../support/slack-rig.ts";
import { until } from "../../../support/until.ts";

let lab: SlackLab;
const open = async (options: SlackRigOptions = {}) => {
  lab = await SlackLab.start(options);
  return lab;
};
afterEach(() => lab[Symbol.asyncDispose]());

const notice = (text: string): View => ({ kind: "notice", level: "info", text });
const lastText = () => lab.whispers().at(-1)?.text ?? "";

describe("15.20 slash commands", () => {
  it("answer at once that there is no thread yet", async () => {
    await open();
    const from = ownMs();
    await lab.ada.runs(lab.channel, "/todos");
    expect(ownMs() - from).toBeLessThan(3_000);
    expect(lastText()).toContain("Mention me");
    expect(lab.incoming).toEqual([]);
  });

  it("mean the only thread that somebody has in a channel, and are answered where they were typed", async () => {
    await open();
    const { thread } = await lab.thread("fix the build");
    await lab.ada.runs(lab.channel, "/terminal", "history 2");
    expect(lab.incoming.at(-1)).toMatchObject({
      type: "command",
      text: "terminal history 2",
      thread,
      isChannelMember: true,
    });
    await lab.adapter.post(thread, notice("a reply, so that the thread is one"), "k");
    await lab.adapter.whisper(thread, lab.ada.user.id, notice("the history"));
    expect(lastText()).toContain("the history");
  });

  it("let people choose among several threads; others' are not among them", async () => {
    await open();
    const bob = lab.slack.human();
    lab.channel.members.add(bob.user.id);
    bob.says(lab.channel, "bob's own", { mention: true });
    await lab.heard(1);
    await lab.thread("fix the build");
    const { thread, root } = await lab.thread("write the docs");
    await lab.ada.runs(lab.channel, "/todos");
    const [picker] = lab.whispers();
    expect(picker?.buttons.map(({ label }) => label.split(" · ")[0])).toEqual([
      "write the docs",
      "fix the build",
    ]);
    if (picker) await lab.ada.clicks(picker.message, root);
    expect(lab.incoming.at(-1)).toMatchObject({ type: "command", text: "todos", thread });
  });

  it("take the link of a thread, also of another channel", async () => {
    await open();
    const other = lab.slack.channel([lab.ada]);
    const { message } = lab.ada.says(other, "over there", { mention: true });
    await lab.heard(1);
    const thread = lab.threadAt(message.ts, other);
    const link = await lab.adapter.link(thread);
    await lab.ada.runs(lab.channel, "/deckhand", `${link} status`);
    expect(lab.incoming.at(-1)).toMatchObject({ type: "command", text: "status", thread });
  });

  it("do not give those who are not in its channel more than that they are not", async () => {
    await open();
    const { thread } = await lab.thread();
    const bob = lab.slack.human();
    const elsewhere = lab.slack.channel([bob]);
    const { receive } = lab;
    lab.receive = async (incoming) => {
      await receive(incoming);
      return { outcome: "ignored", reason: "You are not in this channel." };
    };
    await bob.runs(elsewhere, "/todos", String(await lab.adapter.link(thread)));
    expect(lab.incoming.at(-1)).toMatchObject({ type: "command", isChannelMember: false });
    expect(bob.sees(elsewhere).map(({ text }) => text)).toEqual(["You are not in this channel."]);
    expect(bob.failures).toEqual([]);
  });

  it("about a thread of another channel are answered where they were typed, with buttons that work", async () => {
    await open();
    const { thread, root } = await lab.thread();
    await lab.adapter.post(thread, notice("a reply, so that the thread is one"), "k");
    const elsewhere = lab.slack.channel([lab.ada]);
    await lab.ada.runs(elsewhere, "/todos", String(await lab.adapter.link(thread)));
    const buttons = [{ action: "verb:todos", label: "Todos" }];
    await lab.adapter.whisper(thread, lab.ada.user.id, { ...notice("the todos"), buttons } as View);
    const [seen] = lab.ada.sees(elsewhere).filter(({ isWhisper }) => isWhisper);
    expect(seen?.text).toContain("the todos");
    if (seen) await lab.ada.clicks(seen.message, "verb:todos");
    expect(lab.incoming.at(-1)).toMatchObject({ type: "click", thread, action: "verb:todos" });
    expect(lab.sees(root)).toHaveLength(1);
  });

  it("typed where the bot is not are answered in the channel of the thread", async () => {
    await open();
    const { thread } = await lab.thread();
    const elsewhere = lab.slack.channel([lab.ada]);
    elsewhere.members.delete(lab.slack.app.user.id);
    await lab.ada.runs(elsewhere, "/todos", String(await lab.adapter.link(thread)));
    await lab.adapter.whisper(thread, lab.ada.user.id, notice("the todos"));
    expect(lastText()).toContain("the todos");
  });
});

describe("shortcuts", () => {
  it("at a message of a thread stand for the word, in that thread", async () => {
    await open();
    const { thread, root } = await lab.thread();
    const { message } = lab.ada.says(lab.channel, "a reply", { thread: root });
    await lab.heard(2);
    await lab.ada.shortcut("terminal", message);
    expect(lab.incoming.at(-1)).toMatchObject({ type: "command", text: "terminal", thread });
  });

  it("15.3 ask about a message: it comes as a mention that points at it", async () => {
    await open();
    const { thread, root } = await lab.thread();
    const { message } = lab.ada.says(lab.channel, "exit code 137", { thread: root });
    await lab.heard(2);
    await lab.ada.shortcut("ask", message);
    await lab.ada.submits({ typed: "what does it mean?" });
    expect(lab.incoming.at(-1)).toMatchObject({
      type: "message",
      text: "what does it mean?",
      pointedAt: "exit code 137",
      isMention: true,
      thread,
    });
  });

  it("show all threads of whoever asks", async () => {
    await open();
    await lab.thread("fix the build");
    await until(async () => (await lab.rig.documents.keys("thread:")).length > 0, "the thread");
    // The list takes longer than this; the window is there at once.
    lab.slack.faults.refuseNext(1_000, "conversations.members");
    await lab.ada.shortcut("threads");
    const shown = () => JSON.stringify(lab.ada.window?.content.blocks ?? "");
    expect(shown()).toContain("Looking");
    await until(() => shown().includes("fix the build"), "the list");
    expect(lab.ada.failures).toEqual([]);
  });

  it.each(["status", "ask"])(
    "at a message where the bot is not say so, since nothing else could be seen there: %s",
    async (id) => {
      await open();
      const elsewhere = lab.slack.channel([lab.ada]);
      elsewhere.members.delete(lab.slack.app.user.id);
      const { message } = lab.ada.says(elsewhere, "exit code 137");
      await lab.ada.shortcut(id, message);
      if (id === "ask") await lab.ada.submits({ typed: "what does it mean?" });
      const { content, errors } = lab.ada.window ?? {};
      expect(JSON.stringify([content, errors])).toContain("/invite");
      expect(lab.ada.failures).toEqual([]);
      expect(lab.incoming).toEqual([]);
    },
  );

  it("that ask are refused in the window itself", async () => {
    await open();
    const { root } = await lab.thread();
    const { message } = lab.ada.says(lab.channel, "exit code 137", { thread: root });
    await lab.heard(2);
    await lab.ada.shortcut("ask", message);
    lab.receive = async () => ({ outcome: "ignored", reason: "You may not." });
    await lab.ada.submits({ typed: "what does it mean?" });
    expect(lab.ada.window?.errors).toEqual({ typed: "You may not." });
  });
});

describe("the home tab", () => {
  const approval = { kind: "question", prompt: "May I?", buttons: [FORM_BUTTON] } as const;
  const homeOf = (user: string) =>
    JSON.stringify(lab.slack.world.homes.get(user)?.content.blocks ?? "");

  it("lists what waits and one's own threads, with links, and only where one is a member", async () => {
    await open();
    const { thread } = await lab.thread("fix the build");
    const post = await lab.adapter.post(thread, approval, "k");
    const bob = lab.slack.human();
    lab.ada.opensHome();
    bob.opensHome();
    await until(() => homeOf(lab.ada.user.id).includes("May I?"), "the home tab");
    await until(() => homeOf(bob.user.id) !== '""', "Bob's home tab");
    expect(homeOf(lab.ada.user.id)).toContain("fix the build");
    expect(homeOf(lab.ada.user.id)).toContain(`/archives/${lab.channel.id}/p`);
    expect(homeOf(bob.user.id)).not.toContain("May I?");
    const answer = { text: "yes", by: "Ada", at: "2026-11-16T12:00:00.000Z" };
    await lab.adapter.edit(thread, post, { ...approval, buttons: [], answer });
    await until(async () => (await lab.rig.documents.keys("waiting:")).length === 0, "the end");
    lab.ada.opensHome();
    await until(() => !homeOf(lab.ada.user.id).includes("May I?"), "the next home tab");
  });

  it("shows nothing that the bot would not let them read", async () => {
    await open({ hooks: { mayRead: () => false } });
    await lab.thread("fix the build");
    lab.ada.opensHome();
    await until(() => homeOf(lab.ada.user.id).includes("None yet"), "the home tab");
    expect(homeOf(lab.ada.user.id)).not.toContain("fix the build");
  });
});
