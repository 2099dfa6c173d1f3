import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Core, openCore } from "../../src/app/core.ts";
import { type Config, type Env, readConfig } from "../../src/config.ts";
import type { Incoming } from "../../src/contract/incoming.ts";
import type { Store } from "../../src/contract/store.ts";
import type { Workspaces } from "../../src/contract/workspace.ts";
import { createRedactor } from "../../src/redaction/redactor.ts";
import { openStore } from "../../src/store/open-store.ts";
import { type MemoryRig, openMemoryAdapter } from "./memory-adapter.ts";
import { Room } from "./room.ts";

interface WholeBotOptions {
  /** As an operator makes the settings. */
  readonly env?: Env;
  readonly workspaces?: Workspaces | undefined;
  /** Told of each event once it was received, with the time that took. */
  readonly onReceived?: (incoming: Incoming, ms: number) => void;
}

/** The core as the application puts it together, on SQLite and on a platform in memory. */
export class WholeBot implements AsyncDisposable {
  readonly rig: MemoryRig = openMemoryAdapter();
  /** What was logged for the operator to look at. */
  readonly problems: string[] = [];
  readonly directory = mkdtempSync(join(tmpdir(), "whole-bot-"));
  readonly config: Config;
  store!: Store;
  core!: Core;
  readonly #options: WholeBotOptions;

  private constructor(options: WholeBotOptions) {
    this.#options = options;
    this.config = readConfig({ DECKHAND_DATA_DIR: this.directory, ...options.env });
  }

  static async start(options: WholeBotOptions = {}): Promise<WholeBot> {
    const bot = new WholeBot(options);
    await bot.#open();
    return bot;
  }

  /** A thread of its own, with people in it. */
  async room(): Promise<Room> {
    return new Room(this, await this.rig.people.newThread());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.rig.adapter[Symbol.asyncDispose]();
    await this.core[Symbol.asyncDispose]();
    await this.store[Symbol.asyncDispose]();
    rmSync(this.directory, { recursive: true, force: true });
  }

  async #open(): Promise<void> {
    const { rig, config } = this;
    const { workspaces, onReceived } = this.#options;
    this.store = await openStore(config.store);
    this.core = await openCore({
      config,
      store: this.store,
      redactor: createRedactor({ secrets: config.secrets }),
      log: (level, message, fields) => {
        if (level !== "warn" && level !== "error") return;
        this.problems.push(`${message} ${String(fields?.error ?? "")}`);
      },
      workspaces,
      adapterOf: () => rig.adapter,
    });
    await this.core.start();
    await rig.adapter.start(async (incoming) => {
      const from = performance.now();
      const receipt = await this.core.receive(incoming);
      onReceived?.(incoming, performance.now() - from);
      return receipt;
    });
  }
}
