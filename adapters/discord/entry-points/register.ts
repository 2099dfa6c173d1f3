import { REST } from "discord.js";
import type { Log } from "../../../src/lib/log.ts";
import type { DiscordSettings } from "../config.ts";
import { DiscordCalls } from "../connection/calls.ts";
import { makeRequest } from "../connection/connection.ts";
import { commandDefinitions } from "./commands.ts";

/** Tells Discord which commands there are; the same as before counts for nothing. */
async function registerCommands(calls: DiscordCalls, application: string): Promise<number> {
  const body = commandDefinitions();
  await calls.call("put", `/applications/${application}/commands`, { body });
  return body.length;
}

/** At the start: without its commands the bot still hears what is said to it. */
export async function registerAtStart(
  calls: DiscordCalls,
  application: string,
  log: Log,
): Promise<void> {
  try {
    await registerCommands(calls, application);
  } catch (error) {
    const message =
      "Failed to register the slash commands with Discord. The previous ones still work.";
    log("warn", message, { error });
  }
}

/** Without a bot that runs. Answers how many there are. */
export async function registerByHand({ botToken, apiUrl }: DiscordSettings): Promise<number> {
  const rest = new REST({ api: apiUrl, makeRequest }).setToken(botToken);
  const calls = new DiscordCalls(
    () => rest,
    () => [],
  );
  const application = (await calls.call("get", "/applications/@me")) as { id: string };
  return registerCommands(calls, application.id);
}
