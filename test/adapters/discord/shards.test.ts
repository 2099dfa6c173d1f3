import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { encodeThread } from "../../../adapters/discord/thread.ts";
import type { Adapter } from "../../../src/contract/platform/adapter.ts";
import type { Human } from "../../support/discord/human.ts";
import { DiscordServer } from "../../support/discord/server.ts";
import type { DiscordChannel, DiscordGuild } from "../../support/discord/world.ts";
import { discordAdapter } from "../../support/discord-rig.ts";
import { MemoryDocuments } from "../../support/slack-rig.ts";
import { until } from "../../support/until.ts";

let discord: DiscordServer;
let ada: Human;
/** A channel of a server of each shard. */
let channels: DiscordChannel[];
const documents = new MemoryDocuments();
const open: Adapter[] = [];

beforeEach(async () => {
  discord = await DiscordServer.start({ rateSpeed: 100 });
  ada = discord.human({ username: "ada" });
  const guilds = [discord.guild, another()];
  guilds.sort((one, other) => shardOf(one) - shardOf(other));
  channels = guilds.map(({ id }) => discord.channel({ guildId: id }));
});
afterEach(async () => {
  for (const adapter of open.splice(0)) await adapter[Symbol.asyncDispose]();
  await discord[Symbol.asyncDispose]();
  expect(discord.problems).toEqual([]);
});

const shardOf = ({ id }: Pick<DiscordGuild, "id">) => Number((BigInt(id) >> 22n) % 2n);

/** A server that another shard hears of. */
function another(): DiscordGuild {
  for (;;) {
    discord.world.clock.advance(1);
    const guild = discord.world.addGuild("Another");
    if (shardOf(guild) === shardOf(discord.guild)) continue;
    discord.world.join(guild, discord.app.user.id);
    discord.world.join(guild, ada.user.id);
    return guild;
  }
}

async function start(env: Record<string, string>) {
  const heard: string[] = [];
  const adapter = discordAdapter(discord, { env, documents, log: () => undefined });
  open.push(adapter);
  await adapter.start(async (incoming) => {
    if (incoming.type === "message") heard.push(incoming.text);
    return { outcome: "accepted" };
  });
  return { adapter, heard };
}

const shard = (id: number) => start({ DISCORD_SHARD_COUNT: "2", DISCORD_SHARD_IDS: String(id) });

function mention(id: number, text: string) {
  const channel = channels[id];
  if (!channel?.guildId) throw new Error("There is no channel.");
  const { message } = ada.mentions(channel, text);
  const place = { guild: channel.guildId, parent: channel.id, channel: message.id };
  return { thread: encodeThread(place), messageId: message.id };
}

describe("shards", () => {
  it("all of them in one process hear of all servers, and what is said to the bot alone", async () => {
    const { heard } = await start({ DISCORD_SHARD_COUNT: "2" });
    const shards = [...discord.gateway.sessions.values()].map((session) => session.shard);
    expect(shards).toEqual([
      [0, 2],
      [1, 2],
    ]);
    mention(0, "first");
    mention(1, "second");
    ada.says(ada.direct, "third");
    await until(() => heard.length === 3, "everything");
    expect(new Set(heard)).toEqual(new Set(["first", "second", "third"]));
  });

  it("in processes of their own hear of their servers, and write and look people up in all", async () => {
    const [first, second] = [await shard(0), await shard(1)];
    const { thread, messageId } = mention(0, "to the first");
    await until(() => first.heard.length === 1, "the mention");
    expect(second.heard).toEqual([]);
    const view = { kind: "reply", text: "By the second.", isFinal: true } as const;
    await second.adapter.post(thread, view, "k");
    const channel = discord.world.channels.get(messageId);
    expect(channel && ada.sees(channel).map(({ text }) => text)).toContain("By the second.");
    expect(await second.adapter.presence(thread, ada.user.id)).toMatchObject({
      actor: { id: ada.user.id, kind: "member" },
      place: { isChannelMember: true },
    });
    const stranger = discord.human({ username: "stranger" }, "outside");
    expect(await second.adapter.presence(thread, stranger.user.id)).toBeUndefined();
  });

  it("in processes of their own answer below what was typed, whoever was told of it", async () => {
    const [first, second] = [await shard(0), await shard(1)];
    const { thread, messageId } = mention(0, "to the first");
    await until(() => discord.world.channels.has(messageId), "the thread");
    expect(first.heard).toHaveLength(1);
    const channel = discord.world.channels.get(messageId);
    if (!channel) throw new Error("There is no thread.");
    await ada.runs(channel, "todos");
    const view = { kind: "notice", level: "info", text: "By the second." } as const;
    const about = `command:${discord.interactions.all.at(-1)?.id}`;
    await second.adapter.whisper(thread, ada.user.id, view, about);
    const alone = ada.sees(channel).filter(({ isWhisper }) => isWhisper);
    expect(alone.map(({ text }) => text)).toEqual([expect.stringContaining("By the second.")]);
    expect(ada.sees(ada.direct)).toEqual([]);
  });

  it("in processes of their own, one server that they know is not taken for the only one there is", async () => {
    const { adapter } = await shard(0);
    const direct = encodeThread({ guild: "@me", channel: ada.direct.id });
    const presence = await adapter.presence(direct, ada.user.id);
    expect(presence?.actor).toMatchObject({ id: ada.user.id, kind: "member", groups: [] });
    expect(presence?.actor.team).toBeUndefined();
  });

  it("each read what they missed, however much the others have heard meanwhile", async () => {
    const [first, second] = [await shard(0), await shard(1)];
    mention(1, "before");
    await until(() => second.heard.length === 1, "the first mention");
    await second.adapter[Symbol.asyncDispose]();
    mention(1, "meanwhile");
    mention(0, "elsewhere");
    await until(() => first.heard.length === 1, "the other mention");
    await first.adapter[Symbol.asyncDispose]();
    const { heard } = await shard(1);
    await until(() => heard.includes("meanwhile"), "what was missed");
  });

  it("P-C4 one of them that was silent and lost its session reads what it missed, though another has heard more meanwhile", async () => {
    const { heard } = await start({ DISCORD_SHARD_COUNT: "2" });
    mention(1, "before");
    await until(() => heard.length === 1, "the first mention");
    const session = [...discord.gateway.sessions.values()].find(({ shard: [id] }) => id === 1);
    if (!session) throw new Error("There is no such session.");
    // It looks alive, and nothing comes over it any more.
    discord.gateway.sessions.delete(session.id);
    mention(1, "while it looked alive");
    mention(0, "elsewhere");
    await until(() => heard.includes("elsewhere"), "the other mention");
    session.connection?.terminate();
    mention(1, "while it was away");
    mention(0, "elsewhere again");
    await until(() => heard.includes("elsewhere again"), "the other mention");
    await until(() => heard.length === 5, "what was missed");
    expect(new Set(heard)).toContain("while it looked alive");
    expect(new Set(heard)).toContain("while it was away");
  });
});

describe("P-C4 a start that is cut off while it reads what was missed", () => {
  it("is made up for by the next one, whatever was heard meanwhile", async () => {
    const first = await start({});
    mention(0, "before");
    await until(() => first.heard.length === 1, "the first mention");
    await first.adapter[Symbol.asyncDispose]();
    mention(1, "meanwhile");
    const list = "GET /channels/:channel/messages";
    // Whoever wants to read gets no answer.
    for (let number = 0; number < 20; number += 1) discord.faults.loseNextAnswer([list]);
    const second = await start({});
    mention(0, "live");
    await until(() => second.heard.includes("live"), "what is said now");
    await second.adapter[Symbol.asyncDispose]();
    expect(second.heard).not.toContain("meanwhile");
    discord.faults.forgetLosses();
    const third = await start({});
    await until(() => third.heard.includes("meanwhile"), "what was missed");
  });
});
