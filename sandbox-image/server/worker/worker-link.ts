import type { Socket } from "node:net";
import { type OperationResult, ToolError } from "../../../src/contract/tools/operation.ts";
import {
  LINE_LIMIT_BYTES,
  type OutputAck,
  type OutputPiece,
} from "../../../src/contract/workspace/channel.ts";
import { LineSplitter } from "../../../src/lib/line-splitter.ts";
import type { ExchangeLog } from "../files/exchange-log.ts";
import type { CallContext } from "../handlers.ts";
import type { PreparedCall } from "../tools.ts";
import {
  type AskName,
  type Asks,
  Greeting,
  type RemoteContext,
  type SupervisorMessage,
  WorkerMessage,
} from "./messages.ts";

/** How a worker was lost, as the end of the sentence "The workspace's worker process …". */
export type Loss = "was killed or crashed" | "stopped responding" | "sent malformed data";

export interface LinkTimes {
  /** After this long without a line while something is pending, the worker gets SIGCONT and a ping. */
  readonly pingMs: number;
  /** After this long it counts as lost. */
  readonly silenceMs: number;
  /** A cancelled call must settle within this time. */
  readonly cancelMs: number;
}

export const LINK_TIMES: LinkTimes = { pingMs: 1000, silenceMs: 15_000, cancelMs: 30_000 };

/** A worker that something stops again and again would get a little further each time, but never finish. */
const MOST_STOPS = 10;

export interface LinkParts {
  readonly exchangeLog: ExchangeLog;
  readonly times: LinkTimes;
  onOutput(piece: OutputPiece): void;
  onLog(text: string): void;
  /** Whether SIGSTOP holds the worker; it is then continued. */
  continueIfStopped(greeting: Greeting): boolean;
  /** Called once; every pending call and request settles with it. */
  onLost(loss: Loss, detail: string): void;
}

type SentCall = Pick<PreparedCall, "fingerprint" | "repeat">;

interface Pending {
  readonly call?: { readonly repeat: "safe" | "unsafe"; readonly progress: (text: string) => void };
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** The worker is gone, and with it every answer that was still pending. */
export class WorkerLostError extends Error {
  readonly loss: Loss;

  constructor(loss: Loss) {
    super(`The workspace's worker process ${loss}.`);
    this.loss = loss;
  }
}

/** The supervisor's side of its connection to one worker. */
export class WorkerLink {
  readonly #socket: Socket;
  readonly #parts: LinkParts;
  readonly #pending = new Map<number, Pending>();
  /** Changes to several files that are being made, and whether all of each is done. */
  readonly #exchanges = new Map<string, "begun" | "exchanged">();
  /** Each unsafe call may make one: more would only fill the ledger. */
  #exchangesAllowed = 0;
  readonly #greeted = Promise.withResolvers<Greeting>();
  #greeting: Greeting | undefined;
  #lost: Loss | undefined;
  #lastId = 0;
  #heardAt = 0;
  #stops = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(socket: Socket, parts: LinkParts) {
    this.#socket = socket;
    this.#parts = parts;
    this.#greeted.promise.catch(() => {}); // read by those who wait for it
    const lines = new LineSplitter(
      {
        line: (line) => this.#receive(line),
        overlong: () => this.lose("sent malformed data", "a line over the limit"),
      },
      LINE_LIMIT_BYTES,
    );
    socket.on("data", (chunk: Buffer) => lines.push(chunk));
    socket.on("error", () => {}); // "close" follows
    socket.on("close", () => this.lose("was killed or crashed", "its connection closed"));
  }

  /** Resolves with the pids of worker and launcher; rejects with WorkerLostError. */
  get greeted(): Promise<Greeting> {
    return this.#greeted.promise;
  }

  get greeting(): Greeting | undefined {
    return this.#greeting;
  }

  /** Rejects with WorkerLostError when the worker goes down before it has answered. */
  async call(call: SentCall, context: CallContext): Promise<OperationResult> {
    const { callId, conversation, startDirectory, shell, checkedPaths, requester, signal } =
      context;
    const remote: RemoteContext = {
      callId,
      conversation,
      ...(startDirectory !== undefined && { startDirectory }),
      ...(shell && { shell }),
      ...(checkedPaths && { checkedPaths: [...checkedPaths] }),
      ...(requester !== undefined && { requester }),
    };
    const waits = call.repeat === "unsafe";
    const { id, promise } = this.#open({
      repeat: call.repeat,
      progress: (text) => context.progress(text),
    });
    // The fingerprint is the call as JSON already: it is not made twice.
    const head = JSON.stringify({ kind: "call", id, waits, context: remote });
    this.#write(`${head.slice(0, -1)},"call":${call.fingerprint}}\n`);
    const cancel = () => this.#cancel(id);
    if (signal.aborted) cancel();
    else signal.addEventListener("abort", cancel, { once: true });
    if (waits) {
      this.#exchangesAllowed += 1;
      this.#sendWhenRecorded(id, context);
    }
    try {
      return (await promise) as OperationResult;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  /** The answer is the worker's: the caller validates it. */
  async ask<Name extends AskName>(name: Name, params: Asks[Name]["params"]): Promise<unknown> {
    const { id, promise } = this.#open();
    this.#send({ kind: "ask", id, name, params });
    return promise;
  }

  acknowledge({ session_id, upto_index }: OutputAck): void {
    this.#send({ kind: "ack", session_id, upto_index });
  }

  /** Cuts the worker off. */
  lose(loss: Loss, detail: string): void {
    if (this.#lost) return;
    this.#lost = loss;
    clearInterval(this.#timer);
    this.#socket.destroy();
    const error = new WorkerLostError(loss);
    this.#greeted.reject(error);
    this.#parts.onLost(loss, detail);
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }

  #open(call?: Pending["call"]): { id: number; promise: Promise<unknown> } {
    if (this.#lost) throw new WorkerLostError(this.#lost);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#lastId += 1;
    if (this.#pending.size === 0) this.#heardAt = performance.now();
    this.#pending.set(this.#lastId, { ...(call && { call }), resolve, reject });
    this.#timer ??= setInterval(() => this.#watch(), this.#parts.times.pingMs).unref();
    return { id: this.#lastId, promise };
  }

  #watch(): void {
    if (this.#pending.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#stops = 0;
      return;
    }
    if (this.#greeting && this.#parts.continueIfStopped(this.#greeting)) this.#stops += 1;
    const silentMs = performance.now() - this.#heardAt;
    const { pingMs, silenceMs } = this.#parts.times;
    if (silentMs > silenceMs || this.#stops > MOST_STOPS) {
      this.lose(
        "stopped responding",
        `silent for ${Math.round(silentMs)} ms, ${this.#stops} stops`,
      );
    } else if (silentMs >= pingMs) this.#send({ kind: "ping" });
  }

  #sendWhenRecorded(id: number, { recorded }: CallContext): void {
    const send = (kind: "recorded" | "cancel") => {
      if (this.#pending.has(id)) this.#send({ kind, id });
    };
    // The reason for a rejection is the caller's own; the worker only has to drop the call.
    (recorded?.() ?? Promise.resolve()).then(
      () => send("recorded"),
      () => send("cancel"),
    );
  }

  #cancel(id: number): void {
    this.#send({ kind: "cancel", id });
    setTimeout(() => {
      if (this.#pending.has(id)) this.lose("stopped responding", "a cancelled call did not end");
    }, this.#parts.times.cancelMs).unref();
  }

  #send(message: SupervisorMessage): void {
    this.#write(`${JSON.stringify(message)}\n`);
  }

  #write(line: string): void {
    if (!this.#lost) this.#socket.write(line);
  }

  #receive(line: string): void {
    if (this.#lost) return;
    this.#heardAt = performance.now();
    if (!this.#greeting) this.#greet(line);
    else if (!this.#take(parse(WorkerMessage, line))) {
      this.lose("sent malformed data", line.slice(0, 200));
    }
  }

  #greet(line: string): void {
    this.#greeting = parse(Greeting, line);
    if (this.#greeting) this.#greeted.resolve(this.#greeting);
    else this.lose("sent malformed data", "no greeting");
  }

  /** False: no worker of ours sends this now. */
  #take(message: WorkerMessage | undefined): boolean {
    switch (message?.kind) {
      case "done":
        return this.#settle(message.id, true, ({ resolve }) => resolve(message.result));
      case "answer":
        return this.#settle(message.id, false, ({ resolve }) => resolve(message.value));
      case "refused": {
        const { kind, message: text, details } = message.error;
        const error = new ToolError(kind, text, details);
        return this.#settle(message.id, false, ({ reject }) => reject(error));
      }
      case "progress": {
        const call = this.#pending.get(message.id)?.call;
        call?.progress(message.text);
        return call !== undefined;
      }
      case "output":
        this.#parts.onOutput(message.piece);
        return true;
      case "log":
        this.#parts.onLog(message.text);
        return true;
      case "pong":
        return true;
      default:
        return message !== undefined && this.#takeExchange(message);
    }
  }

  #settle(id: number, isCall: boolean, settle: (pending: Pending) => void): boolean {
    const pending = this.#pending.get(id);
    if (!pending || isCall !== (pending.call !== undefined)) return false;
    this.#pending.delete(id);
    settle(pending);
    return true;
  }

  #takeExchange(message: Extract<WorkerMessage, { mark: string }>): boolean {
    const { exchangeLog } = this.#parts;
    const { mark } = message;
    const state = this.#exchanges.get(mark);
    if (message.kind === "begin") {
      if (state || this.#exchangesAllowed === 0) return false;
      this.#exchangesAllowed -= 1;
      this.#exchanges.set(mark, "begun");
      void exchangeLog
        .begin(mark, message.exchanges)
        .then(() => this.#send({ kind: "stored", mark }));
    } else if (message.kind === "exchanged") {
      if (state !== "begun") return false;
      this.#exchanges.set(mark, "exchanged");
      exchangeLog.exchanged(mark);
    } else {
      if (!this.#exchanges.delete(mark)) return false;
      exchangeLog.end(mark);
    }
    return true;
  }
}

function parse<T>(
  schema: { safeParse(value: unknown): { success: true; data: T } | { success: false } },
  line: string,
): T | undefined {
  try {
    const parsed = schema.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined; // not JSON: the caller cuts the worker off
  }
}
