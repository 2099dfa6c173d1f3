import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { DiscordServer } from "../../test/support/discord/server.ts";
import { discordEnv } from "../../test/support/discord-rig.ts";
import { benchDoor } from "./door.ts";
import { DONE } from "./threads-script.ts";

const CHANNELS = 20;

/** Discord is never told that a message has arrived. It has, once it stands in the bot's own store. */
export async function benchDiscord() {
  await using discord = await DiscordServer.start();
  return await benchDoor((dataDir) => {
    const channels = Array.from({ length: CHANNELS }, () => discord.channel());
    const isKept = keptIn(join(dataDir, "deckhand.sqlite"));
    return {
      env: discordEnv(discord),
      rates: discord.rates,
      mention: (words, index) => {
        const channel = channels[index % CHANNELS];
        if (!channel) throw new Error("There is no channel.");
        const human = discord.human();
        const { message } = human.mentions(channel, words);
        const thread = () => discord.world.channels.get(message.id);
        return {
          isAcknowledged: () => isKept(`discord:message:${message.id}`),
          isAnswered: () => {
            const begun = thread();
            return begun ? human.sees(begun).some(({ text }) => text.includes(DONE)) : false;
          },
        };
      },
    };
  });
}

/** Looks from outside whether an event is in the store of a bot that runs. */
function keptIn(file: string): (id: string) => boolean {
  let statement: ReturnType<DatabaseSync["prepare"]> | undefined;
  return (id) => {
    statement ??= new DatabaseSync(file, { readOnly: true }).prepare(
      "SELECT 1 FROM inbox WHERE id = ?",
    );
    return statement.get(id) !== undefined;
  };
}
