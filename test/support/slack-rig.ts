import { SlackConfig } from "../../adapters/slack/config.ts";
import { createSlackAdapter, type SlackAdapter } from "../../adapters/slack/index.ts";
import manifest from "../../adapters/slack/manifest.json" with { type: "json" };
import { SIGNS } from "../../adapters/slack/posts/signs.ts";
import type { StatusPace } from "../../adapters/slack/posts/status.ts";
import { decodeThread, encodeThread } from "../../adapters/slack/thread.ts";
import type { PlatformHooks } from "../../src/contract/platform/platform.ts";
import type { Documents, Json } from "../../src/contract/store.ts";
import type { Log } from "../../src/lib/log.ts";
import type { AdapterRig } from "../contracts/adapter/rig.ts";
import { SlackContractPeople } from "./slack/contract-people.ts";
import { SlackServer, type SlackServerOptions } from "./slack/server.ts";

export type SlackMode = "socket" | "http";

export interface SlackRigOptions extends SlackServerOptions {
  readonly mode?: SlackMode;
  readonly hooks?: PlatformHooks;
  readonly statusPace?: Partial<StatusPace>;
  readonly documents?: Documents;
  readonly log?: Log;
}

export interface SlackRig extends AdapterRig {
  readonly adapter: SlackAdapter;
  readonly people: SlackContractPeople;
  readonly slack: SlackServer;
  readonly documents: Documents;
  readonly mode: SlackMode;
  readonly problems: string[];
}

/** An app as its manifest makes it. */
export function fromManifest(): SlackServerOptions {
  const { features, oauth_config, settings } = manifest;
  return {
    scopes: oauth_config.scopes.bot,
    events: settings.event_subscriptions.bot_events,
    commands: features.slash_commands.map(({ command }) => command),
    shortcuts: features.shortcuts.map(({ callback_id: id, type }) => ({
      id,
      type: type === "message" ? "message" : "global",
    })),
  };
}

/** The adapter, not yet started, and a Slack of its own. */
export async function openSlackRig(options: SlackRigOptions = {}): Promise<SlackRig> {
  const { mode = "socket", hooks, documents = new MemoryDocuments(), ...more } = options;
  const { statusPace, ...server } = more;
  const slack = await SlackServer.start({ ...fromManifest(), ...server });
  const problems: string[] = [];
  const log: Log = (level, message, fields) => {
    options.log?.(level, message, fields);
    if (level === "warn" || level === "error")
      problems.push(`${message} ${String(fields?.error ?? "")}`);
  };
  const adapter = slackAdapter(slack, {
    ...{ mode, documents, log },
    ...(hooks ? { hooks } : {}),
    ...(statusPace ? { statusPace } : {}),
  });
  const people = new SlackContractPeople(slack, {
    encode: encodeThread,
    decode: decodeThread,
    signs: SIGNS,
    command: "/deckhand",
    commandBy: "shortcut",
  });
  return {
    ...{ adapter, people, slack, documents, mode, problems },
    [Symbol.asyncDispose]: async () => {
      await adapter[Symbol.asyncDispose]();
      await slack[Symbol.asyncDispose]();
      if (slack.problems.length > 0) throw new AggregateError(slack.problems, "the double broke");
    },
  };
}

interface Parts {
  readonly mode: SlackMode;
  readonly documents: Documents;
  readonly hooks?: PlatformHooks;
  readonly statusPace?: Partial<StatusPace>;
  readonly log: Log;
}

/** Another process of the same bot on the same Slack. In HTTP mode Slack calls whichever started last. */
export function slackAdapter(slack: SlackServer, { mode, ...parts }: Parts): SlackAdapter {
  const config = SlackConfig.parse(slackEnv(slack, mode));
  if (!config) throw new Error("Slack is not set up.");
  const adapter = createSlackAdapter({ config, ...parts });
  const start: SlackAdapter["start"] = async (receive, onReconnected) => {
    await adapter.start(receive, onReconnected);
    if (adapter.address !== undefined) slack.app.requestUrl = adapter.address;
  };
  return Object.create(adapter, { start: { value: start } }) as SlackAdapter;
}

export function slackEnv({ app, apiUrl }: SlackServer, mode: SlackMode = "socket") {
  return {
    SLACK_BOT_TOKEN: app.botToken,
    SLACK_MODE: mode,
    SLACK_APP_TOKEN: app.appToken,
    SLACK_SIGNING_SECRET: app.signingSecret,
    SLACK_PORT: "0",
    SLACK_API_URL: apiUrl,
  };
}

/** As long as a test. */
export class MemoryDocuments implements Documents {
  readonly #values = new Map<string, Json>();

  async get(key: string): Promise<Json | undefined> {
    return this.#values.get(key);
  }

  async set(key: string, value: Json): Promise<void> {
    this.#values.set(key, value);
  }

  async delete(key: string): Promise<boolean> {
    return this.#values.delete(key);
  }

  async keys(prefix = ""): Promise<string[]> {
    return [...this.#values.keys()].filter((key) => key.startsWith(prefix)).sort();
  }
}
