import { Container } from "./container.ts";
import { watchDisk } from "./disk-watch.ts";
import type { Harbour, LiveWorkspace } from "./live-workspace.ts";
import { conversationKey, WORKSPACE_LABEL } from "./names.ts";
import type { Records, WorkspaceRecord } from "./records.ts";
import type { WorkspaceSettings } from "./settings.ts";

export interface SweeperParts {
  readonly harbour: Harbour;
  readonly records: Records;
  readonly settings: WorkspaceSettings;
  readonly running: () => readonly (readonly [key: string, live: LiveWorkspace])[];
  readonly onStopped: (key: string) => void;
  /** Waits for whatever is being done to the workspace of that key, and keeps others waiting. */
  readonly exclusively: <T>(key: string, work: () => Promise<T>) => Promise<T>;
  /** Whoever waits for a slot may get one from a workspace that was opened and not used since. */
  readonly onSwept: () => Promise<void>;
  /** Removes a workspace for good. */
  readonly expire: (conversation: string) => Promise<void>;
}

/** Every how many sweeps the records are looked through. */
const RECORDS_EVERY = 6;

/** Looks now and then for workspaces to stop, to remove or to admonish. */
export class Sweeper {
  readonly #parts: SweeperParts;
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> | undefined;
  #sweeps = 0;

  constructor(parts: SweeperParts) {
    this.#parts = parts;
  }

  start(everyMs: number): void {
    this.#timer = setInterval(() => {
      this.#sweeping ??= this.#sweep().finally(() => {
        this.#sweeping = undefined;
      });
    }, everyMs);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sweeping;
    await this.#saveLastUse();
  }

  /** Stops the one of the idle workspaces that was used longest ago. */
  async makeRoom(): Promise<void> {
    const byAge = this.#parts.running().toSorted(([, a], [, b]) => a.lastUsedAt - b.lastUsedAt);
    for (const [key, live] of byAge) {
      if (await this.#stopIfIdle(key, live)) return;
    }
  }

  /** One workspace in trouble must not keep the others from being looked after. */
  async #sweep(): Promise<void> {
    const { harbour, settings } = this.#parts;
    this.#sweeps += 1;
    for (const [key, live] of this.#parts.running()) {
      await this.#guarded(async () => {
        if (Date.now() - live.lastUsedAt > settings.idleStopMs) await this.#stopIfIdle(key, live);
        else if (!harbour.disk.enforced) await watchDisk(harbour.engine, live, settings.diskBytes);
      });
    }
    await this.#guarded(() => this.#parts.onSwept());
    if (this.#sweeps % RECORDS_EVERY === 1) {
      await this.#guarded(() => this.#saveLastUse());
      await this.#guarded(() => this.#expireOld());
      await this.#guarded(() => this.#expireUnrecorded());
    }
  }

  /** Whoever wants it meanwhile waits until its slot is free again, and then for a slot like everybody else. */
  async #stopIfIdle(key: string, live: LiveWorkspace): Promise<boolean> {
    if (live.isBusy) return false;
    return this.#parts.exclusively(key, async () => {
      const activity = await live.activity().catch(() => "busy");
      if (activity === "busy") return false;
      if (activity === "idle") await live.stop();
      else live.link.close();
      this.#parts.onStopped(key);
      return true;
    });
  }

  async #saveLastUse(): Promise<void> {
    const { records } = this.#parts;
    const live = new Map(this.#parts.running());
    for (const record of await records.list()) {
      const used = live.get(conversationKey(record.conversation))?.lastUsedAt ?? 0;
      if (used <= Date.parse(record.lastUsedAt)) continue;
      await records.update(record.conversation, { lastUsedAt: new Date(used).toISOString() });
    }
  }

  async #expireOld(): Promise<void> {
    for (const record of await this.#parts.records.list()) {
      if (record.removing || this.#isExpired(record)) await this.#parts.expire(record.conversation);
    }
  }

  /** Claimed by a bot that died before it wrote that down, and never asked for again. */
  async #expireUnrecorded(): Promise<void> {
    const { harbour, records, settings } = this.#parts;
    const known = new Set((await records.list()).map((one) => conversationKey(one.conversation)));
    for (const { name, running, labels } of await harbour.engine.containers(harbour.names.label)) {
      const key = harbour.names.keyOf(name);
      if (running || key === undefined || known.has(key)) continue;
      const state = await harbour.engine.inspect(name);
      const unusedSince = Math.max(state?.finishedAt ?? 0, state?.createdAt ?? Date.now());
      if (Date.now() - unusedSince < settings.retentionMs) continue;
      await new Container(harbour, labels[WORKSPACE_LABEL] ?? "", name).destroy();
    }
  }

  #isExpired(record: WorkspaceRecord): boolean {
    const { settings, running } = this.#parts;
    const key = conversationKey(record.conversation);
    const isRunning = running().some(([one]) => one === key);
    const age = Date.now() - Date.parse(record.lastUsedAt);
    return !record.keep && !isRunning && age > settings.retentionMs;
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#parts.harbour.log("warn", "A sweep over the workspaces failed.", {
        error: String(error),
      });
    }
  }
}
