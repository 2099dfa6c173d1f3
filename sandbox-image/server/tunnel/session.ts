import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { Socket } from "node:net";
import {
  authorityHeaders,
  QUEUE_LIMIT_BYTES,
  readHeader,
  SESSION_OPTIONS,
  SESSION_WINDOW_BYTES,
  TUNNEL_HEADERS,
  UNREAD_LIMIT_BYTES,
  type Wanted,
} from "../../../src/contract/workspace/tunnel.ts";
import { EagerDuplex } from "../../../src/lib/eager-duplex.ts";

export type Opened =
  | { readonly outcome: "open"; readonly stream: ClientHttp2Stream }
  | { readonly outcome: "refused"; readonly status: number; readonly reason: string };

/**
 * The streams to and from the bot, put there by init. Not the standard ones: Node opens those a second time by itself, even
 * for a mere `pipe`, and its event loop refuses a second one for the same pipe.
 */
const INPUT = 5;
const OUTPUT = 6;

/** The session with the bot. */
export class BotSession {
  readonly #session: ClientHttp2Session;

  constructor(onEnd: () => void) {
    const input = new Socket({ fd: INPUT, readable: true, writable: false });
    const output = new Socket({ fd: OUTPUT, readable: false, writable: true });
    const duplex = new EagerDuplex({
      output,
      mostQueuedBytes: QUEUE_LIMIT_BYTES,
      mostUnreadBytes: UNREAD_LIMIT_BYTES,
      onDestroy: onEnd,
    });
    input.on("data", (chunk: Buffer) => duplex.receive(chunk));
    input.on("end", onEnd);
    input.on("error", onEnd);
    duplex.on("error", onEnd);
    this.#session = connect("http://bot", { ...SESSION_OPTIONS, createConnection: () => duplex });
    this.#session.on("connect", () => this.#session.setLocalWindowSize(SESSION_WINDOW_BYTES));
    this.#session.on("error", onEnd);
    this.#session.on("close", onEnd);
    this.#session.on("goaway", onEnd);
  }

  /** Asks the bot for a connection. Never rejects. */
  open(wanted: Wanted): Promise<Opened> {
    return new Promise((resolve) => {
      const lost = (): void => resolve({ outcome: "refused", status: 502, reason: LOST });
      if (this.#session.closed || this.#session.destroyed) return lost();
      const stream = this.#session.request(authorityHeaders(wanted), { endStream: false });
      stream.once("error", lost);
      stream.once("close", lost);
      stream.once("response", (headers) => {
        stream.off("error", lost);
        stream.off("close", lost);
        const status = headers[":status"] ?? 502;
        if (status === 200) return resolve({ outcome: "open", stream });
        stream.on("error", () => {}); // nothing was carried yet
        stream.resume().end();
        resolve({
          outcome: "refused",
          status,
          reason: readHeader(headers[TUNNEL_HEADERS.reason]) ?? LOST,
        });
      });
    });
  }
}

const LOST = "Deckhand lost the connection. Try again.";
