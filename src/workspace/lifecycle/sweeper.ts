import { watchDisk } from "../disk/disk-watch.ts";
import { Container } from "../docker/container.ts";
import type { LiveWorkspace, WorkspaceContext } from "../live-workspace.ts";
import { conversationKey, WORKSPACE_LABEL } from "../names.ts";
import type { WorkspaceSettings } from "../settings.ts";
import type { Records, WorkspaceRecord } from "./records.ts";
import type { TerminalRecorder } from "./terminal-records.ts";

export interface SweeperParts {
  readonly context: WorkspaceContext;
  readonly records: Records;
  readonly terminals: TerminalRecorder;
  readonly settings: WorkspaceSettings;
  readonly running: () => readonly (readonly [key: string, live: LiveWorkspace])[];
  readonly onStopped: (key: string) => void;
  /** Waits for whatever is being done to the workspace of that key, and keeps others waiting. */
  readonly exclusively: <T>(key: string, work: () => Promise<T>) => Promise<T>;
  /** Whoever waits for a slot may get one from a workspace that was opened and not used since. */
  readonly onSwept: () => Promise<void>;
  /** Whether a workspace is beyond its person's or channel's share while a request within its share waits. */
  readonly mustYield: (key: string) => boolean;
  readonly backgroundGraceMs: number;
  /** Removes a workspace for good. */
  readonly expire: (conversation: string) => Promise<void>;
}

const YIELDED =
  "The background work in this workspace was stopped: others were waiting, and its owner or channel held more than a fair " +
  "share of the workspaces. Files are kept.";

/** How long the server of a workspace that the engine calls unhealthy has to answer. */
const ANSWER_WITHIN_MS = 5_000;

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
    await this.#recordTerminals();
    await this.#saveLastUse();
  }

  /**
   * Stops an idle workspace: first one beyond its share, then the one that was used longest ago. When none is idle,
   * background work beyond its share ends; a call never does.
   */
  async makeRoom(): Promise<void> {
    const { running, mustYield, backgroundGraceMs } = this.#parts;
    const byAge = running().toSorted(([, a], [, b]) => a.lastUsedAt - b.lastUsedAt);
    const yielding = byAge.filter(([key]) => mustYield(key));
    const others = byAge.filter(([key]) => !mustYield(key));
    for (const [key, live] of [...yielding, ...others]) {
      if (await this.#stopIfIdle(key, live)) return;
    }
    for (const [key, live] of yielding) {
      if (Date.now() - live.lastUsedAt < backgroundGraceMs) continue;
      if (await this.#stopIfIdle(key, live, { withBackground: true })) return;
    }
  }

  /** One workspace in trouble must not keep the others from being looked after. */
  async #sweep(): Promise<void> {
    const { context, settings } = this.#parts;
    this.#sweeps += 1;
    for (const [key, live] of this.#parts.running()) {
      await this.#guarded(async () => {
        if (Date.now() - live.lastUsedAt > settings.idleStopMs) await this.#stopIfIdle(key, live);
        else if (!context.disk.enforced) await watchDisk(context.engine, live, settings.diskBytes);
      });
    }
    await this.#recordTerminals();
    await this.#guarded(() => this.#examineUnhealthy());
    await this.#guarded(() => this.#parts.onSwept());
    if (this.#sweeps % RECORDS_EVERY === 1) {
      await this.#guarded(() => this.#saveLastUse());
      await this.#guarded(() => this.#expireOld());
      await this.#guarded(() => this.#expireUnrecorded());
    }
  }

  async #examineUnhealthy(): Promise<void> {
    const { context, running } = this.#parts;
    if (running().length === 0) return;
    const containers = await context.engine.containers(context.names.label);
    const unhealthy = new Set(containers.filter((one) => one.isUnhealthy).map(({ name }) => name));
    const suspects = running().filter(([, live]) => unhealthy.has(live.container.name));
    await Promise.all(suspects.map(([, live]) => live.link.closeIfSilent(ANSWER_WITHIN_MS)));
  }

  /** Whoever wants it meanwhile waits until its slot is free again, and then for a slot like everybody else. */
  async #stopIfIdle(
    key: string,
    live: LiveWorkspace,
    { withBackground = false } = {},
  ): Promise<boolean> {
    if (live.isBusy) return false;
    return this.#parts.exclusively(key, async () => {
      const mayStop = (activity: string) =>
        activity === "idle" ||
        activity === "stopped" ||
        (activity === "background" && withBackground);
      const usedAt = live.lastUsedAt;
      if (!mayStop(await live.activity().catch(() => "busy"))) return false;
      await this.#guarded(() => this.#parts.terminals.record(key, live));
      // Looked at again after the recording: a call may have come meanwhile, and nothing may come between this and the stop.
      const activity = await live.activity().catch(() => "busy");
      if (!mayStop(activity) || live.lastUsedAt !== usedAt) return false;
      if (activity === "stopped") live.link.close();
      else await live.stop();
      if (activity === "background") live.tell(YIELDED);
      this.#parts.onStopped(key);
      return true;
    });
  }

  async #recordTerminals(): Promise<void> {
    const { running, terminals, exclusively } = this.#parts;
    const due = running().filter(([, live]) => terminals.isDue(live));
    await Promise.all(
      due.map(([key, live]) =>
        // A reset that removes the records must not be followed by a late recording.
        this.#guarded(() => exclusively(key, () => terminals.record(key, live))),
      ),
    );
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
    const { context, records, settings } = this.#parts;
    const known = new Set((await records.list()).map((one) => conversationKey(one.conversation)));
    for (const { name, running, labels } of await context.engine.containers(context.names.label)) {
      const key = context.names.keyOf(name);
      if (running || key === undefined || known.has(key)) continue;
      const state = await context.engine.inspect(name);
      const unusedSince = Math.max(state?.finishedAt ?? 0, state?.createdAt ?? Date.now());
      if (Date.now() - unusedSince < settings.retentionMs) continue;
      await new Container(context, labels[WORKSPACE_LABEL] ?? "", name).destroy();
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
      this.#parts.context.log("warn", "Failed to sweep the workspaces; retrying.", {
        error: String(error),
      });
    }
  }
}
