import { z } from "zod";

const Snowflake = z.string().regex(/^\d{15,20}$/, "must be a number of 17 to 20 digits");

const numbers = z
  .string()
  .regex(/^\d+(?:,\d+)*$/, "must be a list of numbers such as 0,1")
  .transform((text) => text.split(",").map(Number));

const flag = z.enum(["true", "false"]).transform((word) => word === "true");

/** Discord's settings, from the environment as it is. Undefined: Discord is not set up. */
export const DiscordConfig = z
  .object({
    DISCORD_BOT_TOKEN: z
      .string()
      .regex(
        /^[\w-]+\.[\w-]+\.[\w-]+$/,
        "must be three parts joined by dots; copy it from Bot → Reset Token at discord.com/developers",
      )
      .optional()
      .describe("the bot's token; setting it turns Discord on"),
    DISCORD_HOME_GUILD: Snowflake.optional().describe(
      "the server whose members may send direct messages; by default the bot's only server",
    ),
    DISCORD_SHARD_COUNT: z.coerce
      .number()
      .int()
      .min(1)
      .max(10_000)
      .optional()
      .describe("total number of shards; by default what Discord recommends"),
    DISCORD_SHARD_IDS: numbers
      .optional()
      .describe("the shards that this process runs, such as `0,1`; by default all"),
    DISCORD_REGISTER_COMMANDS: flag
      .default(true)
      .describe("register the slash commands at startup"),
    DISCORD_API_URL: z
      .url({ protocol: /^https?$/ })
      .default("https://discord.com/api")
      .describe("address of Discord's API; change it only for tests"),
  })
  .superRefine(({ DISCORD_SHARD_COUNT: count, DISCORD_SHARD_IDS: ids }, context) => {
    const complain = (path: string, message: string) =>
      context.addIssue({ code: "custom", path: [path], message });
    if (ids && count === undefined)
      complain("DISCORD_SHARD_COUNT", "is required with DISCORD_SHARD_IDS");
    if (ids?.some((id) => id >= (count ?? Number.POSITIVE_INFINITY)))
      complain("DISCORD_SHARD_IDS", "must be from 0 to one less than DISCORD_SHARD_COUNT");
  })
  .transform((values): DiscordSettings | undefined => {
    const { DISCORD_BOT_TOKEN: botToken, DISCORD_HOME_GUILD: homeGuild } = values;
    if (!botToken) return undefined;
    const { DISCORD_SHARD_COUNT: shardCount, DISCORD_SHARD_IDS: shardIds } = values;
    return {
      botToken,
      homeGuild,
      shardCount,
      shardIds,
      registersCommands: values.DISCORD_REGISTER_COMMANDS,
      apiUrl: values.DISCORD_API_URL,
    };
  });

export interface DiscordSettings {
  readonly botToken: string;
  readonly homeGuild: string | undefined;
  /** Undefined: as many as Discord advises, all of them here. */
  readonly shardCount: number | undefined;
  /** Those of this process; undefined: all. */
  readonly shardIds: readonly number[] | undefined;
  readonly registersCommands: boolean;
  readonly apiUrl: string;
}

/** What nobody may see, by the name of its setting. */
export function discordSecrets(settings: DiscordSettings | undefined): Record<string, string> {
  return settings ? { DISCORD_BOT_TOKEN: settings.botToken } : {};
}
