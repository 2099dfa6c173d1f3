import type { Documents, Lease } from "../contract/store.ts";
import type { QueueWait, Workspace } from "../contract/workspace/workspace.ts";
import { type ConversationState, stoppable } from "../journal/conversation/state.ts";
import { LeaseLostError, type WriteOptions } from "../journal/journal.ts";
import type { ConversationLine } from "../journal/lines.ts";
import type { ConversationParts } from "./parts.ts";
import { slots } from "./shown/cards.ts";
import { queueText } from "./shown/queue-text.ts";
import { restoreViews } from "./shown/restore-views.ts";
import { drive } from "./turn/drive.ts";
import { RetryLaterError } from "./turn/finish.ts";
import { HeldLease } from "./turn/held-lease.ts";
import { type Next, nextOf } from "./turn/next.ts";
import { Run, type RunHooks } from "./turn/run.ts";
import { noWorkspace } from "./turn/run-calls.ts";

/** Together with the sweep: how long a turn lies idle whose process has died. */
const LEASE_MS = 10_000;
const RENEW_MS = 3_000;
/** How soon a stop is noticed that came in at another replica. */
const LOOK_MS = 500;
const SWEEP_MS = 4_000;
const CLOSING_MS = 3_000;

const NOBODY_LOOKS: Documents = {
  get: async () => undefined,
  set: async () => undefined,
  delete: async () => false,
  keys: async () => [],
};

/** What is going on with one conversation here. */
interface Drive {
  run?: Run;
  /** True: it is marked as open, and the journal is looked at again before anybody leaves. */
  isWorking: boolean;
  /** What people see of it is to be shown anew first. */
  readonly isRestoring: boolean;
  /** Those who want to know that the journal was looked at. */
  readonly waiters: ((looked: Looked) => void)[];
  ended: Promise<void>;
}

/** "elsewhere": another replica works on it, and may have looked at the journal for the last time already. */
export type Looked = "looked" | "elsewhere";

/** All conversations, each worked on by one at a time, whatever falls over in between. */
export class Conversations implements AsyncDisposable {
  readonly #parts: ConversationParts;
  readonly #drives = new Map<string, Drive>();
  /** Names the conversations with something to do, for whoever starts next. */
  readonly #marks: Documents;
  /** Names those that wait for people, and some that did. */
  readonly #waits: Documents;
  #sweeper: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(parts: ConversationParts) {
    this.#parts = parts;
    // Subagents are found again by those they work for.
    this.#marks = parts.parentOf ? NOBODY_LOOKS : parts.store.documents("open-turns");
    this.#waits = parts.parentOf ? NOBODY_LOOKS : parts.store.documents("waiting-turns");
  }

  /** Takes up what was cut off, now and whenever another replica has died. */
  async start(): Promise<void> {
    void this.restore();
    this.#sweeper = setInterval(() => void this.#sweep(), SWEEP_MS);
    this.#sweeper.unref();
  }

  /**
   * Shows what goes on and what waits as it is by now: after a start, and when a platform is back. What was lost
   * meanwhile is made good, and nothing is shown twice.
   */
  async restore(platform?: string): Promise<void> {
    try {
      const live = [
        ...(await this.#marks.keys()),
        ...(await this.#waits.keys()),
        ...this.#parts.reply.pending(),
      ];
      for (const conversation of new Set(live)) {
        if (platform !== undefined && !conversation.startsWith(`${platform}:`)) continue;
        await this.#restore(conversation);
      }
    } catch (error) {
      this.#parts.log("error", "Failed to refresh the posted messages.", { error });
    }
  }

  state(conversation: string): Promise<ConversationState> {
    return this.#parts.journal.read(conversation);
  }

  /** Writes what somebody did. False: it was written before, or there was nothing to write. */
  write(
    conversation: string,
    propose: (state: ConversationState) => readonly ConversationLine[],
    options: Pick<WriteOptions, "claims"> = {},
  ): Promise<boolean> {
    return this.#parts.journal.write(conversation, propose, options);
  }

  /** Ends the open turn and all that runs in it, or the one that is about to begin. False: there is none. */
  async stop(conversation: string, by: string, name?: string): Promise<boolean> {
    const named = name === undefined ? {} : { name };
    const isNew = await this.write(conversation, (state) => {
      const turn = stoppable(state);
      return turn === undefined ? [] : [{ kind: "stop", data: { turn, by, ...named } }];
    });
    const { open } = await this.state(conversation);
    // Only what is written down may end a run: the next turn's would go on for ever without knowing why it cannot.
    if (open?.stoppedBy !== undefined) this.#drives.get(conversation)?.run?.stop.abort();
    return isNew || open !== undefined;
  }

  /** Sees to it that what the journal asks for is done. Resolves once that is certain, and not when it is done. */
  async wake(conversation: string, { isRestoring = false } = {}): Promise<Looked> {
    if (this.#isClosed) return "elsewhere";
    const known = this.#drives.get(conversation);
    if (known?.isWorking) {
      void this.#look(known);
      return "looked";
    }
    const { promise, resolve } = Promise.withResolvers<Looked>();
    const drive = known ?? this.#begin(conversation, isRestoring);
    drive.waiters.push(resolve);
    return await promise;
  }

  /** Resolves once nobody works on it here. */
  async rested(conversation: string): Promise<void> {
    await this.#drives.get(conversation)?.ended;
  }

  /** Lets go of everything. What is under way is taken up by whoever starts next. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#sweeper);
    const drives = [...this.#drives.values()];
    for (const { run } of drives) run?.leave.abort();
    const late = new Promise((resolve) => setTimeout(resolve, CLOSING_MS).unref());
    await Promise.race([Promise.all(drives.map(({ ended }) => ended)), late]);
  }

  /** By whoever has the conversation: another could show what is not true any more. */
  async #restore(conversation: string): Promise<void> {
    if (!this.#drives.has(conversation)) await this.wake(conversation, { isRestoring: true });
    else if (!this.#isClosed) {
      // One of them costs the others nothing.
      await restoreViews(this.#parts, conversation).catch((error) =>
        this.#fail(conversation, error),
      );
    }
  }

  #begin(conversation: string, isRestoring: boolean): Drive {
    const begun: Drive = { isWorking: false, isRestoring, waiters: [], ended: Promise.resolve() };
    this.#drives.set(conversation, begun);
    begun.ended = this.#work(conversation, begun).catch((error) => this.#fail(conversation, error));
    return begun;
  }

  async #fail(conversation: string, error: unknown): Promise<void> {
    if (error instanceof LeaseLostError || error instanceof RetryLaterError) return;
    // Whoever was too slow to let go loses the store; that is no trouble of anybody's.
    if (this.#isClosed) return;
    const { log, reply } = this.#parts;
    log("error", "Failed to work on a conversation.", { conversation, error });
    await reply.tellUnreadable(conversation, error);
  }

  async #work(conversation: string, begun: Drive): Promise<void> {
    let lease: HeldLease | undefined;
    let watch: Disposable | undefined;
    try {
      const { store, holder, parentOf } = this.#parts;
      if (parentOf && !parentOf(conversation)?.isOurs) return;
      lease = await HeldLease.take(store, { conversation, holder, ttlMs: LEASE_MS });
      if (!lease || this.#isClosed) return;
      const held = lease;
      watch = this.#watch(begun, held);
      const newRun = () => this.#newRun(conversation, begun, held);
      if (begun.isRestoring) await restoreViews(this.#parts, conversation);
      await drive(this.#parts, newRun, (next) => this.#isOver(conversation, begun, next));
    } finally {
      watch?.[Symbol.dispose]();
      this.#forget(conversation, begun);
      await lease?.release();
    }
  }

  /** True: nobody waits for anything here any more. Between that and forgetting it nothing else may happen. */
  async #isOver(conversation: string, begun: Drive, next: Next): Promise<boolean> {
    const seen = begun.waiters.length;
    const isAtRest = next.kind === "idle" || next.kind === "wait";
    if (isAtRest) {
      // Whoever comes from here on is noticed at the end; whoever came before has written what is read now.
      begun.isWorking = false;
      if (nextOf(await this.state(conversation)).kind !== next.kind) return false;
      await this.#noteRest(conversation, begun, next);
    } else if (!begun.isWorking) {
      await this.#marks.set(conversation, true);
      begun.isWorking = true;
    }
    for (const resolve of begun.waiters.splice(0, seen)) resolve("looked");
    if (!isAtRest || begun.waiters.length > 0) return false;
    this.#forget(conversation, begun);
    return true;
  }

  async #noteRest(conversation: string, { isRestoring }: Drive, { kind }: Next): Promise<void> {
    if (kind === "wait") await this.#waits.set(conversation, true);
    // Most are not worth a deletion of their own.
    else if (isRestoring) await this.#waits.delete(conversation);
    await this.#marks.delete(conversation);
  }

  #forget(conversation: string, begun: Drive): void {
    begun.isWorking = false;
    for (const resolve of begun.waiters.splice(0)) resolve("elsewhere");
    if (this.#drives.get(conversation) === begun) this.#drives.delete(conversation);
    if (begun.run && this.#parts.runs.get(conversation) === begun.run) {
      this.#parts.runs.delete(conversation);
    }
  }

  #newRun(conversation: string, begun: Drive, lease: HeldLease): Run {
    const { journal, parentOf } = this.#parts;
    const hooks: RunHooks = {
      open: (one) => this.#open(one),
      tell: (turn, text) =>
        this.#parts.reply.show(conversation, slots.notice(turn, "checkpoint"), {
          kind: "notice",
          level: "warning",
          text,
        }),
    };
    const run = new Run(journal, conversation, lease, hooks, parentOf?.(conversation));
    if (this.#isClosed) run.leave.abort();
    begun.run = run;
    this.#parts.runs.set(conversation, run);
    return run;
  }

  async #open(run: Run): Promise<Workspace> {
    const { workspaces, reply } = this.#parts;
    if (!workspaces) return await noWorkspace();
    const { conversation, lease, stop } = run;
    const { open } = await run.state();
    const slot = slots.notice(open?.id ?? conversation, "queue");
    const tell = (text: string) =>
      reply.show(conversation, slot, { kind: "notice", level: "info", text });
    let isQueued = false;
    const onQueued = (wait: QueueWait) => {
      isQueued = true;
      tell(queueText(wait));
    };
    try {
      const requester = open?.requester;
      const options = { fence: lease.fence, signal: stop.signal, requester, onQueued };
      return await workspaces.open(conversation, options);
    } finally {
      if (isQueued) tell("All workspaces were in use. This thread no longer waits for one.");
    }
  }

  /** Keeps the lease, and looks for a stop that came in elsewhere. */
  #watch(begun: Drive, lease: Lease): Disposable {
    const leave = () => begun.run?.leave.abort();
    const renew = async () => {
      const isOurs = await lease.renew(LEASE_MS).catch(() => false);
      if (!isOurs) leave();
    };
    const renewing = setInterval(() => void renew(), RENEW_MS);
    const looking = setInterval(() => void this.#look(begun), LOOK_MS);
    return {
      [Symbol.dispose]() {
        clearInterval(renewing);
        clearInterval(looking);
      },
    };
  }

  async #look({ run }: Drive): Promise<void> {
    // A store that cannot be read now is the trouble of whoever writes next.
    const state = await run?.state().catch(() => undefined);
    if (state?.open?.stoppedBy !== undefined) run?.stop.abort();
  }

  async #sweep(): Promise<void> {
    try {
      for (const conversation of await this.#marks.keys()) void this.wake(conversation);
    } catch (error) {
      this.#parts.log("error", "Failed to list the conversations to resume.", { error });
    }
  }
}
