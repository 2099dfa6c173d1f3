import { setTimeout as sleep } from "node:timers/promises";
import OpenAI from "openai";
import { Stream } from "openai/core/streaming";
import { Agent, fetch as undiciFetch } from "undici";
import type { ModelSettings } from "../settings.ts";
import { failureOf, ModelServerError, reported } from "./failure.ts";

export const OPENAI_URL = "https://api.openai.com/v1";

/** Everything is said here: what is left out, the SDK would take from the environment by itself. */
export function createClient(settings: ModelSettings): OpenAI {
  const { apiKey, baseUrl = OPENAI_URL, connectMs, firstByteMs } = settings;
  const dispatcher = new Agent({
    connect: { timeout: connectMs },
    // Our own watchdog knows better: it counts keep-alive comments as signs of life.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return new OpenAI({
    apiKey: apiKey ?? "none",
    baseURL: baseUrl,
    organization: null,
    project: null,
    adminAPIKey: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: connectMs + firstByteMs,
    logLevel: "off",
    // A server without keys may refuse one that it does not know.
    ...(apiKey ? {} : { defaultHeaders: { Authorization: null } }),
    fetch: ((url: string, init: object) => undiciFetch(url, { ...init, dispatcher })) as never,
  });
}

/** One streamed answer: its values, until it ends, breaks off or falls silent. */
export class Connection implements Disposable {
  readonly #controller = new AbortController();
  readonly #settings: ModelSettings;
  readonly #signal: AbortSignal;
  readonly #onAbort = () => this.#controller.abort();
  #timer: NodeJS.Timeout | undefined;
  #silence: string | undefined;
  #tail = "";

  constructor(settings: ModelSettings, signal: AbortSignal) {
    this.#settings = settings;
    this.#signal = signal;
    signal.throwIfAborted();
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** True when the stream ended with the mark that says so. */
  get endedWithMark(): boolean {
    return /data: ?\[DONE\]\s*$/.test(this.#tail);
  }

  async *values(client: OpenAI, path: string, body: object): AsyncGenerator<unknown> {
    this.#expect("an answer", this.#settings.firstByteMs);
    try {
      const { signal } = this.#controller;
      const response = await client.post(path, { body, stream: true, signal }).asResponse();
      for await (const value of this.#read(response)) {
        // Whoever reads us may take their time; only the server's silence counts.
        this.#rest();
        yield value;
        this.#expect("more of its answer", this.#settings.idleMs);
      }
    } catch (error) {
      this.#throwIfEnded(error);
      throw new ModelServerError(failureOf(error), { cause: error });
    }
    // The SDK ends an aborted stream as if it were over.
    this.#throwIfEnded();
  }

  [Symbol.dispose](): void {
    this.#rest();
    this.#signal.removeEventListener("abort", this.#onAbort);
    this.#controller.abort();
  }

  #read(response: Response): AsyncIterable<unknown> {
    const heard = new Response(response.body && this.#listenTo(response.body), response);
    // Asked for a stream, some servers answer in one piece.
    if (response.headers.get("content-type")?.includes("json")) return this.#whole(heard);
    return Stream.fromSSEResponse<unknown>(heard, this.#controller);
  }

  async *#whole(response: Response): AsyncGenerator<unknown> {
    const value: unknown = await response.json();
    if (typeof value === "object" && value !== null && "error" in value && value.error) {
      throw new ModelServerError(reported(value, "the server reported an error"));
    }
    yield value;
    this.#tail = "data: [DONE]";
  }

  #listenTo(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    return new ReadableStream({
      pull: async (controller) => {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        if (this.#timer) this.#expect("more of its answer", this.#settings.idleMs);
        this.#tail = (this.#tail + decoder.decode(value, { stream: true })).slice(-64);
        controller.enqueue(value);
      },
      // The SDK stops reading at the mark. Read to the very end, the connection can serve the next step.
      cancel: async () => {
        if (this.endedWithMark) {
          await Promise.race([drain(reader), sleep(LAST_BYTES_MS, undefined, { ref: false })]);
        }
        await reader.cancel();
      },
    });
  }

  #expect(what: string, withinMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#silence = `no data for ${withinMs / 1000} s while waiting for ${what}`;
      this.#controller.abort();
    }, withinMs);
  }

  #rest(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #throwIfEnded(cause?: unknown): void {
    this.#signal.throwIfAborted();
    if (this.#silence === undefined) return;
    throw new ModelServerError({ text: this.#silence, where: "connection" }, { cause });
  }
}

const LAST_BYTES_MS = 250;

async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    while (!(await reader.read()).done);
  } catch {
    // The reply is complete; how the line ends after it does not matter.
  }
}
