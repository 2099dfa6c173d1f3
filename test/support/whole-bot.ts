import { rmSync } from "node:fs";
import type { Core } from "../../src/app/core.ts";
import { type Config, type Env, readConfig } from "../../src/config.ts";
import type { Store } from "../../src/contract/store.ts";
import type { Workspaces } from "../../src/contract/workspace/workspace.ts";
import { openStore } from "../../src/store/open-store.ts";
import { type BotParts, startBot } from "./bot.ts";
import { makeDataDirectory } from "./data-directory.ts";
import { type MemoryRig, openMemoryAdapter } from "./memory-adapter.ts";
import { Room } from "./room.ts";

interface WholeBotOptions extends Pick<BotParts, "onReceived" | "pace"> {
  /** As an operator makes the settings. */
  readonly env?: Env;
  readonly workspaces?: Workspaces | undefined;
}

/** The core as the application puts it together, on SQLite and on a platform in memory. */
export class WholeBot implements AsyncDisposable {
  readonly rig: MemoryRig = openMemoryAdapter();
  /** What was logged for the operator to look at. */
  readonly problems: string[] = [];
  readonly directory = makeDataDirectory("whole-bot");
  readonly config: Config;
  store!: Store;
  core!: Core;

  private constructor(env: Env = {}) {
    this.config = readConfig({ DECKHAND_DATA_DIR: this.directory, ...env });
  }

  static async start({ env, workspaces, ...options }: WholeBotOptions = {}): Promise<WholeBot> {
    const bot = new WholeBot(env);
    const { config, problems, rig } = bot;
    bot.store = await openStore(config.store);
    bot.core = await startBot({
      ...options,
      config,
      store: bot.store,
      workspaces,
      adapter: rig.adapter,
      problems,
    });
    return bot;
  }

  /** A thread of its own, with people in it. */
  async room(): Promise<Room> {
    return new Room(this, await this.rig.people.newThread());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.core[Symbol.asyncDispose]();
    await this.store[Symbol.asyncDispose]();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
