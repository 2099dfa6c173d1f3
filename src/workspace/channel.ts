import type { Duplex } from "node:stream";
import { Client } from "@modelcontextprotocol/client";
import { z } from "zod";
import { ACK_METHOD, channelMethods, OUTPUT_METHOD, OutputPiece } from "../contract/channel.ts";
import { OperationResult } from "../contract/operation.ts";
import { AttachTransport } from "./attach-transport.ts";
import { ChannelLost } from "./errors.ts";
import { Inquiry } from "./inquiry.ts";

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

/** Longest delay of a timer: the SDK wants a limit, but how long a call may take is not its business. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;
const INITIALIZE_TIMEOUT_MS = 10_000;
const PING_EVERY_MS = 3_000;
const SILENCE_LIMIT_MS = 10_000;
const RESEND_PAUSE_MS = 100;

const ToolResult = z.looseObject({ structuredContent: OperationResult });

/**
 * One MCP connection to a workspace's server. What is asked of it either is answered or rejects with
 * ChannelLost; then the same may be asked again over another channel.
 */
export class Channel {
  readonly #client: Client;
  readonly #transport: AttachTransport;
  readonly #open = new Set<{ askAgain(): void }>();
  readonly #endings = new Set<(lost: ChannelLost) => void>();
  readonly #outputs = new Set<(piece: OutputPiece) => void>();
  #pulse: NodeJS.Timeout | undefined;
  #resend: NodeJS.Timeout | undefined;

  private constructor(client: Client, transport: AttachTransport) {
    this.#client = client;
    this.#transport = transport;
  }

  static async open(stream: Duplex, options: ChannelOptions = {}): Promise<Channel> {
    const transport = new AttachTransport(stream, {
      ...(options.onStderr ? { onStderr: options.onStderr } : {}),
      onDoubt: () => channel.#askAgainSoon(),
    });
    const client = new Client(
      { name: "deckhand", version: "1" },
      { capabilities: {}, versionNegotiation: { mode: "legacy" } },
    );
    const channel = new Channel(client, transport);
    client.onclose = () => channel.#finish();
    client.setNotificationHandler(OUTPUT_METHOD, { params: OutputPiece }, (piece) => {
      for (const listener of channel.#outputs) listener(piece);
    });
    await channel.#initialize(options.initializeTimeoutMs ?? INITIALIZE_TIMEOUT_MS);
    return channel;
  }

  get isOpen(): boolean {
    return this.#transport.ended === undefined;
  }

  async call({ tool, args, meta, onProgress }: ToolCall): Promise<OperationResult> {
    const params = { name: tool, arguments: { ...args }, _meta: { ...meta } };
    const result = await this.#ask("tools/call", params, ToolResult, onProgress);
    return result.structuredContent;
  }

  async request<Name extends MethodName>(
    name: Name,
    params: z.input<Methods[Name]["params"]>,
    meta: Readonly<Record<string, unknown>> = {},
  ): Promise<z.output<Methods[Name]["result"]>> {
    const { method, result } = channelMethods[name];
    const answer = await this.#ask<unknown>(method, { ...params, _meta: { ...meta } }, result);
    // The schema that has just been applied belongs to this name; the compiler cannot follow that.
    return answer as z.output<Methods[Name]["result"]>;
  }

  /** Told of every piece of every followed terminal, until the returned function is called. */
  onOutput(listener: (piece: OutputPiece) => void): () => void {
    this.#outputs.add(listener);
    return () => this.#outputs.delete(listener);
  }

  /** Called once, at once if it has ended already. */
  onClosed(listener: (lost: ChannelLost) => void): void {
    const { ended } = this.#transport;
    if (ended) listener(ended);
    else this.#endings.add(listener);
  }

  async acknowledge(sessionId: string, uptoIndex: number): Promise<void> {
    if (!this.isOpen) return;
    const params = { session_id: sessionId, upto_index: uptoIndex };
    await this.#client.notification({ method: ACK_METHOD, params });
  }

  close(): void {
    this.#transport.abandon("Closed by us.");
  }

  async #initialize(timeoutMs: number): Promise<void> {
    try {
      await this.#client.connect(this.#transport, { timeout: timeoutMs });
    } catch (error) {
      this.close();
      throw new ChannelLost("The workspace's server does not answer.", { cause: error });
    }
  }

  async #ask<T>(
    method: string,
    params: Record<string, unknown>,
    schema: z.ZodType<T>,
    onProgress?: (message: string) => void,
  ): Promise<T> {
    const inquiry = new Inquiry(() =>
      this.#client.request({ method, params }, schema, {
        timeout: NO_TIMEOUT_MS,
        ...(onProgress ? { onprogress: ({ message }) => onProgress(message ?? "") } : {}),
      }),
    );
    this.#open.add(inquiry);
    this.#watch();
    try {
      return await inquiry.answer();
    } catch (error) {
      throw this.#transport.ended ?? error;
    } finally {
      this.#open.delete(inquiry);
    }
  }

  /** While somebody waits, the server must give a sign of life now and then. */
  #watch(): void {
    this.#pulse ??= setInterval(() => this.#checkPulse(), PING_EVERY_MS);
    if (this.#open.size === 1) this.#transport.lastHeardAt = Date.now();
  }

  #checkPulse(): void {
    if (this.#open.size === 0) {
      clearInterval(this.#pulse);
      this.#pulse = undefined;
      return;
    }
    if (Date.now() - this.#transport.lastHeardAt > SILENCE_LIMIT_MS) {
      this.#transport.abandon("The workspace's server gives no sign of life.");
      return;
    }
    // No pong is what the next look notices.
    void this.#client.ping({ timeout: NO_TIMEOUT_MS }).catch(() => undefined);
  }

  #askAgainSoon(): void {
    this.#resend ??= setTimeout(() => {
      this.#resend = undefined;
      for (const inquiry of this.#open) inquiry.askAgain();
    }, RESEND_PAUSE_MS);
  }

  #finish(): void {
    clearInterval(this.#pulse);
    clearTimeout(this.#resend);
    const lost = this.#transport.ended ?? new ChannelLost("The channel ended.");
    for (const listener of this.#endings) listener(lost);
  }
}
