import type { Duplex } from "node:stream";
import { z } from "zod";
import { OperationResult } from "../../contract/tools/operation.ts";
import {
  ACK_METHOD,
  channelMethods,
  OUTPUT_METHOD,
  OutputPiece,
} from "../../contract/workspace/channel.ts";
import { ChannelLostError } from "../errors.ts";
import { AttachedLines } from "./attached-lines.ts";
import { PendingRequests } from "./pending-requests.ts";

type Methods = typeof channelMethods;
export type MethodName = keyof Methods;

export interface ToolCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly onProgress?: ((message: string) => void) | undefined;
}

export interface ChannelOptions {
  readonly onStderr?: (text: string) => void;
  readonly initializeTimeoutMs?: number;
}

/** What the image's server speaks: we are its only client that is not made for every server there is. */
const PROTOCOL_VERSION = "2025-11-25";
const INITIALIZE_TIMEOUT_MS = 10_000;
const PING_EVERY_MS = 3_000;
const SILENCE_LIMIT_MS = 10_000;
const RESEND_PAUSE_MS = 100;

const ToolResult = z.looseObject({ structuredContent: OperationResult });

/**
 * One MCP connection to a workspace's server. What is asked of it either is answered or rejects with
 * ChannelLostError; then the same may be asked again over another channel. It speaks the protocol itself:
 * the SDK's client costs every call as much time as all the rest of its way.
 */
export class Channel {
  readonly #lines: AttachedLines;
  readonly #requests: PendingRequests;
  readonly #endings = new Set<(lost: ChannelLostError) => void>();
  readonly #outputs = new Set<(piece: OutputPiece) => void>();
  #lastHeardAt = 0;
  #pulse: NodeJS.Timeout | undefined;
  #resend: NodeJS.Timeout | undefined;

  private constructor(stream: Duplex, { onStderr }: ChannelOptions) {
    this.#requests = new PendingRequests((line) => this.#lines.write(line));
    this.#lines = new AttachedLines(stream, {
      onLine: (line) => this.#hear(line),
      onEnd: (lost) => this.#finish(lost),
      onStderr,
    });
  }

  static async open(stream: Duplex, options: ChannelOptions = {}): Promise<Channel> {
    const channel = new Channel(stream, options);
    await channel.#initialize(options.initializeTimeoutMs ?? INITIALIZE_TIMEOUT_MS);
    return channel;
  }

  get isOpen(): boolean {
    return this.#lines.ended === undefined;
  }

  async call({ tool, args, meta, onProgress }: ToolCall): Promise<OperationResult> {
    const params = { name: tool, arguments: args, _meta: meta };
    const result = await this.#ask("tools/call", params, ToolResult, onProgress);
    return result.structuredContent;
  }

  async request<Name extends MethodName>(
    name: Name,
    params: z.input<Methods[Name]["params"]>,
    meta: Readonly<Record<string, unknown>> = {},
  ): Promise<z.output<Methods[Name]["result"]>> {
    const { method, result } = channelMethods[name];
    const answer = await this.#ask<unknown>(method, { ...params, _meta: meta }, result);
    // The schema that has just been applied belongs to this name; the compiler cannot follow that.
    return answer as z.output<Methods[Name]["result"]>;
  }

  /** Told of every piece of every followed terminal, until the returned function is called. */
  onOutput(listener: (piece: OutputPiece) => void): () => void {
    this.#outputs.add(listener);
    return () => this.#outputs.delete(listener);
  }

  /** Called once, at once if it has ended already. */
  onClosed(listener: (lost: ChannelLostError) => void): void {
    const { ended } = this.#lines;
    if (ended) listener(ended);
    else this.#endings.add(listener);
  }

  acknowledge(sessionId: string, uptoIndex: number): void {
    if (this.isOpen) this.#notify(ACK_METHOD, { session_id: sessionId, upto_index: uptoIndex });
  }

  close(): void {
    this.#lines.end("The bot closed the channel.");
  }

  async #initialize(timeoutMs: number): Promise<void> {
    const timer = setTimeout(() => this.close(), timeoutMs);
    try {
      await this.#requests.ask("initialize", {
        protocolVersion: PROTOCOL_VERSION,
        capabilities: {},
        clientInfo: { name: "deckhand", version: "1" },
      });
      this.#notify("notifications/initialized", {});
    } catch (error) {
      this.close();
      throw new ChannelLostError("The workspace's server does not respond.", { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  async #ask<T>(
    method: string,
    params: Record<string, unknown>,
    schema: z.ZodType<T>,
    onProgress?: (message: string) => void,
  ): Promise<T> {
    const answer = this.#requests.ask(method, params, onProgress);
    this.#watch();
    const parsed = schema.safeParse(await answer);
    if (parsed.success) return parsed.data;
    throw new Error(`Invalid result of ${method}: ${z.prettifyError(parsed.error)}`);
  }

  #notify(method: string, params: Record<string, unknown>): void {
    this.#lines.write(`${JSON.stringify({ jsonrpc: "2.0", method, params })}\n`);
  }

  #hear(line: string): void {
    const heard = this.#requests.hear(line);
    if (heard.kind === "doubt") this.#askAgainSoon();
    if (heard.kind === "doubt" || heard.kind === "foreign") return;
    this.#lastHeardAt = Date.now();
    if (heard.kind === "notification" && heard.method === OUTPUT_METHOD) this.#output(heard.params);
  }

  #output(params: unknown): void {
    const piece = OutputPiece.safeParse(params);
    if (!piece.success) return;
    for (const listener of this.#outputs) listener(piece.data);
  }

  /** While somebody waits, the server must give a sign of life now and then. */
  #watch(): void {
    this.#pulse ??= setInterval(() => this.#checkPulse(), PING_EVERY_MS);
    if (this.#requests.size === 1) this.#lastHeardAt = Date.now();
  }

  #checkPulse(): void {
    if (this.#requests.size === 0) {
      clearInterval(this.#pulse);
      this.#pulse = undefined;
      return;
    }
    if (Date.now() - this.#lastHeardAt > SILENCE_LIMIT_MS) {
      this.#lines.end("The workspace's server does not respond to pings.");
      return;
    }
    // No pong is what the next look notices.
    this.#requests.ask("ping", {}).catch(() => undefined);
  }

  #askAgainSoon(): void {
    this.#resend ??= setTimeout(() => {
      this.#resend = undefined;
      this.#requests.askAllAgain();
    }, RESEND_PAUSE_MS);
  }

  #finish(lost: ChannelLostError): void {
    clearInterval(this.#pulse);
    clearTimeout(this.#resend);
    this.#requests.giveUp(lost);
    for (const listener of this.#endings) listener(lost);
  }
}
