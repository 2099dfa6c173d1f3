import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StatusPace } from "../../adapters/slack/posts/status.ts";
import { encodeThread } from "../../adapters/slack/thread.ts";
import type { Core } from "../../src/app/core.ts";
import { needsThread } from "../../src/app/help.ts";
import { platformHooks } from "../../src/app/platform-hooks.ts";
import { type Config, readConfig } from "../../src/config.ts";
import type { PlatformHooks } from "../../src/contract/platform/platform.ts";
import type { Store } from "../../src/contract/store.ts";
import { openStore } from "../../src/store/open-store.ts";
import { startBot } from "./bot.ts";
import type { ModelServer } from "./model-server/server.ts";
import { startModelServer } from "./model-server.ts";
import { PlatformBot } from "./platform-bot.ts";
import type { Human, Said, SayOptions, Seen } from "./slack/human.ts";
import { SlackServer, type SlackServerOptions } from "./slack/server.ts";
import type { SlackChannel } from "./slack/world.ts";
import { fromManifest, type SlackMode, slackAdapter, slackEnv } from "./slack-rig.ts";
import { until } from "./until.ts";
import { NotedWorkspaces } from "./web-bot.ts";

export interface SlackBotOptions extends SlackServerOptions {
  readonly mode?: SlackMode;
  readonly policy?: (slack: SlackServer) => string;
  readonly owners?: (slack: SlackServer) => string;
  readonly statusPace?: Partial<StatusPace>;
}

/** The whole bot on Slack, as the application puts it together; its workspaces only note what they are asked for. */
export class SlackBot extends PlatformBot implements AsyncDisposable {
  readonly slack: SlackServer;
  readonly model: ModelServer;
  readonly store: Store;
  readonly workspaces: NotedWorkspaces;
  readonly channel: SlackChannel;
  core!: Core;
  readonly #config: Config;
  readonly #mode: SlackMode;
  readonly #statusPace: Partial<StatusPace> | undefined;

  private constructor(parts: {
    slack: SlackServer;
    model: ModelServer;
    store: Store;
    workspaces: NotedWorkspaces;
    config: Config;
    mode: SlackMode;
    statusPace: Partial<StatusPace> | undefined;
  }) {
    super();
    this.slack = parts.slack;
    this.model = parts.model;
    this.store = parts.store;
    this.workspaces = parts.workspaces;
    this.channel = parts.slack.channel();
    this.#config = parts.config;
    this.#mode = parts.mode;
    this.#statusPace = parts.statusPace;
  }

  static async start(options: SlackBotOptions = {}): Promise<SlackBot> {
    const { mode = "socket", policy, owners, statusPace, ...server } = options;
    const slack = await SlackServer.start({ ...fromManifest(), ...server });
    const model = await startModelServer();
    const workspaces = new NotedWorkspaces();
    const policyFile = join(workspaces.directory, "..", "policy.yaml");
    if (policy) writeFileSync(policyFile, `version: 1\n${policy(slack)}`);
    const config = readConfig({
      ...model.env,
      ...slackEnv(slack, mode),
      ...(policy ? { POLICY_FILE: policyFile } : {}),
      ...(owners ? { OWNERS: owners(slack) } : {}),
      DECKHAND_DATA_DIR: workspaces.directory,
    });
    const store = await openStore(config.store);
    const bot = new SlackBot({ slack, model, store, workspaces, config, mode, statusPace });
    await bot.startBot();
    return bot;
  }

  async startBot(): Promise<void> {
    const hooks: PlatformHooks = {
      needsThread,
      usesGroups: () => platformHooks(this.core).usesGroups?.() ?? true,
      mayRead: (...asked) => platformHooks(this.core).mayRead?.(...asked) ?? false,
      openForm: (click) => this.core.openForm(click),
      problemWith: async (answer) => platformHooks(this.core).problemWith?.(answer),
    };
    const adapter = slackAdapter(this.slack, {
      mode: this.#mode,
      ...(this.#statusPace ? { statusPace: this.#statusPace } : {}),
      documents: this.store.documents("slack"),
      hooks,
      log: (level, message, fields) => {
        if (level === "error") this.problems.push(`${message} ${String(fields?.error ?? "")}`);
      },
    });
    this.core = await startBot({
      config: { ...this.#config, model: { ...this.#config.model, retryBaseMs: 1 } },
      store: this.store,
      adapter,
      workspaces: this.workspaces.port,
      problems: this.problems,
      pace: { leastEditGapMs: 5, inboxHoldMs: 300 },
    });
  }

  /** Takes effect with the next start. */
  changePolicy(text: string): void {
    writeFileSync(this.#config.authorization.policyFile ?? "", `version: 1\n${text}`);
  }

  async restart(): Promise<void> {
    await this.core[Symbol.asyncDispose]();
    await this.startBot();
  }

  /** Somebody in the channel. */
  human(user: Parameters<SlackServer["human"]>[0] = {}): Human {
    const human = this.slack.human(user);
    this.channel.members.add(human.user.id);
    return human;
  }

  /** Something is said, and has arrived. */
  async says(human: Human, text: string, options: SayOptions = {}): Promise<Said> {
    const said = human.says(this.channel, text, options);
    await this.arrived(said.deliveries);
    return said;
  }

  async arrived(deliveries: Said["deliveries"]): Promise<void> {
    const isThere = () => deliveries.every(({ isAcknowledged }) => isAcknowledged);
    await until(isThere, "the acknowledgement");
  }

  threadAt(root: string): string {
    return encodeThread({ team: this.slack.world.team.id, channel: this.channel.id, root });
  }

  /** The bot's messages in a thread, whispers left out. */
  sees(human: Human, root: string): Seen[] {
    const bot = this.slack.app.user.id;
    const all = human.sees(this.channel, root);
    return all.filter(({ message, isWhisper }) => message.user === bot && !isWhisper);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.core[Symbol.asyncDispose]();
    await this.store[Symbol.asyncDispose]();
    await this.model[Symbol.asyncDispose]();
    await this.slack[Symbol.asyncDispose]();
    this.workspaces[Symbol.dispose]();
    if (this.slack.problems.length > 0)
      throw new AggregateError(this.slack.problems, "the double broke");
  }
}
