import { DiscordConfig } from "../adapters/discord/config.ts";
import { registerByHand } from "../adapters/discord/entry-points/register.ts";

// Empty settings are none, as for the bot itself.
const given = Object.entries(process.env).filter(([, value]) => value !== "");
const config = DiscordConfig.parse(Object.fromEntries(given));
if (!config) {
  console.error("Set DISCORD_BOT_TOKEN first: the token of your bot at discord.com/developers.");
  process.exitCode = 1;
} else {
  const number = await registerByHand(config);
  console.log(`Registered ${number} commands with Discord.`);
}
