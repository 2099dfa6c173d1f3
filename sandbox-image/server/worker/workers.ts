import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { failed, type OperationResult, ToolError } from "../../../src/contract/tools/operation.ts";
import type { OutputAck, OutputPiece } from "../../../src/contract/workspace/channel.ts";
import type { Exchange, ExchangeLog } from "../files/exchange-log.ts";
import type { CallContext } from "../handlers.ts";
import { family, killAll, signal } from "../processes/stop.ts";
import { readProcess } from "../processes/table.ts";
import type { Relay } from "../tools.ts";
import type { AskName, Asks, Greeting } from "./messages.ts";
import { type LinkTimes, type Loss, WorkerLink, WorkerLostError } from "./worker-link.ts";

/** The launcher answers each connection with a new worker. */
const LAUNCHER = "/run/deckhand-worker";
/** A worker that lived this long was not broken from the start. */
const STABLE_MS = 5000;
const FIRST_PAUSE_MS = 100;
const MOST_QUICK_LOSSES = 6;
const LOGS_A_MINUTE = 30;

/** Changes to several files that a lost worker left unfinished. */
interface UnfinishedExchanges extends ExchangeLog {
  unfinished(): readonly {
    readonly id: string;
    readonly exchanges: readonly Exchange[];
    readonly isDone: boolean;
  }[];
}

export interface WorkersParts {
  /** Connected by init, so that the first worker starts beside the supervisor. */
  readonly first: Socket;
  readonly ledger: UnfinishedExchanges;
  readonly times: LinkTimes;
  onOutput(piece: OutputPiece): void;
  /** Its terminals and background commands are gone. */
  onLost(): void;
  /** No worker can be started any more. */
  onBroken(error: unknown): void;
  readonly reconnect?: () => Promise<Socket>;
}

/** The current worker, and the next one when it is lost. */
export class Workers {
  readonly #parts: WorkersParts;
  #link: WorkerLink;
  /** Resolves with a link that has not been lost yet. */
  #ready: Promise<WorkerLink>;
  #lastLoss: Loss | undefined;
  /** Conversations that have learned of the last loss. */
  readonly #notified = new Set<string>();
  #startedAt = performance.now();
  #quickLosses = 0;
  #logs = { minute: 0, count: 0 };

  constructor(parts: WorkersParts) {
    this.#parts = parts;
    this.#link = this.#adopt(parts.first);
    this.#ready = Promise.resolve(this.#link);
  }

  /** Pids that belong to the server and not to the workload. */
  get ownPids(): number[] {
    const { greeting } = this.#link;
    return greeting ? [greeting.worker, greeting.launcher] : [];
  }

  readonly call: Relay = async (call, context) => {
    try {
      const link = await this.#ready;
      const result = await link.call(call, context);
      return call.tool === TERMINALS ? this.#withNotice(result, context) : result;
    } catch (error) {
      if (error instanceof WorkerLostError) return lostResult(error.loss, call.repeat);
      throw error;
    }
  };

  /** Throws a ToolError when the worker is lost meanwhile. */
  async ask<Name extends AskName>(name: Name, params: Asks[Name]["params"]): Promise<unknown> {
    const link = await this.#ready;
    return link.ask(name, params).catch((cause: Error) => {
      if (!(cause instanceof WorkerLostError)) throw cause;
      throw new ToolError("executionFailed", `${cause.message} Try again.`, {}, { cause });
    });
  }

  acknowledge(ack: OutputAck): void {
    this.#link.acknowledge(ack);
  }

  /** For a worker that leaves requests unanswered. */
  replace(detail: string): void {
    this.#link.lose("stopped responding", detail);
  }

  #adopt(socket: Socket): WorkerLink {
    this.#startedAt = performance.now();
    const { ledger, times, onOutput } = this.#parts;
    const link = new WorkerLink(socket, {
      exchangeLog: ledger,
      times,
      onOutput,
      onLog: (text) => this.#log(text),
      continueIfStopped: ({ worker }) =>
        readProcess(worker)?.state === "T" && signal(worker, "SIGCONT"),
      onLost: (loss, detail) => this.#onLost(link, loss, detail),
    });
    for (const { id, exchanges, isDone } of ledger.unfinished()) {
      link.ask("takeBack", { exchanges, isDone }).then(
        () => ledger.end(id),
        () => {}, // the next worker takes it back
      );
    }
    return link;
  }

  #onLost(link: WorkerLink, loss: Loss, detail: string): void {
    process.stderr.write(`deckhand: the worker ${loss}: ${JSON.stringify(detail)}\n`);
    this.#lastLoss = loss;
    this.#notified.clear();
    this.#parts.onLost();
    const wasStable = performance.now() - this.#startedAt > STABLE_MS;
    this.#quickLosses = wasStable ? 0 : this.#quickLosses + 1;
    this.#ready = this.#restart(link.greeting);
    this.#ready.catch(this.#parts.onBroken);
  }

  async #restart(old: Greeting | undefined): Promise<WorkerLink> {
    if (this.#quickLosses >= MOST_QUICK_LOSSES) throw new Error("each worker was lost at once");
    // Everything of the old worker first: no one else would ever stop it, and it may hold all pids and memory.
    if (old) await killAll(family(old.launcher));
    if (this.#quickLosses > 1) await sleep(FIRST_PAUSE_MS * 2 ** this.#quickLosses);
    this.#link = this.#adopt(await (this.#parts.reconnect ?? connectToLauncher)());
    return this.#link;
  }

  /** Lost terminals are worth a sentence in the next result that is about terminals. */
  #withNotice(result: OperationResult, { conversation }: CallContext): OperationResult {
    if (!this.#lastLoss || this.#notified.has(conversation)) return result;
    this.#notified.add(conversation);
    const notice =
      `The workspace's worker process ${this.#lastLoss} and was restarted: earlier terminals with their ` +
      "directory and variables, and all background commands, are gone.";
    return { ...result, notice: [notice, result.notice].filter(Boolean).join(" ") };
  }

  #log(text: string): void {
    const minute = Math.floor(performance.now() / 60_000);
    if (this.#logs.minute !== minute) this.#logs = { minute, count: 0 };
    this.#logs.count += 1;
    if (this.#logs.count <= LOGS_A_MINUTE) process.stderr.write(`deckhand worker: ${text}\n`);
  }
}

const TERMINALS = "terminal_operations";

function lostResult(loss: Loss, repeat: "safe" | "unsafe"): OperationResult {
  const what = `The workspace's worker process ${loss} while this call ran.`;
  const after =
    "Everything it ran was stopped, its terminals are gone, and a new worker has been started.";
  if (repeat === "safe") {
    return failed(
      new ToolError("executionFailed", `${what} ${after} Nothing was changed; try again.`),
    );
  }
  return {
    ...failed(
      new ToolError(
        "executionFailed",
        `${what} The outcome of the call is unknown. ${after} ` +
          "Check what it changed before you run it again.",
      ),
    ),
    outcome: "unknown",
  };
}

function connectToLauncher(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(LAUNCHER);
    socket.once("connect", () => resolve(socket));
    socket.once("error", reject);
  });
}
