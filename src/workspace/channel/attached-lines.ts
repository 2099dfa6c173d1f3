import type { Duplex } from "node:stream";
import { LINE_LIMIT_BYTES } from "../../contract/workspace/channel.ts";
import { LineSplitter } from "../../lib/line-splitter.ts";
import { ChannelLostError } from "../errors.ts";
import { Demux } from "./demux.ts";

export interface LineHooks {
  readonly onLine: (line: string) => void;
  /** Called once. */
  readonly onEnd: (why: ChannelLostError) => void;
  /** What the server wrote to its standard error. */
  readonly onStderr?: ((text: string) => void) | undefined;
}

/** What may wait for a server that does not read: a few of the longest lines. */
const UNREAD_LIMIT_BYTES = 4 * LINE_LIMIT_BYTES;
const STDERR_LIMIT_BYTES = 256 * 1024;

/** The lines that an attached container and we say to each other. */
export class AttachedLines {
  /** Why they ended, once they have. */
  ended: ChannelLostError | undefined;
  readonly #stream: Duplex;
  readonly #hooks: LineHooks;
  #stderrBytes = 0;

  constructor(stream: Duplex, hooks: LineHooks) {
    this.#stream = stream;
    this.#hooks = hooks;
    const lines = new LineSplitter(
      {
        line: hooks.onLine,
        overlong: () => this.end("The workspace sent a line over the limit."),
      },
      LINE_LIMIT_BYTES,
    );
    const demux = new Demux(
      (piece) => lines.push(piece),
      (piece) => this.#takeStderr(piece),
    );
    // Never paused: with an unread stream, Docker hangs on everything about this container.
    stream.on("data", (chunk: Buffer) => this.#take(demux, chunk));
    stream.on("error", (error: Error) => this.end("The stream failed.", error));
    stream.on("end", () => this.end("The workspace's server exited."));
    stream.on("close", () => this.end("The stream was closed."));
    // A client that was killed may have left half a line; this ends it.
    stream.write("\n");
  }

  /** The text ends with its newline. */
  write(line: string): void {
    if (this.ended) throw this.ended;
    if (this.#stream.writableLength > UNREAD_LIMIT_BYTES) {
      this.end("The workspace's server does not read its input.");
      throw this.ended ?? new ChannelLostError("The channel is closed.");
    }
    this.#stream.write(line);
  }

  end(why: string, cause?: Error): void {
    if (this.ended) return;
    this.ended = new ChannelLostError(why, cause ? { cause } : undefined);
    this.#stream.destroy();
    this.#hooks.onEnd(this.ended);
  }

  /** For the operator's log: the beginning is enough, and a flood must not fill it. */
  #takeStderr(piece: Buffer): void {
    const left = STDERR_LIMIT_BYTES - this.#stderrBytes;
    if (left <= 0) return;
    this.#stderrBytes += piece.length;
    this.#hooks.onStderr?.(piece.toString("utf8", 0, left));
  }

  #take(demux: Demux, chunk: Buffer): void {
    if (this.ended) return;
    try {
      demux.push(chunk);
    } catch (error) {
      // Bytes that cannot be taken apart cannot be trusted from here on: the channel is over.
      this.end(error instanceof Error ? error.message : String(error));
    }
  }
}
