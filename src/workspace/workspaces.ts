import type { RecordedTerminal } from "../contract/workspace/recorded-terminal.ts";
import type {
  OpenOptions,
  Workspace,
  WorkspaceSummary,
  Workspaces,
} from "../contract/workspace/workspace.ts";
import { WorkspaceError } from "../contract/workspace/workspace.ts";
import { KeyedLock } from "../lib/keyed-lock.ts";
import { WorkspaceResetError } from "./errors.ts";
import { Claims } from "./lifecycle/claims.ts";
import { channelOf, type Party } from "./lifecycle/fair-share.ts";
import { Opening } from "./lifecycle/opening.ts";
import { Pool } from "./lifecycle/pool.ts";
import { reconcile } from "./lifecycle/reconcile.ts";
import { FileRecords, type Records } from "./lifecycle/records.ts";
import { Slots, type WaitOptions } from "./lifecycle/slots.ts";
import { Sweeper } from "./lifecycle/sweeper.ts";
import { TerminalRecorder } from "./lifecycle/terminal-records.ts";
import type { LiveWorkspace, WorkspaceContext } from "./live-workspace.ts";
import { conversationKey } from "./names.ts";
import type { WorkspacesOptions } from "./options.ts";
import { createWorkspaceContext } from "./workspace-context.ts";
import { WorkspaceHandle } from "./workspace-handle.ts";

const VOLUME_GRACE_MS = 10 * 60_000;
/** How long background work beyond a person's share may go on, after the last use, while others wait. */
const BACKGROUND_GRACE_MS = 5 * 60_000;
const SWEEP_EVERY_MS = 10_000;
const UPLOAD_ENTRY_LIMIT = 100_000;

/** Resolves at once; the engine is looked at in the background, and again if it could not be reached. */
export async function createWorkspaces(options: WorkspacesOptions): Promise<Workspaces> {
  const records = new FileRecords(options.dataDir);
  const context = createWorkspaceContext(options, await records.instance());
  const workspaces = new DockerWorkspaces(options, context, records);
  workspaces.begin();
  return workspaces;
}

class DockerWorkspaces implements Workspaces {
  readonly #options: WorkspacesOptions;
  readonly #context: WorkspaceContext;
  readonly #records: Records;
  readonly #pool: Pool;
  readonly #claims: Claims;
  readonly #slots: Slots;
  readonly #sweeper: Sweeper;
  readonly #lock = new KeyedLock();
  readonly #live = new Map<string, LiveWorkspace>();
  /** Running since an earlier run of the bot; nobody has asked for them yet in this one. */
  readonly #found = new Map<string, LiveWorkspace>();
  readonly #openings = new Map<string, Opening<LiveWorkspace>>();
  #preparing: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: WorkspacesOptions, context: WorkspaceContext, records: Records) {
    this.#options = options;
    this.#context = context;
    this.#records = records;
    this.#pool = new Pool(context, options.settings.poolSize);
    const terminals = new TerminalRecorder({ records, redact: options.redact });
    this.#claims = new Claims(context, records, this.#pool, { ...options, terminals });
    this.#slots = new Slots(options.settings.cap, () => this.#sweeper.makeRoom());
    this.#sweeper = new Sweeper({
      context,
      records,
      terminals,
      settings: options.settings,
      running: () => [...this.#found, ...this.#live].filter(([key]) => this.#slots.holds(key)),
      onStopped: (key) => {
        this.#found.delete(key);
        this.#slots.release(key);
      },
      onSwept: () => this.#slots.retry(),
      mustYield: (key) => this.#slots.mustYield(key),
      backgroundGraceMs: options.backgroundGraceMs ?? BACKGROUND_GRACE_MS,
      exclusively: (key, work) => this.#lock.run(key, work),
      expire: (conversation) => this.reset(conversation),
    });
  }

  begin(): void {
    this.#prepared().catch((error: unknown) => {
      this.#context.log("error", "Failed to prepare the workspaces.", { error });
    });
    this.#sweeper.start(this.#options.sweepEveryMs ?? SWEEP_EVERY_MS);
  }

  async open(conversation: string, options: OpenOptions): Promise<Workspace> {
    const party = { person: options.requester, channel: channelOf(conversation) };
    const live = await this.#awake(conversation, { ...options, party });
    live.heldBy(options.fence);
    return new WorkspaceHandle(live.container.workspace, {
      engine: this.#context.engine,
      conversation,
      fence: options.fence,
      limits: { entries: UPLOAD_ENTRY_LIMIT, bytes: this.#options.settings.diskBytes },
      awake: () => this.#awake(conversation, { party }),
      released: () => void this.#slots.retry().catch(() => undefined),
    });
  }

  async reset(conversation: string): Promise<void> {
    const key = conversationKey(conversation);
    await this.#prepared();
    await this.#lock.run(key, async () => {
      await this.#claims.settled();
      await this.#records.update(conversation, { removing: true });
      this.#letGoOfFound(key);
      this.#live.get(key)?.link.retire(new WorkspaceResetError());
      await this.#claims.destroy(conversation, key);
      this.#context.network?.forget(conversation);
      this.#live.delete(key);
      this.#slots.release(key);
    });
  }

  async keep(conversation: string, keep: boolean): Promise<void> {
    await this.#claims.settled();
    if (!(await this.#records.find(conversation))) {
      throw new WorkspaceError("This thread has no workspace yet.");
    }
    await this.#records.update(conversation, { keep });
  }

  async list(): Promise<WorkspaceSummary[]> {
    await this.#claims.settled();
    const { engine, names } = this.#context;
    const containers = new Map(
      (await engine.containers(names.label)).map((one) => [one.name, one]),
    );
    return (await this.#records.list()).map((record) => {
      const key = conversationKey(record.conversation);
      const container = containers.get(names.claimed(key));
      const stopped = container === undefined ? "absent" : "stopped";
      return {
        conversation: record.conversation,
        workspace: record.workspace,
        state: container?.running ? "running" : stopped,
        ...(container?.isUnhealthy ? { isUnhealthy: true } : {}),
        lastUsedAt: lastUse(record.lastUsedAt, this.#live.get(key)),
        keep: record.keep,
      };
    });
  }

  async recordedTerminals(conversation: string): Promise<RecordedTerminal[]> {
    return this.#records.terminals(conversation);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#sweeper.stop();
    await this.#preparing?.catch(() => undefined);
    for (const live of [...this.#found.values(), ...this.#live.values()]) {
      live.link.retire(shuttingDown());
    }
    await this.#claims.settled();
    await this.#pool.close();
  }

  /** The conversation's workspace, running and counted. */
  async #awake(conversation: string, options: WaitOptions): Promise<LiveWorkspace> {
    if (this.#isClosed) throw shuttingDown();
    const key = conversationKey(conversation);
    const live = this.#live.get(key);
    if (live?.link.isOpen && this.#slots.holds(key)) {
      this.#slots.renew(key, options.party);
      return live;
    }
    const { party } = options;
    const opening = this.#openings.get(key) ?? this.#beginOpening(conversation, key, party);
    return opening.join(options);
  }

  #beginOpening(
    conversation: string,
    key: string,
    party: Party | undefined,
  ): Opening<LiveWorkspace> {
    const opening = new Opening((options) =>
      this.#lock
        .run(key, () => this.#bring(conversation, key, { ...options, party }))
        .finally(() => this.#openings.delete(key)),
    );
    this.#openings.set(key, opening);
    return opening;
  }

  async #bring(conversation: string, key: string, options: WaitOptions): Promise<LiveWorkspace> {
    await this.#prepared();
    await this.#slots.acquire(key, options);
    this.#letGoOfFound(key);
    try {
      const live = this.#live.get(key) ?? (await this.#claims.find(conversation, key));
      live.conversation = conversation;
      this.#live.set(key, live);
      // It may have been made while everything was closed; its stream would keep the process alive.
      if (this.#isClosed) live.link.retire(shuttingDown());
      await live.use(() => live.channel());
      return live;
    } catch (error) {
      this.#slots.release(key);
      throw error;
    }
  }

  #letGoOfFound(key: string): void {
    this.#found.get(key)?.link.close();
    this.#found.delete(key);
  }

  #prepared(): Promise<void> {
    this.#preparing ??= this.#prepare().catch((error: unknown) => {
      this.#preparing = undefined;
      throw error;
    });
    return this.#preparing;
  }

  async #prepare(): Promise<void> {
    await reconcile({
      context: this.#context,
      records: this.#records,
      pool: this.#pool,
      volumeGraceMs: this.#options.volumeGraceMs ?? VOLUME_GRACE_MS,
      onRunning: (key, live, lastUsedAt) => {
        live.lastUsedAt = lastUsedAt;
        this.#found.set(key, live);
        this.#slots.take(key);
      },
    });
    this.#pool.fill();
  }
}

function lastUse(recorded: string, live: LiveWorkspace | undefined): string {
  const latest = Math.max(Date.parse(recorded), live?.lastUsedAt ?? 0);
  return new Date(latest).toISOString();
}

/** Whoever still waits keeps the call id and asks again at the next start. */
function shuttingDown(): WorkspaceError {
  return new WorkspaceError("Deckhand is shutting down.");
}
