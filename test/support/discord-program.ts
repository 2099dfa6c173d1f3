import { DiscordConfig } from "../../adapters/discord/config.ts";
import { createDiscordAdapter } from "../../adapters/discord/index.ts";
import { openStore } from "../../src/store/open-store.ts";
import { showSomeThings } from "./some-things.ts";

// A bot that shows a few things in one thread of Discord and ends. Whoever starts it again after a kill gets the same end.
const [file = "", env = "", thread = ""] = process.argv.slice(2);
const config = DiscordConfig.parse(JSON.parse(env));
if (!config) throw new Error("Discord is not set up.");
await using store = await openStore({ kind: "sqlite", file });
const documents = store.documents("discord");
await using adapter = createDiscordAdapter({ config, documents, log: () => undefined });
await adapter.start(async () => ({ outcome: "accepted" }));
await showSomeThings({ adapter, store, thread });
