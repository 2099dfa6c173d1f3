import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type Server,
  type Transport,
} from "@modelcontextprotocol/server";
import { type DirectMethods, DirectRequests, isRecord } from "./direct.ts";
import type { Wire } from "./wire.ts";

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/**
 * Standard input carries one client after another, and at times two at once. Each `initialize` begins
 * a new connection with a server object of its own; what an old one still sends is dropped, so that
 * its late answer cannot be taken for the answer to the new client's request of the same id.
 */
export class Connections {
  readonly #wire: Wire;
  readonly #makeServer: () => Server;
  readonly #direct: DirectMethods;
  #current: Connection;

  constructor(wire: Wire, makeServer: () => Server, direct: DirectMethods = NONE) {
    this.#wire = wire;
    this.#makeServer = makeServer;
    this.#direct = direct;
    this.#current = this.#open();
  }

  receive(line: string): void {
    if (line.trim() === "") return; // what every attach sends first, to end a killed client's half line
    const value = parseJson(line);
    if (value === undefined) this.refuse("not JSON", PARSE_ERROR);
    else if (!(isRecord(value) && this.#current.direct.take(value))) this.#deliver(value);
  }

  #deliver(value: unknown): void {
    const message = asMessage(value);
    if (!message) {
      this.refuse("not a JSON-RPC message", INVALID_REQUEST);
      return;
    }
    if (isInitialize(message)) this.#begin();
    this.#current.deliver(message);
  }

  /** Tells every client that a line could not be read: whoever sent it sends it again. */
  refuse(why: string, code = PARSE_ERROR): void {
    this.#wire.send({
      jsonrpc: "2.0",
      id: null,
      error: { code, message: `Line refused: ${why}.` },
    });
  }

  #begin(): void {
    if (this.#current.initialized) {
      this.#current.drop();
      this.#current = this.#open();
    }
    this.#current.initialized = true;
  }

  #open(): Connection {
    const connection = new Connection(this.#wire, this.#direct);
    void this.#makeServer().connect(connection);
    return connection;
  }
}

/** One client's connection: the transport that the SDK's server object is given. */
class Connection implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  initialized = false;
  /** Its calls outlive it: only its answers are dropped. */
  readonly direct: DirectRequests;
  #dropped = false;
  readonly #wire: Wire;

  constructor(wire: Wire, direct: DirectMethods) {
    this.#wire = wire;
    this.direct = new DirectRequests(direct, (message) => this.#say(message));
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    this.#say(message);
  }

  async close(): Promise<void> {
    this.drop();
  }

  deliver(message: JSONRPCMessage): void {
    this.onmessage?.(message);
  }

  drop(): void {
    if (this.#dropped) return;
    this.#dropped = true;
    this.onclose?.();
  }

  #say(message: unknown): void {
    if (!this.#dropped) this.#wire.send(message);
  }
}

const NONE: DirectMethods = { requests: new Map(), notifications: new Map() };

/** Undefined: a killed client's half line, or two clients' lines run together. */
function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // the caller refuses it
  }
}

/** Undefined: JSON, but no message of the protocol. */
function asMessage(value: unknown): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(value);
  } catch {
    return undefined; // the caller answers with "invalid request"
  }
}

function isInitialize(message: JSONRPCMessage): boolean {
  return "method" in message && message.method === "initialize" && "id" in message;
}
