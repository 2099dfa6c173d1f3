import { setTimeout as sleep } from "node:timers/promises";
import {
  childConversation,
  isSubagent,
  type Spawner,
  SUBAGENT_TOOL,
  type SubagentOrder,
  type SubagentReport,
  threadOf,
} from "../../contract/conversation/subagent.ts";
import type { TurnUsage } from "../../contract/conversation/turn-usage.ts";
import { StillWaitingError } from "../../contract/permission/question.ts";
import { StoreError } from "../../contract/store.ts";
import { subagentUsage } from "../../journal/conversation/fold-turn.ts";
import type { ConversationState, TurnCall } from "../../journal/conversation/state.ts";
import type { Journal } from "../../journal/journal.ts";
import type { Conversations } from "../conversations.ts";
import type { SubagentHands } from "../parts.ts";
import type { Settings } from "../settings.ts";
import { nextOf } from "../turn/next.ts";
import type { Run } from "../turn/run.ts";
import { Attendance } from "./attendance.ts";
import type { KeptOrder } from "./orders.ts";
import { Places } from "./places.ts";
import { entryOf, isOver, reportOf, type SubagentEntry } from "./report.ts";
import { asking, noConversation, type OrderParts, takeOrder } from "./take-order.ts";
import { type ProgressParts, tellProgress } from "./tell-progress.ts";

/** How soon an answer is noticed that came in at another replica, and how long a failing store is left alone. */
const LOOK_MS = 200;
/** How long a turn that ends waits for its subagents to end. */
const ENDING_MS = 40_000;

export interface SubagentParts extends OrderParts, ProgressParts {
  readonly journal: Journal;
  readonly runs: ReadonlyMap<string, Run>;
  readonly settings: Pick<Settings, "load">;
  /** Where the conversations of subagents are worked on. */
  readonly children: () => Conversations;
}

/**
 * Agents that work for agents. Each has a conversation of its own with a journal of its own, named by the call that asked for
 * it. Nobody works on it but who works on the one that it works for: after a crash the call is run again and finds it
 * where it stands.
 */
export class Subagents implements Spawner, SubagentHands {
  readonly #parts: SubagentParts;
  readonly #places = new Places();
  readonly #attendance = new Attendance();

  constructor(parts: SubagentParts) {
    this.#parts = parts;
  }

  async spawn(order: SubagentOrder): Promise<SubagentReport> {
    const { parent, callId } = order;
    const run = this.#parts.runs.get(parent);
    if (!run) throw noConversation();
    const child = childConversation(parent, callId);
    const kept = await this.#parts.orders.keep(child, () => takeOrder(this.#parts, run, order));
    await this.#parts.journal.write(child, ({ events }) => asking(events, kept));
    const report = await this.#attend(run, { child, kept, order });
    // Whoever works on the parent next comes here again; what is told until then would be wrong.
    return report ?? (await NEVER);
  }

  /** Until it has ended. Undefined: nobody works here any more on the one that it works for. */
  async #attend(run: Run, { child, kept, order }: Attending): Promise<SubagentReport | undefined> {
    const { parent, signal } = order;
    using _progress = tellProgress(this.#parts, child, order);
    using attended = this.#attendance.begin(parent);
    for (let isFirst = true; ; isFirst = false) {
      if (!(await this.#isOurs(run, signal))) return undefined;
      const state = await this.#parts.journal.read(child).catch(unread);
      if (state?.last && isOver(state)) return reportOf(child, state.last, kept);
      attended.isWaiting = state !== undefined && nextOf(state).kind === "wait";
      // At first also where it waits: what it asks may not have been shown when a bot went down.
      if (!attended.isWaiting || isFirst) await this.#work(child, kept, signal);
      else if (this.#attendance.allWait(parent)) throw new StillWaitingError(waitingFor(kept));
      else await sleep(LOOK_MS, undefined, { signal });
    }
  }

  /** False: somebody else goes on with it. A lease that ran out a moment ago may be renewed yet. */
  async #isOurs(run: Run, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      signal.throwIfAborted();
      if (run.leave.signal.aborted || this.#parts.runs.get(run.conversation) !== run) return false;
      if (run.isOurs) return true;
      await sleep(LOOK_MS, undefined, { signal });
    }
  }

  async live(conversation: string): Promise<string[]> {
    const { open } = await this.#parts.journal.read(conversation);
    const calls = open?.calls.filter(({ started, result }) => isOrder(started) && !result) ?? [];
    const found: string[] = [];
    for (const { callId } of calls) {
      const child = childConversation(conversation, callId);
      // Whoever asks wants to name them.
      if (!(await this.#parts.orders.find(child))) continue;
      found.push(child, ...(await this.live(child)));
    }
    return found;
  }

  /** All that ever worked in a thread. */
  async ofThread(thread: string): Promise<string[]> {
    const children = await this.#parts.orders.ofThread(thread);
    // Whoever asks wants to name them.
    await Promise.all(children.map((child) => this.#parts.orders.find(child)));
    return children;
  }

  /** The same for people, oldest first. */
  async list(thread: string): Promise<SubagentEntry[]> {
    const { orders, journal } = this.#parts;
    const entries = (await this.ofThread(thread)).map(async (child) => {
      const order = await orders.find(child);
      return order ? [entryOf(child, order, await journal.read(child))] : [];
    });
    return (await Promise.all(entries))
      .flat()
      .sort((one, other) => (one.askedAt < other.askedAt ? -1 : 1));
  }

  async end(run: Run, calls: readonly TurnCall[], by: string): Promise<TurnUsage[]> {
    const deadline = Date.now() + ENDING_MS;
    const usages = await Promise.all(
      calls.map(async (call) => {
        const child = childConversation(run.conversation, call.callId);
        const order = await this.#parts.orders.find(child);
        if (!order) return [];
        const { last } = await this.#stop(run, child, by, deadline);
        // What its report has told is counted already.
        return subagentUsage(call) || !last?.turn.usage ? [] : [last.turn.usage];
      }),
    );
    return usages.flat();
  }

  /** Somebody has answered a subagent: all that wait for it go on. Doing it again does no harm. */
  async resume(child: string): Promise<void> {
    const order = await this.#parts.orders.find(child);
    if (!order) return;
    const { parent, callId } = order;
    await this.#parts.journal.write(parent, ({ open }) =>
      open?.calls.some((call) => call.callId === callId && !call.result)
        ? [{ kind: "call.resumed", data: { turn: open.id, callId } }]
        : [],
    );
    if (isSubagent(parent)) await this.resume(parent);
  }

  /** Until there is nothing to do for it, or nobody to do it. */
  async #work(child: string, { parent }: KeptOrder, signal: AbortSignal): Promise<void> {
    const { settings, children, journal } = this.#parts;
    const most = (await settings.load(threadOf(parent)).catch(unread))?.maxSubagents ?? 1;
    using _place = await this.#places.take(parent, most, signal);
    const before = await journal.read(child).catch(unread);
    await orAborted(wakeAndRest(children(), child), signal);
    const after = await journal.read(child).catch(unread);
    const isMoved = before && after && after.seq > before.seq;
    if (!isMoved) await sleep(LOOK_MS, undefined, { signal });
  }

  async #stop(run: Run, child: string, by: string, deadline: number): Promise<ConversationState> {
    const { journal } = this.#parts;
    const children = this.#parts.children();
    for (;;) {
      await journal.write(child, ({ open, asked }) =>
        open
          ? []
          : asked.map(({ messageId }) => ({ kind: "message.deleted", data: { messageId } })),
      );
      await children.stop(child, by);
      const state = await journal.read(child);
      if (!state.open && (!state.last || state.last.isShown)) return state;
      run.throwIfLeft();
      if (Date.now() > deadline) throw new Error(`The subagent ${child} does not end.`);
      await wakeAndRest(children, child);
      await sleep(LOOK_MS / 4);
    }
  }
}

interface Attending {
  readonly child: string;
  readonly kept: KeptOrder;
  readonly order: SubagentOrder;
}

/** A store that cannot be read now says nothing about the subagent, which must not be left alone for it. */
function unread(error: unknown): undefined {
  if (!(error instanceof StoreError)) throw error;
}

const NEVER = new Promise<never>(() => undefined);

function isOrder(started: TurnCall["started"]): boolean {
  return started?.operationKey === SUBAGENT_TOOL;
}

async function wakeAndRest(children: Conversations, child: string): Promise<void> {
  await children.wake(child);
  await children.rested(child);
}

/** A turn has one signal for all of its work: nobody may stay on it who waits no longer. */
async function orAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function waitingFor({ parent, callId, task }: KeptOrder) {
  return {
    conversation: parent,
    callId,
    prompt: `The subagent "${task}" is waiting for an answer.`,
  };
}
