import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Core } from "../../src/app/core.ts";
import { type Config, type Env, readConfig } from "../../src/config.ts";
import type { Adapter } from "../../src/contract/platform/adapter.ts";
import type { Store } from "../../src/contract/store.ts";
import type { RunnableTool } from "../../src/contract/tools/tool-call.ts";
import type { Workspaces } from "../../src/contract/workspace/workspace.ts";
import { openStore } from "../../src/store/open-store.ts";
import { startBot } from "./bot.ts";
import { makeDataDirectory } from "./data-directory.ts";
import { LocalWorkspaces } from "./local-workspaces.ts";
import { type MemoryRig, openMemoryAdapter } from "./memory-adapter.ts";
import type { ModelServer, ModelServerOptions } from "./model-server/server.ts";
import { startModelServer } from "./model-server.ts";
import { Room } from "./room.ts";
import { until } from "./until.ts";

export interface TalkOptions {
  readonly policy?: string;
  readonly tools?: readonly RunnableTool[];
  readonly wire?: "chat" | "responses";
  /** More settings, as an operator makes them. */
  readonly env?: Env;
  readonly server?: ModelServerOptions;
  readonly withoutModel?: boolean;
  readonly withoutWorkspaces?: boolean;
  /** Real ones, in place of directories on this machine. */
  readonly workspaces?: Workspaces;
}

interface Given {
  readonly model: ModelServer;
  readonly rig: MemoryRig;
  readonly store: Store;
  readonly config: Config;
  readonly thread: string;
}

/** One thread and a bot in it that can be ended and started again, over the same store and platform or over others. */
export class Talk extends Room implements AsyncDisposable {
  readonly model: ModelServer;
  readonly rig: MemoryRig;
  readonly workspaces = new LocalWorkspaces();
  readonly store: Store;
  readonly problems: string[];
  bot!: Core;
  readonly #options: TalkOptions;
  readonly #config: Config;
  #held = 0;

  private constructor(options: TalkOptions, { model, rig, store, config, thread }: Given) {
    const problems: string[] = [];
    const seen = {
      rig,
      store,
      get problems() {
        return [...model.problems, ...problems];
      },
    };
    super(seen, thread);
    this.model = model;
    this.rig = rig;
    this.store = store;
    this.problems = problems;
    this.#options = options;
    this.#config = config;
  }

  static async start(options: TalkOptions = {}): Promise<Talk> {
    const model = await startModelServer(options.server);
    const config = configOf(options, model);
    const store = await openStore(config.store);
    const rig = openMemoryAdapter();
    const thread = await rig.people.newThread();
    const talk = new Talk(options, { model, rig, store, config, thread });
    await talk.startBot();
    return talk;
  }

  /** Over the same store and platform, or over others that stand for a process which is killed. */
  async startBot(
    store: Store = this.store,
    adapter: Adapter = this.rig.adapter,
    holder = "bot",
  ): Promise<Core> {
    const { tools = [], withoutWorkspaces, workspaces = this.workspaces.port } = this.#options;
    this.bot = await startBot({
      config: this.#config,
      store,
      adapter,
      holder,
      tools,
      workspaces: withoutWorkspaces ? undefined : workspaces,
      problems: this.problems,
      pace: { leastEditGapMs: 5, inboxHoldMs: 300 },
    });
    return this.bot;
  }

  async restart(): Promise<void> {
    await this.bot[Symbol.asyncDispose]();
    await this.startBot();
  }

  /** A command that runs until `letGo` or the end of the test: what has to happen meanwhile does, however slow the machine is. */
  held(): string {
    this.#held += 1;
    return `until [ -e let-go-${this.#held} ] || [ ! -e "$PWD" ]; do sleep 0.02; done`;
  }

  /** Lets the last `held` command end, once all that was said so far is taken up. */
  async letGo(): Promise<void> {
    const isTakenUp = async () =>
      !this.rig.people.isSending && (await this.store.inbox.pending()).length === 0;
    await until(isTakenUp, "what was said to be taken up");
    this.workspaces.of(this.thread).files.write(`let-go-${this.#held}`, "");
  }

  /** Waits until nothing is to be done, and everything was shown. */
  async rests(): Promise<void> {
    await until(
      async () => {
        const pending = await this.store.inbox.pending();
        const open = await this.store.documents("open-turns").keys();
        return pending.length === 0 && open.length === 0;
      },
      "the bot to rest",
      { seen: () => this.lines() },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.bot[Symbol.asyncDispose]();
    await this.model[Symbol.asyncDispose]();
    await this.store[Symbol.asyncDispose]();
    this.workspaces[Symbol.dispose]();
    rmSync(this.#config.dataDir, { recursive: true, force: true });
  }
}

/** As an operator makes the settings, in a directory of their own. */
function configOf(options: TalkOptions, model: ModelServer): Config {
  const { policy, wire = "responses", withoutModel } = options;
  const directory = makeDataDirectory("talk");
  const policyFile = join(directory, "policy.yaml");
  if (policy !== undefined) writeFileSync(policyFile, `version: 1\n${policy}`);
  const config = readConfig({
    DECKHAND_DATA_DIR: directory,
    ...(withoutModel ? {} : { ...model.env, LLM_API: wire }),
    ...(policy === undefined ? {} : { POLICY_FILE: policyFile }),
    ...options.env,
  });
  // It does not wait long for anything.
  return { ...config, model: { ...config.model, retryBaseMs: 1 } };
}
