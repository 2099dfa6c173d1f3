import { Agent, type IncomingMessage, request } from "node:http";
import type { Duplex } from "node:stream";

export interface EngineAnswer {
  readonly status: number;
  readonly body: string;
}

export interface EngineRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: object;
}

/** A stream that the engine has handed over, with what it had sent by then. */
export interface EngineStream {
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** The engine itself does not do what it was asked. */
export class EngineAnswerError extends Error {
  override readonly name = "EngineAnswerError";
  readonly answer: EngineAnswer;

  constructor(answer: EngineAnswer) {
    super(`The engine answered ${answer.status}.`);
    this.answer = answer;
  }
}

const ANSWER_BYTES = 16 * 1024 * 1024;
const ANSWER_MS = 120_000;
/** However many requests come at once on the bot's side. */
const MOST_SOCKETS = 64;

/** The engine behind the proxy. Every byte that it is sent is made here. */
export class EngineClient {
  readonly #socketPath: string;
  readonly #agent: Agent;
  readonly #left: AbortSignal | undefined;

  constructor(
    socketPath: string,
    agent = new Agent({ keepAlive: true, maxSockets: MOST_SOCKETS }),
    left?: AbortSignal,
  ) {
    this.#socketPath = socketPath;
    this.#agent = agent;
    this.#left = left;
  }

  /** The same engine for one request of the bot's: nothing is asked any longer than the bot waits. */
  until(left: AbortSignal): EngineClient {
    return new EngineClient(this.#socketPath, this.#agent, left);
  }

  async ask(asked: EngineRequest): Promise<EngineAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const limits = [AbortSignal.timeout(ANSWER_MS), ...(this.#left ? [this.#left] : [])];
    this.#send(asked, { agent: this.#agent, signal: AbortSignal.any(limits) })
      .on("response", resolve)
      .on("error", reject)
      .end(textOf(asked));
    return readAnswer(await promise);
  }

  /** The stream, or the engine's answer where it does not give one. */
  async open(asked: EngineRequest): Promise<EngineStream | EngineAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<EngineStream | IncomingMessage>();
    const late = new AbortController();
    // Not AbortSignal.timeout: it would cut the stream long after it has begun.
    const timer = setTimeout(() => late.abort(), ANSWER_MS);
    const headers = { connection: "Upgrade", upgrade: "tcp" };
    this.#send(asked, { agent: false, headers, signal: late.signal })
      .on("upgrade", (_, socket, head) => resolve({ socket, head }))
      .on("response", resolve)
      .on("error", reject)
      .end(textOf(asked));
    const given = await promise.finally(() => clearTimeout(timer));
    return "socket" in given && "head" in given ? given : readAnswer(given as IncomingMessage);
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(asked: EngineRequest, options: object) {
    const { headers, ...rest } = options as { headers?: object };
    const query = new URLSearchParams(asked.query).toString();
    const text = textOf(asked);
    return request({
      ...rest,
      socketPath: this.#socketPath,
      method: asked.method,
      path: query === "" ? asked.path : `${asked.path}?${query}`,
      headers: {
        host: "docker",
        ...headers,
        "content-length": Buffer.byteLength(text),
        ...(text === "" ? {} : { "content-type": "application/json" }),
      },
    });
  }
}

function textOf({ body }: EngineRequest): string {
  return body === undefined ? "" : JSON.stringify(body);
}

async function readAnswer(response: IncomingMessage): Promise<EngineAnswer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > ANSWER_BYTES) throw new Error("The engine's answer is too long.");
    pieces.push(piece);
  }
  return { status: response.statusCode ?? 500, body: Buffer.concat(pieces).toString("utf8") };
}
