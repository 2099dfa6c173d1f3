import { setTimeout as sleep } from "node:timers/promises";
import { SlackConfig } from "../../adapters/slack/config.ts";
import { createSlackAdapter } from "../../adapters/slack/index.ts";
import { openStore } from "../../src/store/open-store.ts";
import { showSomeThings } from "./some-things.ts";

// A bot that shows a few things in one thread of Slack and ends. Whoever starts it again after a kill gets the same end.
const [file = "", env = "", thread = ""] = process.argv.slice(2);
const config = SlackConfig.parse(JSON.parse(env));
if (!config) throw new Error("Slack is not set up.");
await using store = await openStore({ kind: "sqlite", file });
const documents = store.documents("slack");
await using adapter = createSlackAdapter({ config, documents, log: () => undefined });
const heard = Promise.withResolvers<void>();
await adapter.start(async () => {
  heard.resolve();
  return { outcome: "accepted" };
});
// In its first life it hears for whom it writes.
await Promise.race([heard.promise, sleep(500)]);
await showSomeThings({ adapter, store, thread });
