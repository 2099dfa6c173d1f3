import { performServerHandshake, type ServerHttp2Session } from "node:http2";
import type { Duplex } from "node:stream";
import {
  SESSION_OPTIONS,
  SESSION_WINDOW_BYTES,
  type TunnelService,
  UNRESPONSIVE,
} from "../contract/workspace/tunnel.ts";
import { type ConnectionParts, serveConnection } from "./serve-connection.ts";

const PING_EVERY_MS = 5_000;
const PONG_WITHIN_MS = 15_000;
const FIRST_WORD_MS = 10_000;
const ASKED_PONG_MS = 2_000;

/** The bot's end of one tunnel. Its peer is untrusted: one that breaks the protocol or falls silent is cut off. */
export class TunnelSession implements TunnelService {
  readonly ended: Promise<string>;
  readonly #session: ServerHttp2Session;
  readonly #stream: Duplex;
  readonly #pulse: NodeJS.Timeout;
  #reason = "The tunnel ended.";
  #heardAt = performance.now();

  constructor(stream: Duplex, parts: ConnectionParts, options: { connections: number }) {
    this.#stream = stream;
    const { settings, ...rest } = SESSION_OPTIONS;
    const session = performServerHandshake(stream, {
      ...rest,
      // A little more than the limit, so that the connection beyond it gets an answer that says why.
      settings: { ...settings, maxConcurrentStreams: options.connections + 64 },
      maxSessionInvalidFrames: 100,
      maxSessionRejectedStreams: 1_000,
    });
    this.#session = session;
    const { promise, resolve } = Promise.withResolvers<string>();
    this.ended = promise;
    session.setLocalWindowSize(SESSION_WINDOW_BYTES);
    session.on("stream", (connection, headers) => void serveConnection(parts, connection, headers));
    session.on("error", (error) => this.close(`The tunnel failed: ${error.message}`));
    stream.on("error", (error) => this.close(`The tunnel failed: ${error.message}`));
    // Without this, streams stay for ever when the tunnel dies while writes are pending.
    stream.once("end", () => this.close("The tunnel's program exited."));
    stream.once("close", () => this.close("The tunnel's program exited."));
    session.once("close", () => {
      clearInterval(this.#pulse);
      stream.destroy();
      resolve(this.#reason);
    });
    const silence = setTimeout(
      () => this.close("The tunnel's program says nothing."),
      FIRST_WORD_MS,
    );
    session.once("remoteSettings", () => clearTimeout(silence));
    session.once("close", () => clearTimeout(silence));
    this.#pulse = setInterval(() => this.#beat(), PING_EVERY_MS);
    if (session.destroyed) resolve(this.#reason);
  }

  async isAlive(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), ASKED_PONG_MS);
    if (!this.#ping(() => resolve(true))) resolve(false);
    return promise.finally(() => clearTimeout(timer));
  }

  close(reason: string): void {
    if (this.#session.destroyed) return;
    this.#reason = reason;
    this.#session.destroy(new Error(reason));
    this.#stream.destroy();
  }

  #beat(): void {
    if (performance.now() - this.#heardAt > PONG_WITHIN_MS) {
      this.close(UNRESPONSIVE);
    } else {
      this.#ping(() => {});
    }
  }

  #ping(onPong: () => void): boolean {
    // Destroyed is not closed yet: that comes when all of its streams have gone.
    if (this.#session.destroyed) return false;
    return this.#session.ping((error) => {
      if (error) return;
      this.#heardAt = performance.now();
      onPong();
    });
  }
}
