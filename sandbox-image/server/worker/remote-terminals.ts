import { z } from "zod";
import { ToolError } from "../../../src/contract/tools/operation.ts";
import { RING_LIMIT_CHARS } from "../../../src/contract/tools/terminal-operations.ts";
import {
  type Census,
  channelMethods,
  FOLLOW_WINDOW_CHARS,
  type OutputPiece,
  type TerminalInfo,
} from "../../../src/contract/workspace/channel.ts";
import type { TerminalService } from "../methods.ts";
import { takeCensus, workspaceProcesses } from "../processes/census.ts";
import { killAll } from "../processes/stop.ts";
import { readTable, userOf } from "../processes/table.ts";
import { Activity, type AskName, type Asks } from "./messages.ts";
import type { Workers } from "./workers.ts";

/** A census and the question of what runs do not wait longer for it. */
const ACTIVITY_MS = 1000;
const KILL_MS = 5000;
/** Of a worker that is slow: something may run, so that the workspace is not stopped or renewed as if it were idle. */
const UNKNOWN: Activity = { owners: [], backgroundRunning: 1 };
const NONE: Activity = { owners: [], backgroundRunning: 0 };

interface Followed {
  readonly send: (piece: OutputPiece) => void;
  acknowledged: number;
  end: number;
}

/** The worker's terminals as the supervisor sees them. It takes the census and kills by itself. */
export class RemoteTerminals implements TerminalService {
  readonly #workers: () => Workers;
  readonly #agentUid: number;
  readonly #tunnelUid: number;
  readonly #followed = new Map<string, Followed>();

  constructor(
    workers: () => Workers,
    { agentUid, tunnelUid }: { agentUid: number; tunnelUid: number },
  ) {
    this.#workers = workers;
    this.#agentUid = agentUid;
    this.#tunnelUid = tunnelUid;
  }

  async census(): Promise<Census> {
    const { owners } = await this.#activity();
    const { processes } = takeCensus(owners, {
      wholeMachine: true,
      spared: this.#workers().ownPids,
    });
    return { processes: processes.filter(({ pid }) => userOf(pid) !== this.#tunnelUid) };
  }

  async backgroundRunning(): Promise<number> {
    return (await this.#activity()).backgroundRunning;
  }

  async list(): Promise<TerminalInfo[]> {
    return (await this.#ask("terminals", {}, channelMethods.terminals.result)).terminals;
  }

  async resize(session_id: string, size: { rows: number; cols: number }): Promise<void> {
    await this.#ask("resize", { session_id, ...size }, z.unknown());
  }

  async prewarm(): Promise<void> {
    await this.#ask("prewarm", {}, z.unknown());
  }

  async annotate(conversation: string, call: string, text: string): Promise<void> {
    await this.#ask("annotate", { conversation, call, text }, z.unknown());
  }

  /** SIGKILL for everything that runs as the workload's user, then the census as proof. */
  async killAll(): Promise<Census> {
    const workers = this.#workers();
    const killed = workers.ask("killTerminals", {}).then(() => true);
    if (!(await within(killed, KILL_MS, false))) workers.replace("did not close its terminals");
    const { ownPids } = workers;
    await killAll(() =>
      workspaceProcesses(readTable(), { wholeMachine: true, spared: ownPids }).filter(
        ({ pid }) => userOf(pid) === this.#agentUid,
      ),
    );
    return this.census();
  }

  async follow(session_id: string, from_index: number, send: (piece: OutputPiece) => void) {
    // Registered before the answer: the first piece may come right behind it.
    const followed: Followed = { send, acknowledged: from_index, end: from_index };
    this.#followed.set(session_id, followed);
    const start = await this.#ask(
      "follow",
      { session_id, from_index },
      channelMethods.follow.result,
    );
    followed.acknowledged = Math.max(followed.acknowledged, start.from_index);
    followed.end = Math.max(followed.end, start.from_index);
    return start;
  }

  async unfollow(session_id: string): Promise<void> {
    this.#followed.delete(session_id);
    await this.#ask("unfollow", { session_id }, z.unknown());
  }

  ack(session_id: string, upto_index: number): void {
    const followed = this.#followed.get(session_id);
    if (followed) followed.acknowledged = Math.max(followed.acknowledged, upto_index);
    this.#workers().acknowledge({ session_id, upto_index });
  }

  /** A piece of a terminal that no client follows any more is dropped. */
  passOn(piece: OutputPiece): void {
    const followed = this.#followed.get(piece.session_id);
    if (!followed) return;
    followed.end = piece.from_index + piece.output.length;
    if (followed.end - followed.acknowledged > MOST_AHEAD_CHARS) {
      this.#workers().replace("sent more output than the client has room for");
      return;
    }
    if (piece.ended) this.#followed.delete(piece.session_id);
    followed.send(piece);
  }

  /** Tells the followers that their terminals are gone. */
  lost(): void {
    for (const [session_id, { send, end }] of this.#followed) {
      send({ session_id, from_index: end, output: "", ended: true });
    }
    this.#followed.clear();
  }

  #activity(): Promise<Activity> {
    // Its terminals and all that ran in them went with a worker that was lost.
    const asked = this.#ask("activity", {}, Activity).catch(() => NONE);
    return within(asked, ACTIVITY_MS, UNKNOWN);
  }

  async #ask<Name extends AskName, T>(
    name: Name,
    params: Asks[Name]["params"],
    schema: z.ZodType<T>,
  ): Promise<T> {
    const parsed = schema.safeParse(await this.#workers().ask(name, params));
    if (parsed.success) return parsed.data;
    this.#workers().replace(`sent an unexpected response to ${name}`);
    throw new ToolError(
      "executionFailed",
      "The workspace's worker process sent malformed data and is being replaced. Try again.",
    );
  }
}

/** The last piece of a terminal holds all that it keeps; before that one window. */
const MOST_AHEAD_CHARS = FOLLOW_WINDOW_CHARS + 2 * RING_LIMIT_CHARS;

/** The fallback when the promise rejects or takes longer. */
async function within<T>(promise: Promise<T>, ms: number, fallback: T): Promise<T> {
  const { promise: late, resolve } = Promise.withResolvers<T>();
  const timer = setTimeout(resolve, ms, fallback);
  try {
    return await Promise.race([promise, late]);
  } catch {
    return fallback; // the worker was lost: its replacement knows nothing of this
  } finally {
    clearTimeout(timer);
  }
}
