import { randomBytes, randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { afterOwnMs } from "../own-clock.ts";
import type { SlackApp } from "./app.ts";
import { type Fields, isFields, parsedJson } from "./values.ts";

export type Envelope = {
  readonly type: "events_api" | "interactive" | "slash_commands";
  readonly payload: Fields;
  readonly retryAttempt: number;
  readonly retryReason: string;
};

/** What became of one attempt to deliver. */
export type Receipt =
  | { readonly isAcknowledged: true; readonly response: Fields }
  | { readonly isAcknowledged: false; readonly reason: string };

interface Waiting {
  readonly settle: (receipt: Receipt) => void;
  readonly takesResponse: boolean;
  readonly connection: WebSocket;
}

const CONNECTIONS = 10;
const TICKET_MS = 30_000;

/** Slack's side of Socket Mode: docs.slack.dev/apis/events-api/using-socket-mode */
export class SocketMode {
  /** A connection was greeted: what waits can be sent. */
  onConnected: () => void = () => undefined;
  /** What an app did that Slack does not understand. */
  readonly complaints: string[] = [];
  isEnabled = true;
  readonly #app: SlackApp;
  readonly #ackMs: number;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #tickets = new Map<string, number>();
  readonly #connections: WebSocket[] = [];
  readonly #waiting = new Map<string, Waiting>();
  readonly #pings: NodeJS.Timeout;

  constructor(app: SlackApp, ackMs: number) {
    this.#app = app;
    this.#ackMs = ackMs;
    this.#pings = setInterval(() => {
      for (const connection of this.#connections) connection.ping();
    }, 5_000).unref();
  }

  get connections(): number {
    return this.#connections.length;
  }

  /** For apps.connections.open: one address, for one connection. */
  newTicket(): string {
    const ticket = randomBytes(16).toString("hex");
    this.#tickets.set(ticket, performance.now() + TICKET_MS);
    return ticket;
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const ticket = new URL(request.url ?? "/", "ws://localhost").searchParams.get("ticket") ?? "";
    const validUntil = this.#tickets.get(ticket);
    this.#tickets.delete(ticket);
    if (!this.isEnabled || validUntil === undefined || validUntil < performance.now()) {
      socket.end("HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n");
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (connection) => this.#greet(connection));
  }

  /** To any one of the connections, in turn. */
  send({ type, payload, retryAttempt, retryReason }: Envelope): Promise<Receipt> {
    const connection = this.#connections.shift();
    if (!connection) return Promise.resolve({ isAcknowledged: false, reason: "no_connection" });
    this.#connections.push(connection);
    const envelopeId = randomUUID();
    const takesResponse = type !== "events_api";
    const envelope = {
      envelope_id: envelopeId,
      payload,
      type,
      accepts_response_payload: takesResponse,
      ...(retryAttempt > 0 && { retry_attempt: retryAttempt, retry_reason: retryReason }),
    };
    connection.send(JSON.stringify(envelope));
    return new Promise((settle) => {
      this.#waiting.set(envelopeId, { settle, takesResponse, connection });
      afterOwnMs(this.#ackMs, () => settle({ isAcknowledged: false, reason: "timeout" }));
    });
  }

  /** Whatever it is, to every connection. */
  sendRaw(frame: string | Buffer): void {
    for (const connection of this.#connections) connection.send(frame);
  }

  /** As Slack does before it takes a connection away, every few hours. */
  disconnect(reason: "warning" | "refresh_requested" | "link_disabled", closeAfterMs = 0): void {
    if (reason === "link_disabled") this.isEnabled = false;
    for (const connection of this.#connections) {
      connection.send(
        JSON.stringify({ type: "disconnect", reason, debug_info: { host: "double" } }),
      );
      setTimeout(() => connection.close(), closeAfterMs).unref();
    }
  }

  /** The network breaks: nobody says goodbye. */
  drop(): void {
    for (const connection of this.#connections) connection.terminate();
  }

  close(): void {
    clearInterval(this.#pings);
    this.drop();
    this.#server.close();
  }

  #greet(connection: WebSocket): void {
    connection.on("error", () => undefined);
    if (this.#connections.length >= CONNECTIONS) {
      connection.send(JSON.stringify({ type: "disconnect", reason: "too_many_websockets" }));
      connection.close();
      return;
    }
    this.#connections.push(connection);
    connection.on("close", () => {
      const at = this.#connections.indexOf(connection);
      if (at !== -1) this.#connections.splice(at, 1);
      for (const waiting of this.#waiting.values()) {
        if (waiting.connection === connection)
          waiting.settle({ isAcknowledged: false, reason: "closed" });
      }
    });
    connection.on("message", (data) => this.#hear(String(data)));
    connection.send(
      JSON.stringify({
        type: "hello",
        num_connections: this.#connections.length,
        debug_info: { host: "double", build_number: 1, approximate_connection_time: 18_060 },
        connection_info: { app_id: this.#app.id },
      }),
    );
    this.onConnected();
  }

  #hear(data: string): void {
    const json = parsedJson(data);
    const message = isFields(json?.value) ? json.value : undefined;
    const waiting = this.#waiting.get(String(message?.envelope_id));
    if (!message || !waiting) {
      this.complaints.push(`not an acknowledgement: ${data.slice(0, 200)}`);
      return;
    }
    const response = isFields(message.payload) ? message.payload : {};
    if (!waiting.takesResponse && Object.keys(response).length > 0)
      this.complaints.push(`this envelope takes no response: ${data.slice(0, 200)}`);
    waiting.settle({ isAcknowledged: true, response });
  }
}
