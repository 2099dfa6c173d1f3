import { DiscordConfig } from "../../adapters/discord/config.ts";
import { typedCommand } from "../../adapters/discord/entry-points/commands.ts";
import { createDiscordAdapter, type DiscordAdapter } from "../../adapters/discord/index.ts";
import { SIGNS } from "../../adapters/discord/outbound.ts";
import { type DiscordPlace, decodeThread, encodeThread } from "../../adapters/discord/thread.ts";
import type { PlatformHooks } from "../../src/contract/platform/platform.ts";
import type { Documents } from "../../src/contract/store.ts";
import type { Log } from "../../src/lib/log.ts";
import type { AdapterRig } from "../contracts/adapter/rig.ts";
import { DiscordContractPeople } from "./discord/contract-people.ts";
import { DiscordServer, type DiscordServerOptions } from "./discord/server.ts";
import { MemoryDocuments } from "./slack-rig.ts";

export interface DiscordRigOptions extends DiscordServerOptions {
  readonly hooks?: PlatformHooks;
  readonly documents?: Documents;
}

export interface DiscordRig extends AdapterRig {
  readonly adapter: DiscordAdapter;
  readonly people: DiscordContractPeople;
  readonly discord: DiscordServer;
  readonly documents: Documents;
  readonly problems: string[];
}

/** The adapter, not yet started, and a Discord of its own. */
export async function openDiscordRig(options: DiscordRigOptions = {}): Promise<DiscordRig> {
  const { hooks, documents = new MemoryDocuments(), ...server } = options;
  const discord = await DiscordServer.start({ rateSpeed: 100, ...server });
  const problems: string[] = [];
  const log: Log = (level, message, fields) => {
    if (level === "warn" || level === "error")
      problems.push(`${message} ${String(fields?.error ?? "")}`);
  };
  const adapter = discordAdapter(discord, { documents, log, ...(hooks ? { hooks } : {}) });
  const people = new DiscordContractPeople(discord, {
    encode: (place) => encodeThread(place as DiscordPlace),
    decode: decodeThread,
    signs: SIGNS,
    command: (text) => {
      const [verb, ...words] = text.split(" ");
      const given = words.length === 0 ? {} : { options: { words: words.join(" ") } };
      return { words: typedCommand(verb ?? ""), ...given };
    },
    action: actionIn,
    hasKept: (id) => adapter.hasKept(id),
  });
  return {
    ...{ adapter, people, discord, documents, problems },
    [Symbol.asyncDispose]: async () => {
      await adapter[Symbol.asyncDispose]();
      await discord[Symbol.asyncDispose]();
      if (discord.problems.length > 0)
        throw new AggregateError(discord.problems, "the double broke");
    },
  };
}

/** The action in what a button or an option of a list says. */
function actionIn(value: string): string {
  return value.split(".").slice(2).join(".");
}

interface Parts {
  /** More of its settings. */
  readonly env?: Readonly<Record<string, string>>;
  readonly documents: Documents;
  readonly hooks?: PlatformHooks;
  readonly log: Log;
}

/** Another process of the same bot on the same Discord. */
export function discordAdapter(
  discord: DiscordServer,
  { env = {}, ...parts }: Parts,
): DiscordAdapter {
  const config = DiscordConfig.parse({ ...discordEnv(discord), ...env });
  if (!config) throw new Error("Discord is not set up.");
  return createDiscordAdapter({ config, ...parts });
}

/** What makes a bot join it. */
export function discordEnv({ app, apiUrl }: DiscordServer) {
  return { DISCORD_BOT_TOKEN: app.token, DISCORD_API_URL: apiUrl };
}
