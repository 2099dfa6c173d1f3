import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { DiscordAdapter } from "../../../adapters/discord/index.ts";
import type { Incoming } from "../../../src/contract/platform/incoming.ts";
import type { View } from "../../../src/contract/platform/view.ts";
import { ADA, startTwin } from "../../support/discord/twin.ts";
import { MemoryDocuments } from "../../support/slack-rig.ts";
import { until } from "../../support/until.ts";

let discord: Awaited<ReturnType<typeof startTwin>>;
let twin: typeof discord.twin;
let adapter: DiscordAdapter;
const heard: Incoming[] = [];
beforeAll(async () => {
  discord = await startTwin();
  ({ twin } = discord);
  adapter = discord.adapter(new MemoryDocuments());
  await adapter.start(async (incoming) => {
    heard.push(incoming);
    return { outcome: "accepted" };
  });
});
beforeEach(() => {
  heard.length = 0;
});
afterAll(async () => {
  await adapter[Symbol.asyncDispose]();
  await twin.stop();
});

/** The bot is called in a thread. */
async function begins(text: string) {
  const { channel, thread } = discord.newThread();
  const content = `<@${twin.botUserId}> ${text}`;
  const { id } = await twin.simulateUserMessage({ channelId: channel, userId: ADA, content });
  await until(() => heard.some((one) => one.id === `message:${id}`), "the mention");
  expect(heard.at(-1)).toMatchObject({ type: "message", text, isMention: true, thread });
  return { thread, channel, messageId: id };
}

const messages = (channel: string) => twin.channel(channel).getMessages();
const customIds = async (channel: string) =>
  [...JSON.stringify(await messages(channel)).matchAll(/custom_id":"([^"]+)/g)].map(([, id]) => id);

describe("the same talks on somebody else's Discord", () => {
  it("a mention is heard and answered, and so is what follows", async () => {
    const { thread, channel } = await begins("run the tests");
    const post = await adapter.post(thread, { kind: "reply", text: "One.", isFinal: false }, "k");
    expect(await adapter.edit(thread, post, { kind: "reply", text: "Two.", isFinal: true })).toBe(
      "edited",
    );
    expect(JSON.stringify(await messages(channel))).toContain("Two.");
    await twin.simulateUserMessage({ channelId: channel, userId: ADA, content: "and now?" });
    await until(() => heard.length === 2, "the next message");
    expect(heard.at(-1)).toMatchObject({ thread, text: "and now?", isMention: false });
  });

  it("edits and deletions are heard", async () => {
    const { channel } = await begins("begin");
    const { id } = await twin.simulateUserMessage({
      ...{ channelId: channel, userId: ADA, content: "tpyo" },
    });
    await until(() => heard.length === 2, "the message");
    await twin.simulateUserMessageEdit({ messageId: id, channelId: channel, content: "typo" });
    await until(() => heard.at(-1)?.type === "edit", "the edit");
    expect(heard.at(-1)).toMatchObject({ messageId: id, text: "typo" });
    await twin.simulateUserMessageDelete({ messageId: id, channelId: channel });
    await until(() => heard.at(-1)?.type === "deletion", "the deletion");
  });

  it("a button is a click, and is acknowledged", async () => {
    const { thread, channel } = await begins("begin");
    const buttons = [{ action: "verb:todos", label: "Todos" }];
    const view: View = { kind: "notice", level: "info", text: "?", buttons };
    const messageId = await adapter.post(thread, view, "k");
    const [customId = ""] = await customIds(channel);
    const who = { channelId: channel, userId: ADA, messageId };
    const { id } = await twin.simulateButtonClick({ ...who, customId });
    await until(() => heard.at(-1)?.type === "click", "the click");
    expect(heard.at(-1)).toMatchObject({ thread, action: "verb:todos", actor: { id: ADA } });
    expect(await twin.channel(channel).waitForInteractionAck({ interactionId: id })).toMatchObject({
      acknowledged: true,
    });
  });

  it("a slash command is its words", async () => {
    const { thread, channel } = await begins("begin");
    await twin.simulateSlashCommand({
      ...{ channelId: channel, userId: ADA, name: "deckhand" },
      options: [{ type: 1, name: "help", options: [{ type: 3, name: "words", value: "todos" }] }],
    });
    await until(() => heard.at(-1)?.type === "command", "the command");
    expect(heard.at(-1)).toMatchObject({ thread, text: "help todos" });
  });

  it("a form opens a window, and what was typed comes back", async () => {
    const { thread, channel } = await begins("begin");
    const form = { title: "Your answer", field: { label: "Answer" }, submit: "Send" };
    const buttons = [{ action: "answer:abc:typed", label: "Answer", form }];
    const view: View = { kind: "question", prompt: "Which?", buttons };
    const messageId = await adapter.post(thread, view, "k");
    const [customId = ""] = await customIds(channel);
    const who = { channelId: channel, userId: ADA };
    await twin.simulateButtonClick({ ...who, messageId, customId });
    await twin.simulateModalSubmit({
      ...who,
      customId,
      fields: [{ customId: "typed", value: "the second" }],
    });
    await until(() => heard.at(-1)?.type === "click", "the answer");
    expect(heard.at(-1)).toMatchObject({ thread, action: "answer:abc:typed", typed: "the second" });
  });

  it("signs stand at the message, and earlier words can be read", async () => {
    const { thread, channel, messageId } = await begins("begin");
    await adapter.post(thread, { kind: "reply", text: "One.", isFinal: true }, "k");
    await adapter.mark(thread, messageId, "seen");
    await adapter.mark(thread, messageId, "done");
    const { id } = await twin.simulateUserMessage({
      ...{ channelId: channel, userId: ADA, content: "and now?" },
    });
    await until(() => heard.length === 2, "the message");
    const said = await adapter.earlier(thread, id, 10);
    expect(said.map(({ text }) => text)).toContain("One.");
  });
});
