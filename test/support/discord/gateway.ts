import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { DiscordApp } from "./app.ts";
import type { DiscordFaults } from "./faults.ts";
import { type Dispatch, Session, type Shard } from "./session.ts";
import { type Fields, isFields, numberIn, parsedJson, stringIn } from "./values.ts";

export interface GatewayOptions {
  readonly app: DiscordApp;
  readonly faults: DiscordFaults;
  readonly heartbeatMs: number;
  /** What a new session is told first. */
  readonly greeting: (session: Session) => readonly Dispatch[];
}

interface Connection {
  readonly socket: WebSocket;
  session?: Session;
  lastHeartbeat: number;
  readonly sentAt: number[];
}

const KNOWN_INTENTS = 0b11_0011_1111_1111_1111_1111_1111;
const OP = { heartbeat: 1, identify: 2, presence: 3, voice: 4, resume: 6, members: 8 } as const;
const CLOSE_CODES: Readonly<Record<number, string>> = {
  4001: "Unknown opcode",
  4002: "Decode error",
  4003: "Not authenticated",
  4004: "Authentication failed",
  4005: "Already authenticated",
  4007: "Invalid seq",
  4008: "Rate limited",
  4010: "Invalid shard",
  4013: "Invalid intent(s)",
  4014: "Disallowed intent(s)",
};
const MOST_BYTES = 4_096;
const MOST_A_MINUTE = 120;

/** Discord's side of the gateway: docs.discord.com/developers/events/gateway */
export class Gateway {
  readonly sessions = new Map<string, Session>();
  /** How often somebody has started anew, and come back. */
  identifies = 0;
  resumes = 0;
  readonly #options: GatewayOptions;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #connections = new Set<Connection>();
  readonly #watch: NodeJS.Timeout;

  constructor(options: GatewayOptions) {
    this.#options = options;
    const { heartbeatMs } = options;
    this.#watch = setInterval(() => this.#endSilent(), heartbeatMs / 2).unref();
  }

  get connections(): number {
    return this.#connections.size;
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { searchParams } = new URL(request.url ?? "/", "ws://localhost");
    this.#server.handleUpgrade(request, socket, head, (connected) => {
      connected.on("error", () => undefined);
      const version = searchParams.get("v") ?? "10";
      if (version !== "10" && version !== "9") connected.close(4012, "Invalid API version");
      else if ((searchParams.get("encoding") ?? "json") !== "json" || searchParams.has("compress"))
        connected.close(4000, "This double speaks plain JSON only.");
      else this.#greet(connected);
    });
  }

  /** To every session that may hear of it. */
  dispatch(dispatch: Dispatch): void {
    for (const session of this.sessions.values()) {
      const { guild_id: guild } = dispatch.data(session.intents);
      if (session.isAbout(typeof guild === "string" ? guild : undefined))
        session.dispatch(dispatch);
    }
  }

  /** Something over every line, whatever it is. An object without a sequence number gets the session's next. */
  sendRaw(packet: string | Buffer | Fields): void {
    for (const { socket, session } of this.#connections) {
      if (typeof packet === "string" || Buffer.isBuffer(packet)) socket.send(packet);
      else socket.send(JSON.stringify({ s: (session?.sequence ?? 0) + 1, ...packet }));
    }
  }

  /** Discord asks everybody to come back on another connection. */
  askToReconnect(): void {
    for (const { socket } of this.#connections) socket.send(JSON.stringify({ op: 7, d: null }));
  }

  /** Discord does not know the sessions any more, or asks to resume them. */
  invalidate({ isResumable = false } = {}): void {
    if (!isResumable) this.sessions.clear();
    for (const { socket } of this.#connections)
      socket.send(JSON.stringify({ op: 9, d: isResumable }));
  }

  /** Discord ends the connections with a close code. */
  end(code: number): void {
    for (const { socket } of this.#connections) socket.close(code);
  }

  /** The network breaks: nobody says goodbye. */
  drop(): void {
    for (const { socket } of this.#connections) socket.terminate();
  }

  close(): void {
    clearInterval(this.#watch);
    this.drop();
    this.#server.close();
  }

  #greet(socket: WebSocket): void {
    const connection: Connection = { socket, lastHeartbeat: performance.now(), sentAt: [] };
    this.#connections.add(connection);
    socket.on("close", (code) => {
      this.#connections.delete(connection);
      const { session } = connection;
      if (session?.connection !== socket) return;
      session.connection = undefined;
      // Whoever says goodbye like this does not come back.
      if (code === 1_000 || code === 1_001) this.sessions.delete(session.id);
    });
    socket.on("message", (data) => this.#hear(connection, String(data)));
    const d = { heartbeat_interval: this.#options.heartbeatMs };
    socket.send(JSON.stringify({ op: 10, d, s: null, t: null }));
  }

  #hear(connection: Connection, data: string): void {
    const json = Buffer.byteLength(data) > MOST_BYTES ? undefined : parsedJson(data);
    const code = isFields(json?.value) ? this.#take(connection, json.value) : 4002;
    if (code !== undefined) connection.socket.close(code, CLOSE_CODES[code]);
  }

  /** The code that the connection is to end with, if it must. */
  #take(connection: Connection, { op, d }: Fields): number | undefined {
    if (this.#isTooFast(connection)) return 4008;
    const data = isFields(d) ? d : {};
    switch (op) {
      case OP.heartbeat:
        connection.lastHeartbeat = performance.now();
        if (!this.#options.faults.ignoresHeartbeats)
          connection.socket.send(JSON.stringify({ op: 11 }));
        return undefined;
      case OP.identify:
        return this.#identify(connection, data);
      case OP.resume:
        return this.#resume(connection, data);
      case OP.presence:
      case OP.voice:
      case OP.members:
        return connection.session ? undefined : 4003;
      default:
        return 4001;
    }
  }

  #identify(connection: Connection, d: Fields): number | undefined {
    const { app, greeting } = this.#options;
    const intents = numberIn(d.intents);
    if (connection.session) return 4005;
    if (stringIn(d.token) !== app.token) return 4004;
    if (!isFields(d.properties) || typeof d.intents !== "number") return 4002;
    if ((intents & ~KNOWN_INTENTS) !== 0 || intents < 0) return 4013;
    if (app.disallowed(intents) !== 0) return 4014;
    const shard = shardIn(d.shard);
    if (!shard) return 4010;
    this.identifies += 1;
    const session = new Session(intents, shard, connection.socket);
    connection.session = session;
    this.sessions.set(session.id, session);
    for (const dispatch of greeting(session)) session.dispatch(dispatch);
    return undefined;
  }

  #resume(connection: Connection, d: Fields): number | undefined {
    const { app, faults } = this.#options;
    if (connection.session) return 4005;
    if (stringIn(d.token) !== app.token) return 4004;
    const session = this.sessions.get(stringIn(d.session_id));
    if (!session || faults.refusesResume) {
      this.sessions.delete(stringIn(d.session_id));
      connection.socket.send(JSON.stringify({ op: 9, d: false }));
      return undefined;
    }
    if (numberIn(d.seq) > session.sequence) return 4007;
    this.resumes += 1;
    connection.session = session;
    session.replay(connection.socket, numberIn(d.seq));
    return undefined;
  }

  #isTooFast({ sentAt }: Connection): boolean {
    const now = performance.now();
    sentAt.push(now);
    return sentAt.filter((at) => at > now - 60_000).length > MOST_A_MINUTE;
  }

  #endSilent(): void {
    const since = performance.now() - this.#options.heartbeatMs * 1.5;
    for (const { socket, lastHeartbeat } of this.#connections)
      if (lastHeartbeat < since) socket.close(4_000, "No heartbeat");
  }
}

function shardIn(shard: unknown): Shard | undefined {
  if (shard === undefined) return [0, 1];
  const [id, count] = Array.isArray(shard) ? shard : [];
  const isShard = Number.isInteger(id) && Number.isInteger(count) && id >= 0 && id < count;
  return isShard ? [id, count] : undefined;
}
