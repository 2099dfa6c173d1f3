import { describe, expect, it } from "vitest";
import { DiscordLab } from "./test-lab.ts";

const INTENT = {
  guilds: 1,
  messages: 1 << 9,
  reactions: 1 << 10,
  direct: 1 << 12,
  content: 1 << 15,
};

describe("what an app is told, by its intents", () => {
  it("nothing that it has not asked for, but always what somebody does with it", async () => {
    await using lab = await DiscordLab.start();
    using client = await lab.identified(INTENT.guilds);
    const { message } = lab.ada.mentions(lab.channel, "hello");
    lab.ada.reacts(message, "👀");
    lab.ada.says(lab.ada.direct, "psst");
    lab.ada.startsThread(lab.channel, "Topic");
    await lab.ran();
    await client.event("INTERACTION_CREATE");
    const types = client.heard.map(({ t }) => t).filter(Boolean);
    expect(types).toEqual(["READY", "GUILD_CREATE", "THREAD_CREATE", "INTERACTION_CREATE"]);
  });

  it("words are empty without the intent for content, unless they are meant for the app", async () => {
    await using lab = await DiscordLab.start();
    using client = await lab.identified(INTENT.guilds | INTENT.messages | INTENT.direct);
    const file = { name: "a.txt", bytes: new Uint8Array(1) };
    lab.ada.says(lab.channel, "among ourselves", { files: [file] });
    lab.ada.mentions(lab.channel, "hello");
    lab.ada.says(lab.ada.direct, "psst");
    const mine = await lab.posted({ content: "mine" });
    const message = lab.discord.world.find(lab.channel.id, mine);
    if (message) lab.ada.says(lab.channel, "an answer", { replyTo: message });
    await lab.posted({ content: "last" });
    await expect.poll(() => client.events("MESSAGE_CREATE").length).toBe(6);
    const events = client.events("MESSAGE_CREATE");
    const hello = `<@${lab.discord.app.user.id}> hello`;
    expect(events.map(({ content }) => content)).toEqual([
      "",
      hello,
      "psst",
      "mine",
      // A reply calls the one who is answered.
      "an answer",
      "last",
    ]);
    expect(events[0]).toMatchObject({ attachments: [], mentions: [] });
    expect(events[1]).toMatchObject({ mentions: [{ id: lab.discord.app.user.id }] });
  });

  it("with the intent they are there; without the app's right to it, the REST API is silent, too", async () => {
    await using lab = await DiscordLab.start();
    using client = await lab.identified(INTENT.messages | INTENT.content);
    const { message } = lab.ada.says(lab.channel, "among ourselves");
    expect(await client.event("MESSAGE_CREATE")).toMatchObject({ content: "among ourselves" });
    const path = `GET /channels/${lab.channel.id}/messages/${message.id}`;
    expect((await lab.call(path)).body).toMatchObject({ content: "among ourselves" });
    lab.discord.app.privileged.delete("content");
    expect((await lab.call(path)).body).toMatchObject({ content: "" });
  });

  it("nothing of channels and threads that it may not see", async () => {
    await using lab = await DiscordLab.start();
    using client = await lab.identified();
    const hidden = lab.discord.channel();
    lab.discord.deny(hidden, "VIEW_CHANNEL");
    lab.ada.mentions(hidden, "psst");
    const thread = lab.ada.startsThread(hidden, "Topic");
    lab.ada.mentions(thread, "psst");
    lab.ada.mentions(lab.channel, "hello");
    await client.event("MESSAGE_CREATE");
    expect(client.events("MESSAGE_CREATE")).toHaveLength(1);
    expect(client.events("THREAD_CREATE")).toEqual([]);
  });

  it("of what looks like an edit and is none: addresses that were looked up, and threads", async () => {
    await using lab = await DiscordLab.start();
    using client = await lab.identified();
    const { message } = lab.ada.says(lab.channel, "see https://example.org");
    lab.discord.unfurl(message);
    expect(await client.event("MESSAGE_UPDATE")).toMatchObject({
      edited_timestamp: null,
      embeds: [{ url: "https://example.org" }],
    });
    lab.ada.startsThread(lab.channel, "Topic", message);
    await client.event("THREAD_CREATE");
    expect(await client.event("MESSAGE_UPDATE")).toMatchObject({ edited_timestamp: null });
    expect(await client.event("MESSAGE_CREATE")).toMatchObject({ type: 21, content: "" });
  });

  it("that a thread fell asleep, when its time has passed without a word", async () => {
    await using lab = await DiscordLab.start();
    using client = await lab.identified();
    const thread = lab.ada.startsThread(lab.channel, "Topic");
    lab.discord.world.clock.advance(2 * 86_400_000);
    expect(thread.thread?.isArchived).toBe(false);
    lab.discord.world.clock.advance(2 * 86_400_000);
    const update = await client.event("THREAD_UPDATE");
    expect(update).toMatchObject({ id: thread.id, thread_metadata: { archived: true } });
  });
});
