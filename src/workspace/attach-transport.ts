import { randomBytes } from "node:crypto";
import type { Duplex } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { LINE_LIMIT_BYTES } from "../contract/channel.ts";
import { LineSplitter } from "../contract/lines.ts";
import { Demux } from "./demux.ts";
import { ChannelLost } from "./errors.ts";
import { Prefix, read } from "./request-ids.ts";

export interface TransportHooks {
  /** Something we sent may not have been read, or its answer may never come: send it again. */
  readonly onDoubt?: () => void;
  /** What the server wrote to its standard error. */
  readonly onStderr?: (text: string) => void;
}

/**
 * MCP over an attached container. Attach is a broadcast bus: everybody attached sees every reply, so
 * our ids carry a random prefix, and whatever does not is somebody else's.
 */
export class AttachTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** When the server last said anything to us. */
  lastHeardAt = Date.now();
  /** Lines that were no message of ours: other clients' replies and noise. */
  dropped = 0;
  /** Why the channel ended, once it has. */
  ended: ChannelLost | undefined;
  readonly #stream: Duplex;
  readonly #hooks: TransportHooks;
  readonly #prefix = new Prefix(randomBytes(9).toString("base64url"));

  constructor(stream: Duplex, hooks: TransportHooks = {}) {
    this.#stream = stream;
    this.#hooks = hooks;
  }

  async start(): Promise<void> {
    const lines = new LineSplitter(
      {
        line: (line) => this.#receive(line),
        overlong: () => this.#end("The workspace sent a line that is too long."),
      },
      LINE_LIMIT_BYTES,
    );
    const demux = new Demux(
      (piece) => lines.push(piece),
      (piece) => this.#hooks.onStderr?.(piece.toString("utf8")),
    );
    // Never paused: with an unread stream, Docker hangs on everything about this container.
    this.#stream.on("data", (chunk: Buffer) => this.#take(demux, chunk));
    this.#stream.on("error", (error: Error) => this.#end("The stream broke.", error));
    this.#stream.on("end", () => this.#end("The workspace's server ended."));
    this.#stream.on("close", () => this.#end("The stream was closed."));
    // A client that was killed may have left half a line; this ends it.
    this.#stream.write("\n");
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.ended) throw this.ended;
    this.#stream.write(`${JSON.stringify(this.#prefix.mark(message))}\n`);
  }

  async close(): Promise<void> {
    this.#end("Closed by us.");
  }

  /** Ends the channel for a reason that the protocol does not know. */
  abandon(why: string): void {
    this.#end(why);
  }

  #take(demux: Demux, chunk: Buffer): void {
    if (this.ended) return;
    try {
      demux.push(chunk);
    } catch (error) {
      // Bytes that cannot be taken apart cannot be trusted from here on: the channel is over.
      this.#end(error instanceof Error ? error.message : String(error));
    }
  }

  #receive(line: string): void {
    const heard = read(this.#prefix, line);
    if (heard.kind === "ours") {
      this.lastHeardAt = Date.now();
      this.onmessage?.(heard.message);
      return;
    }
    if (heard.kind === "doubt") this.#hooks.onDoubt?.();
    else this.dropped += 1;
  }

  #end(why: string, cause?: Error): void {
    if (this.ended) return;
    this.ended = new ChannelLost(why, cause ? { cause } : undefined);
    this.#stream.destroy();
    this.onclose?.();
  }
}
