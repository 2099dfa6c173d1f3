import { describe, expect, it } from "vitest";
import { DiscordConfig, discordSecrets } from "../../../adapters/discord/config.ts";

const TOKEN = "MTIz.abc.def";

describe("15.22 Discord's settings", () => {
  it("without a token Discord is not set up", () => {
    expect(DiscordConfig.parse({})).toBeUndefined();
    expect(discordSecrets(undefined)).toEqual({});
  });

  it("a token is enough, and it is a secret", () => {
    const settings = DiscordConfig.parse({ DISCORD_BOT_TOKEN: TOKEN });
    expect(settings).toMatchObject({ apiUrl: "https://discord.com/api", registersCommands: true });
    expect(discordSecrets(settings)).toEqual({ DISCORD_BOT_TOKEN: TOKEN });
  });

  it("shards can be shared among processes", () => {
    const env = { DISCORD_BOT_TOKEN: TOKEN, DISCORD_SHARD_COUNT: "4", DISCORD_SHARD_IDS: "2,3" };
    expect(DiscordConfig.parse(env)).toMatchObject({ shardCount: 4, shardIds: [2, 3] });
  });

  it.each([
    [{ DISCORD_BOT_TOKEN: "no token" }, "DISCORD_BOT_TOKEN"],
    [{ DISCORD_BOT_TOKEN: TOKEN, DISCORD_SHARD_IDS: "0" }, "DISCORD_SHARD_COUNT"],
    [
      { DISCORD_BOT_TOKEN: TOKEN, DISCORD_SHARD_COUNT: "2", DISCORD_SHARD_IDS: "2" },
      "DISCORD_SHARD_IDS",
    ],
    [{ DISCORD_BOT_TOKEN: TOKEN, DISCORD_HOME_GUILD: "my server" }, "DISCORD_HOME_GUILD"],
    [{ DISCORD_BOT_TOKEN: TOKEN, DISCORD_REGISTER_COMMANDS: "yes" }, "DISCORD_REGISTER_COMMANDS"],
  ])("%j is refused by name", (env, name) => {
    const { error } = DiscordConfig.safeParse(env);
    expect(error?.issues.map(({ path }) => path[0])).toEqual([name]);
  });
});
