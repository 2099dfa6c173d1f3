import { rmSync } from "node:fs";
import { join } from "node:path";
import { ChannelType } from "discord.js";
import { DigitalDiscord } from "discord-digital-twin";
import { DiscordConfig } from "../../../adapters/discord/config.ts";
import { createDiscordAdapter, type DiscordAdapter } from "../../../adapters/discord/index.ts";
import { encodeThread } from "../../../adapters/discord/thread.ts";
import type { ThreadId } from "../../../src/contract/platform/incoming.ts";
import type { Documents } from "../../../src/contract/store.ts";
import { makeDataDirectory } from "../data-directory.ts";

export const ADA = "300000000000000001";
const CHANNEL = "400000000000000001";
/** The twin gives a thread another id than that of the message at which it begins: here they are there before. */
const THREADS = Array.from({ length: 6 }, (_, number) =>
  String(500_000_000_000_000_001n + BigInt(number)),
);

/** Somebody else's Discord, which does not know ours. */
export async function startTwin() {
  const directory = makeDataDirectory("discord-twin");
  const twin = new DigitalDiscord({
    botToken: "twin.bot.token",
    // The default is one database in memory for all twins of a process.
    dbUrl: `file:${join(directory, "twin.db")}`,
    channels: [
      { id: CHANNEL, name: "general", type: ChannelType.GuildText },
      ...THREADS.map((id) => ({
        ...{ id, name: `thread ${id}`, type: ChannelType.PublicThread, parentId: CHANNEL },
      })),
    ],
    users: [{ id: ADA, username: "ada" }],
  });
  const stop = twin.stop.bind(twin);
  twin.stop = async () => {
    await stop();
    rmSync(directory, { recursive: true, force: true });
  };
  await twin.start();
  const free = [...THREADS];
  return {
    twin,
    /** A thread in which nobody has spoken. */
    newThread(): { readonly channel: string; readonly thread: ThreadId } {
      const channel = free.pop() ?? "";
      const place = { guild: twin.guildId, parent: CHANNEL, channel };
      return { channel, thread: encodeThread(place) };
    },
    adapter(documents: Documents): DiscordAdapter {
      const env = { DISCORD_BOT_TOKEN: twin.botToken, DISCORD_API_URL: twin.restUrl };
      const config = DiscordConfig.parse(env);
      if (!config) throw new Error("Discord is not set up.");
      return createDiscordAdapter({ config, documents, log: () => undefined });
    },
  };
}
