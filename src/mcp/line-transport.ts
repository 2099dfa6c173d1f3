import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import type { ServerProcess, ServerProcessHooks } from "../contract/server-process.ts";
import { LineSplitter } from "../lib/line-splitter.ts";

/** The longest message. */
const LINE_LIMIT_BYTES = 10 * 1024 * 1024;
/** What a server may write that is no message before it counts as broken. */
const MOST_NOISE_LINES = 10_000;

export interface LineTransportParts {
  readonly start: (hooks: ServerProcessHooks) => Promise<ServerProcess>;
  readonly onStderr: (chunk: Buffer) => void;
  /** A line on its standard output that is no message; programs print banners there. */
  readonly onNoise: (line: string) => void;
  /** Called with each message: the server lives. */
  readonly onHeard: () => void;
}

/** Messages to and from a program, one on each line. */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Why it is over, once it is. */
  ended: string | undefined;
  readonly #parts: LineTransportParts;
  #process: ServerProcess | undefined;
  #starting: Promise<ServerProcess> | undefined;
  #stopping: Promise<void> | undefined;
  #noiseLines = 0;

  constructor(parts: LineTransportParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    const lines = new LineSplitter(
      {
        line: (line) => this.#take(line),
        overlong: () => this.#break("it sent a message of more than 10 MB"),
      },
      LINE_LIMIT_BYTES,
    );
    this.#starting = this.#parts.start({
      onStdout: (chunk) => {
        if (this.ended === undefined) lines.push(chunk);
      },
      onStderr: this.#parts.onStderr,
      onEnd: (how) => this.#end(how),
    });
    this.#process = await this.#starting;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.ended !== undefined) throw new Error(`The server has ended: ${this.ended}.`);
    this.#process?.write(serializeMessage(message));
  }

  close(): Promise<void> {
    this.#end("it was stopped");
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /** One that is just starting is waited for: else it would be left over. */
  async #stop(): Promise<void> {
    const running = await this.#starting?.catch(() => undefined);
    await running?.stop();
  }

  #take(line: string): void {
    if (this.ended !== undefined) return;
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch {
      this.#noiseLines += 1;
      this.#parts.onNoise(line);
      if (this.#noiseLines > MOST_NOISE_LINES) this.#break("it writes no messages but other text");
      return;
    }
    this.#parts.onHeard();
    this.onmessage?.(message);
  }

  #break(why: string): void {
    this.#end(why);
    void this.close().catch((error: unknown) => this.onerror?.(error as Error));
  }

  #end(how: string): void {
    if (this.ended !== undefined) return;
    this.ended = how;
    this.onclose?.();
  }
}
