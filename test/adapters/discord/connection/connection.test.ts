import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DiscordConfig } from "../../../../adapters/discord/config.ts";
import { DiscordConnection } from "../../../../adapters/discord/connection/connection.ts";
import { DiscordServer } from "../../../support/discord/server.ts";
import { discordEnv, openDiscordRig } from "../../../support/discord-rig.ts";
import { ownSleep } from "../../../support/own-clock.ts";
import { until } from "../../../support/until.ts";

let discord: DiscordServer;
const open: DiscordConnection[] = [];
const logged: string[] = [];
beforeEach(async () => {
  discord = await DiscordServer.start();
});
afterEach(async () => {
  for (const connection of open.splice(0)) await connection[Symbol.asyncDispose]();
  logged.length = 0;
  await discord[Symbol.asyncDispose]();
});

const nobody = { onAway: () => undefined, onBack: () => undefined };

function connecting(env: Record<string, string> = {}, firstAnswerMs = 1_000) {
  const config = DiscordConfig.parse({ ...discordEnv(discord), ...env });
  if (!config) throw new Error("Discord is not set up.");
  const log = (_: string, message: string) => void logged.push(message);
  const connection = new DiscordConnection({ config, log, firstAnswerMs });
  open.push(connection);
  return connection;
}

describe("the line to Discord", () => {
  it("waits while shards have to wait for their turn, however long that takes in all", async () => {
    const connection = connecting({ DISCORD_SHARD_COUNT: "2" });
    const begunAt = performance.now();
    await connection.start(nobody);
    expect(performance.now() - begunAt).toBeGreaterThan(1_000);
    expect(discord.gateway.identifies).toBe(2);
  });

  it("that cannot be had is told once, and nothing is left that fails later", async () => {
    const rejections: unknown[] = [];
    const onRejection = (reason: unknown) => rejections.push(reason);
    process.on("unhandledRejection", onRejection);
    try {
      const connection = connecting({ DISCORD_BOT_TOKEN: "bad.token.here" }, 20);
      await expect(connection.start(nobody)).rejects.toThrow("DISCORD_BOT_TOKEN");
      await ownSleep(100);
    } finally {
      process.off("unhandledRejection", onRejection);
    }
    expect(rejections).toEqual([]);
    // Only a missing intent is answered with another attempt without it.
    expect(logged.join()).not.toContain("Message Content Intent");
  });

  it("keeps a bounded number of people, and always itself", async () => {
    const connection = connecting();
    await connection.start(nobody);
    const { client } = connection;
    const channel = discord.channel();
    for (let number = 0; number < 1_500; number += 1) discord.human().says(channel, "hello");
    const last = discord.human({ username: "last" });
    last.says(channel, "the last one");
    await until(() => client.users.cache.has(last.user.id), "the last one");
    const guild = client.guilds.cache.get(discord.guild.id);
    expect(client.users.cache.size).toBeLessThanOrEqual(1_001);
    expect(guild?.members.cache.size).toBeLessThanOrEqual(1_001);
    expect(guild?.members.me?.id).toBe(discord.app.user.id);
    expect(client.users.cache.has(discord.app.user.id)).toBe(true);
  });
});

describe("a line that Discord ends for good", () => {
  it.each([
    { code: 4_004, remedy: "DISCORD_BOT_TOKEN" },
    { code: 4_014, remedy: "Message Content Intent" },
    { code: 4_011, remedy: "DISCORD_SHARD_COUNT" },
  ])("with $code is told to the operator, with what to do", async ({ code, remedy }) => {
    await using rig = await openDiscordRig();
    await rig.adapter.start(async () => ({ outcome: "accepted" }));
    rig.discord.gateway.end(code);
    await until(() => rig.problems.some((text) => text.includes(remedy)), remedy);
    expect(rig.problems.join()).toContain("receives nothing");
  });
});
