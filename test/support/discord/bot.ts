import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DiscordAdapter } from "../../../adapters/discord/index.ts";
import { type DiscordPlace, encodeThread } from "../../../adapters/discord/thread.ts";
import type { Core } from "../../../src/app/core.ts";
import { commandHelp } from "../../../src/app/help.ts";
import { type Config, readConfig } from "../../../src/config.ts";
import type { ThreadId } from "../../../src/contract/platform/incoming.ts";
import type { Store } from "../../../src/contract/store.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { startBot } from "../bot.ts";
import { discordAdapter } from "../discord-rig.ts";
import type { ModelServer } from "../model-server/server.ts";
import { startModelServer } from "../model-server.ts";
import { PlatformBot } from "../platform-bot.ts";
import { until } from "../until.ts";
import { NotedWorkspaces } from "../web-bot.ts";
import type { Human } from "./human.ts";
import type { SayOptions } from "./saying.ts";
import type { Seen } from "./screen.ts";
import { DiscordServer, type DiscordServerOptions } from "./server.ts";
import type { DiscordChannel, DiscordMessage } from "./world.ts";

export interface DiscordBotOptions extends DiscordServerOptions {
  readonly policy?: (discord: DiscordServer) => string;
  readonly owners?: (discord: DiscordServer) => string;
}

/** A thread that began at a message. */
export interface BegunThread {
  readonly thread: ThreadId;
  readonly message: DiscordMessage;
  readonly channel: DiscordChannel;
}

/** The whole bot on Discord, as the application puts it together; its workspaces only note what they are asked for. */
export class DiscordBot extends PlatformBot implements AsyncDisposable {
  readonly discord: DiscordServer;
  readonly model: ModelServer;
  readonly store: Store;
  readonly workspaces: NotedWorkspaces;
  readonly channel: DiscordChannel;
  adapter!: DiscordAdapter;
  core!: Core;
  readonly #config: Config;

  private constructor(parts: {
    discord: DiscordServer;
    model: ModelServer;
    store: Store;
    workspaces: NotedWorkspaces;
    config: Config;
  }) {
    super();
    this.discord = parts.discord;
    this.model = parts.model;
    this.store = parts.store;
    this.workspaces = parts.workspaces;
    this.channel = parts.discord.channel({ name: "general" });
    this.#config = parts.config;
  }

  static async start(options: DiscordBotOptions = {}): Promise<DiscordBot> {
    const { policy, owners, ...server } = options;
    const discord = await DiscordServer.start({ rateSpeed: 50, ...server });
    const model = await startModelServer();
    const workspaces = new NotedWorkspaces();
    const policyFile = join(workspaces.directory, "..", "policy.yaml");
    if (policy) writeFileSync(policyFile, `version: 1\n${policy(discord)}`);
    const config = readConfig({
      ...model.env,
      ...(policy ? { POLICY_FILE: policyFile } : {}),
      ...(owners ? { OWNERS: owners(discord) } : {}),
      DECKHAND_DATA_DIR: workspaces.directory,
    });
    const store = await openStore(config.store);
    const bot = new DiscordBot({ discord, model, store, workspaces, config });
    await bot.startBot();
    return bot;
  }

  async startBot(): Promise<void> {
    this.adapter = discordAdapter(this.discord, {
      documents: this.store.documents("discord"),
      hooks: { commands: commandHelp, openForm: (click) => this.core.openForm(click) },
      log: (level, message, fields) => {
        if (level === "error") this.problems.push(`${message} ${String(fields?.error ?? "")}`);
      },
    });
    this.core = await startBot({
      config: { ...this.#config, model: { ...this.#config.model, retryBaseMs: 1 } },
      store: this.store,
      adapter: this.adapter,
      workspaces: this.workspaces.port,
      problems: this.problems,
      pace: { leastEditGapMs: 5, inboxHoldMs: 300 },
    });
  }

  async stopBot(): Promise<void> {
    await this.core[Symbol.asyncDispose]();
    await this.adapter[Symbol.asyncDispose]();
  }

  async restart(): Promise<void> {
    await this.stopBot();
    await this.startBot();
  }

  /** The bot is called in the channel, and its thread is there. */
  async begins(
    human: Human,
    text: string,
    options: SayOptions = {},
    where = this.channel,
  ): Promise<BegunThread> {
    const { message } = human.says(where, text, { mention: true, ...options });
    const { channels } = this.discord.world;
    await until(() => channels.has(message.id), "the thread");
    const channel = channels.get(message.id);
    if (!channel) throw new Error("The thread is gone.");
    return { thread: this.threadAt(message.id), message, channel };
  }

  threadAt(id: string): ThreadId {
    return encodeThread({ guild: this.discord.guild.id, parent: this.channel.id, channel: id });
  }

  threadOf(place: DiscordPlace): ThreadId {
    return encodeThread(place);
  }

  /** The bot's messages, whispers left out. */
  sees(human: Human, channel: DiscordChannel): Seen[] {
    const bot = this.discord.app.user.id;
    return human
      .sees(channel)
      .filter(({ message, isWhisper }) => message.authorId === bot && !isWhisper);
  }

  whispers(human: Human, channel: DiscordChannel): Seen[] {
    return human.sees(channel).filter(({ isWhisper }) => isWhisper);
  }

  async shows(human: Human, channel: DiscordChannel, words: string): Promise<Seen> {
    const found = () => this.sees(human, channel).find(({ text }) => text.includes(words));
    const texts = () => this.sees(human, channel).map(({ text }) => text);
    await until(() => found() !== undefined, words, {
      seen: () => ({ texts: texts(), problems: this.problems }),
    });
    const seen = found();
    if (!seen) throw new Error(`"${words}" is gone.`);
    return seen;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopBot();
    await this.store[Symbol.asyncDispose]();
    await this.model[Symbol.asyncDispose]();
    await this.discord[Symbol.asyncDispose]();
    this.workspaces[Symbol.dispose]();
    if (this.discord.problems.length > 0)
      throw new AggregateError(this.discord.problems, "the double broke");
  }
}
