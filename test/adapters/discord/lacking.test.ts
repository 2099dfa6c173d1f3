import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DiscordConfig } from "../../../adapters/discord/config.ts";
import { NEEDED_PERMISSIONS } from "../../../adapters/discord/connection/connection.ts";
import { createDiscordAdapter } from "../../../adapters/discord/index.ts";
import { encodeThread } from "../../../adapters/discord/thread.ts";
import type { Incoming } from "../../../src/contract/platform/incoming.ts";
import { CHANNEL } from "../../support/discord/world.ts";
import { openDiscordRig } from "../../support/discord-rig.ts";
import { until } from "../../support/until.ts";

const accepted = async () => ({ outcome: "accepted" }) as const;

describe("the address in docs/discord.md that invites the bot", () => {
  it("asks for what it needs, and for nothing else", () => {
    const page = readFileSync("docs/discord.md", "utf8");
    const [, permissions = "0"] = /oauth2\/authorize\?\S+&permissions=(\d+)/.exec(page) ?? [];
    const needed = Object.values(NEEDED_PERMISSIONS).reduce((all, bit) => all | bit, 0n);
    expect(BigInt(permissions)).toBe(needed);
    for (const name of Object.keys(NEEDED_PERMISSIONS))
      expect(page.replace(/\s+/g, " ")).toContain(name);
  });
});

describe("what the bot lacks on Discord is said to whoever can mend it", () => {
  it("without the content of messages it says so, hears its name, and explains itself in its thread", async () => {
    await using rig = await openDiscordRig({ privileged: [] });
    const heard: Incoming[] = [];
    await rig.adapter.start(async (incoming) => {
      heard.push(incoming);
      return { outcome: "accepted" };
    });
    expect(rig.problems.join()).toContain("Message Content Intent");
    const ada = rig.discord.human({ username: "ada" });
    const channel = rig.discord.channel();
    const { message } = ada.mentions(channel, "hear me");
    await until(() => rig.discord.world.channels.has(message.id), "the thread");
    const thread = rig.discord.world.channels.get(message.id);
    expect(heard).toMatchObject([{ text: "hear me", isMention: true }]);
    if (!thread) throw new Error("There is no thread.");
    ada.says(thread, "and this?");
    const words = () => ada.sees(thread).map(({ text }) => text);
    await until(
      () => words().some((text) => text.includes("I can only read messages that mention me")),
      "why",
    );
    ada.mentions(thread, "and this!");
    await until(() => heard.length === 2, "the mention");
  });

  it("where it may make no threads, it says which permissions it needs", async () => {
    await using rig = await openDiscordRig();
    await rig.adapter.start(accepted);
    const ada = rig.discord.human({ username: "ada" });
    const channel = rig.discord.channel();
    rig.discord.deny(channel, "CREATE_PUBLIC_THREADS", "ADD_REACTIONS");
    ada.mentions(channel, "do it");
    const words = () => ada.sees(channel).map(({ text }) => text);
    await until(() => words().some((text) => text.includes("Create Public Threads")), "why");
    expect(words().join()).toContain("Add Reactions");
    expect(words().join()).not.toContain("Attach Files");
  });

  it("where it may not read what was said, it says so all the same", async () => {
    await using rig = await openDiscordRig();
    await rig.adapter.start(accepted);
    const ada = rig.discord.human({ username: "ada" });
    const channel = rig.discord.channel();
    rig.discord.deny(channel, "READ_MESSAGE_HISTORY");
    ada.mentions(channel, "do it");
    const words = () => ada.sees(channel).map(({ text }) => text);
    await until(() => words().some((text) => text.includes("Read Message History")), "why");
  });

  it("where it may only read, whoever called it is told alone", async () => {
    await using rig = await openDiscordRig();
    await rig.adapter.start(accepted);
    const ada = rig.discord.human({ username: "ada" });
    const channel = rig.discord.channel();
    rig.discord.deny(channel, "CREATE_PUBLIC_THREADS", "SEND_MESSAGES");
    ada.mentions(channel, "do it");
    const words = () => ada.sees(ada.direct).map(({ text }) => text);
    await until(() => words().some((text) => text.includes("Create Public Threads")), "why");
    expect(words().join()).toContain("Send Messages");
    expect(words().join()).toContain(`<#${channel.id}>`);
  });

  it("where it can begin a thread and not write into it, it says so beside it", async () => {
    await using rig = await openDiscordRig();
    await rig.adapter.start(accepted);
    const ada = rig.discord.human({ username: "ada" });
    const channel = rig.discord.channel();
    rig.discord.deny(channel, "SEND_MESSAGES_IN_THREADS");
    ada.mentions(channel, "do it");
    const words = () => ada.sees(channel).map(({ text }) => text);
    await until(() => words().some((text) => text.includes("Send Messages in Threads")), "why");
  });

  it("where a server has as many threads as Discord takes, it says what to do", async () => {
    await using rig = await openDiscordRig();
    await rig.adapter.start(accepted);
    const ada = rig.discord.human({ username: "ada" });
    const channel = rig.discord.channel();
    rig.discord.world.mostThreads = 0;
    ada.mentions(channel, "do it");
    const words = () => ada.sees(channel).map(({ text }) => text);
    await until(() => words().some((text) => text.includes("limit of open threads")), "why");
  });

  it("in a voice channel there are no threads, and it says so to whoever calls it or types a command", async () => {
    await using rig = await openDiscordRig();
    await rig.adapter.start(accepted);
    const ada = rig.discord.human({ username: "ada" });
    const channel = rig.discord.channel({ type: CHANNEL.voice });
    ada.says(channel, "not for the bot");
    ada.mentions(channel, "do it");
    const words = () => ada.sees(channel).map(({ text }) => text);
    await until(() => words().some((text) => text.includes("does not support threads")), "why");
    await ada.runs(channel, "todos");
    expect(words().filter((text) => text.includes("does not support threads"))).toHaveLength(2);
  });

  it("a command in a channel that it cannot see is answered with the permission that it needs", async () => {
    await using rig = await openDiscordRig();
    await rig.adapter.start(accepted);
    const ada = rig.discord.human({ username: "ada" });
    const channel = rig.discord.channel();
    rig.discord.deny(channel, "VIEW_CHANNEL");
    await ada.runs(channel, "todos");
    const words = ada.sees(channel).map(({ text }) => text);
    expect(words.join()).toContain("View Channels");
  });

  it("where it may not write, the operator is told which permission is missing", async () => {
    await using rig = await openDiscordRig();
    await rig.adapter.start(accepted);
    const ada = rig.discord.human({ username: "ada" });
    const channel = rig.discord.channel();
    const thread = ada.startsThread(channel, "A thread");
    rig.discord.deny(channel, "SEND_MESSAGES_IN_THREADS");
    const place = { guild: rig.discord.guild.id, parent: channel.id, channel: thread.id };
    const view = { kind: "notice", level: "info", text: "x" } as const;
    await until(async () => {
      const error = await rig.adapter
        .post(encodeThread(place), view, "k")
        .catch((refusal: Error) => refusal);
      return error instanceof Error && error.message.includes("Send Messages in Threads");
    }, "the name of the permission");
  });

  it("a token that is not valid says where to get another", async () => {
    await using rig = await openDiscordRig();
    const env = { DISCORD_BOT_TOKEN: "bad.token.here", DISCORD_API_URL: rig.discord.apiUrl };
    const config = DiscordConfig.parse(env);
    if (!config) throw new Error("Discord is not set up.");
    const { documents } = rig;
    const adapter = createDiscordAdapter({ config, documents, log: () => undefined });
    await expect(adapter.start(accepted)).rejects.toThrow(/DISCORD_BOT_TOKEN/);
    await adapter[Symbol.asyncDispose]();
  });
});
