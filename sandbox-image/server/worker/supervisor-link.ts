import type { Socket } from "node:net";
import { failed, type OperationResult, ToolError } from "../../../src/contract/tools/operation.ts";
import { LINE_LIMIT_BYTES } from "../../../src/contract/workspace/channel.ts";
import { LineSplitter } from "../../../src/lib/line-splitter.ts";
import type { Exchange, ExchangeLog } from "../files/exchange-log.ts";
import type { CallContext } from "../handlers.ts";
import type { AskName, SupervisorMessage, WorkerMessage } from "./messages.ts";

type CallMessage = Extract<SupervisorMessage, { kind: "call" }>;

export interface WorkerParts {
  run(call: CallMessage["call"], context: CallContext): Promise<OperationResult>;
  answer(name: AskName, params: unknown): Promise<unknown>;
  acknowledge(sessionId: string, upToIndex: number): void;
}

interface Running {
  readonly stop: AbortController;
  readonly recorded: PromiseWithResolvers<void>;
}

const LONGEST_PROGRESS = 4000;

/** The worker's side of its connection to the supervisor. */
export class SupervisorLink implements ExchangeLog {
  readonly #socket: Socket;
  readonly #running = new Map<number, Running>();
  readonly #storing = new Map<string, () => void>();
  #parts: WorkerParts | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  serve(parts: WorkerParts): void {
    this.#parts = parts;
    const lines = new LineSplitter(
      {
        line: (line) => this.#receive(JSON.parse(line) as SupervisorMessage),
        overlong: () => process.exit(1), // only a defect could cause it; the next worker starts clean
      },
      2 * LINE_LIMIT_BYTES,
    );
    this.#socket.on("data", (chunk: Buffer) => lines.push(chunk));
    this.#socket.on("error", () => {}); // "close" follows
    this.#socket.on("close", () => process.exit(0));
  }

  begin(mark: string, exchanges: readonly Exchange[]): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#storing.set(mark, resolve);
    this.send({ kind: "begin", mark, exchanges: [...exchanges] });
    return promise;
  }

  exchanged(mark: string): void {
    this.send({ kind: "exchanged", mark });
  }

  /** A change that failed before its beginning has nothing to end. */
  end(mark: string): void {
    if (this.#storing.delete(mark)) this.send({ kind: "end", mark });
  }

  send(message: WorkerMessage): void {
    this.#socket.write(`${JSON.stringify(message)}\n`);
  }

  #receive(message: SupervisorMessage): void {
    switch (message.kind) {
      case "call":
        void this.#run(message);
        break;
      case "recorded":
        this.#running.get(message.id)?.recorded.resolve();
        break;
      case "cancel":
        this.#cancel(message.id);
        break;
      case "ask":
        void this.#answer(message);
        break;
      case "ack":
        this.#parts?.acknowledge(message.session_id, message.upto_index);
        break;
      case "stored":
        this.#storing.get(message.mark)?.();
        break;
      case "ping":
        this.send({ kind: "pong" });
        break;
    }
  }

  async #run({ id, call, context, waits }: CallMessage): Promise<void> {
    const stop = new AbortController();
    const recorded = Promise.withResolvers<void>();
    recorded.promise.catch(() => {}); // not every handler waits for it
    this.#running.set(id, { stop, recorded });
    const { checkedPaths, ...rest } = context;
    const result = await this.#parts?.run(call, {
      ...rest,
      checkedPaths: checkedPaths && new Set(checkedPaths),
      signal: stop.signal,
      ...(waits && { recorded: () => recorded.promise }),
      progress: (text) => this.send({ kind: "progress", id, text: text.slice(-LONGEST_PROGRESS) }),
    });
    this.#running.delete(id);
    this.#sendBounded({ kind: "done", id, result: result ?? failed(TOO_LARGE) }, () => ({
      kind: "done",
      id,
      result: failed(TOO_LARGE),
    }));
  }

  #cancel(id: number): void {
    const running = this.#running.get(id);
    running?.stop.abort();
    running?.recorded.reject(
      new ToolError("executionFailed", "Stopped before it started; nothing was run."),
    );
  }

  async #answer({ id, name, params }: Extract<SupervisorMessage, { kind: "ask" }>): Promise<void> {
    const refuse = (error: ToolError): WorkerMessage => {
      const { kind, message, details } = error;
      return { kind: "refused", id, error: { kind, message, details: { ...details } } };
    };
    try {
      const value = (await this.#parts?.answer(name, params)) ?? {};
      this.#sendBounded({ kind: "answer", id, value }, () => refuse(TOO_LARGE));
    } catch (error) {
      const known = error instanceof ToolError ? error : undefined;
      this.send(refuse(known ?? new ToolError("executionFailed", String(error))));
    }
  }

  /** The supervisor cuts a worker off that sends a longer line. */
  #sendBounded(message: WorkerMessage, instead: () => WorkerMessage): void {
    const line = `${JSON.stringify(message)}\n`;
    if (Buffer.byteLength(line) <= LINE_LIMIT_BYTES) this.#socket.write(line);
    else this.send(instead());
  }
}

const TOO_LARGE = new ToolError(
  "executionFailed",
  "The result is too large to send. Ask for a part of it.",
);
