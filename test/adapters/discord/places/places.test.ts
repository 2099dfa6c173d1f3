import { describe, expect, it } from "vitest";
import { encodeThread } from "../../../../adapters/discord/thread.ts";
import type { Incoming } from "../../../../src/contract/platform/incoming.ts";
import { CHANNEL } from "../../../support/discord/world.ts";
import { openDiscordRig } from "../../../support/discord-rig.ts";
import { until } from "../../../support/until.ts";

const view = { kind: "notice", level: "info", text: "Here." } as const;

async function opened() {
  const rig = await openDiscordRig();
  const heard: Incoming[] = [];
  await rig.adapter.start(async (incoming) => {
    heard.push(incoming);
    return { outcome: "accepted" };
  });
  return { rig, heard, ada: rig.discord.human({ username: "ada" }) };
}

describe("15.1 the places of Discord", () => {
  it("in a channel for announcements a mention makes a thread, as everywhere", async () => {
    const { rig, heard, ada } = await opened();
    await using _ = rig;
    const { discord, adapter } = rig;
    const channel = discord.channel({ type: CHANNEL.announcement });
    const { message } = ada.mentions(channel, "do it");
    await until(() => discord.world.channels.has(message.id), "the thread");
    const thread = discord.world.channels.get(message.id);
    if (!thread) throw new Error("There is no thread.");
    expect(thread.type).toBe(CHANNEL.announcementThread);
    const place = { guild: discord.guild.id, parent: channel.id, channel: thread.id };
    await adapter.post(encodeThread(place), view, "k");
    ada.says(thread, "and this");
    await until(() => heard.length === 2, "what follows");
    expect(heard.map((one) => one.thread)).toEqual([encodeThread(place), encodeThread(place)]);
    expect(ada.sees(thread).some(({ text }) => text.includes("Here."))).toBe(true);
  });

  it("a post in a forum is a thread by itself, and its first message stands in it", async () => {
    const { rig, heard, ada } = await opened();
    await using _ = rig;
    const { discord, adapter } = rig;
    const forum = discord.channel({ type: CHANNEL.forum });
    const { message } = ada.opensPost(forum, "It fails", "why?");
    await until(() => heard.length === 1, "the post");
    const place = { guild: discord.guild.id, parent: forum.id, channel: message.id };
    const thread = encodeThread(place);
    expect(heard).toMatchObject([{ thread, type: "message", text: "why?", isMention: true }]);
    await adapter.mark(thread, message.id, "seen");
    expect([...message.reactions.keys()]).toEqual(["👀"]);
    await adapter.post(thread, view, "k");
    expect(await adapter.presence(thread, ada.user.id)).toMatchObject({
      place: { channel: forum.id, isChannelMember: true },
    });
    expect(rig.problems).toEqual([]);
  });

  it("where a message has a thread already, that one is used", async () => {
    const { rig, heard, ada } = await opened();
    await using _ = rig;
    const { discord, adapter } = rig;
    const channel = discord.channel();
    discord.faults.deliverAfterMs = 100;
    const { message } = ada.mentions(channel, "do it");
    const begun = ada.startsThread(channel, "By hand", message);
    await until(() => heard.length === 1, "the mention");
    const place = { guild: discord.guild.id, parent: channel.id, channel: begun.id };
    await adapter.post(encodeThread(place), view, "k");
    expect(ada.sees(begun).some(({ text }) => text.includes("Here."))).toBe(true);
    expect(begun.name).toBe("By hand");
    expect(rig.problems).toEqual([]);
  });
});
