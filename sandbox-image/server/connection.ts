import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type Server,
  type Transport,
} from "@modelcontextprotocol/server";
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
  readonly #makeServer: (connection: Connection) => Server;
  #current: Connection;

  constructor(wire: Wire, makeServer: (connection: Connection) => Server) {
    this.#wire = wire;
    this.#makeServer = makeServer;
    this.#current = this.#open();
  }

  receive(line: string): void {
    if (line.trim() === "") return; // what every attach sends first, to end a killed client's half line
    const message = parseLine(line);
    if (message === undefined) this.refuse("not JSON", PARSE_ERROR);
    else if (message === null) this.refuse("not a JSON-RPC message", INVALID_REQUEST);
    else this.#deliver(message);
  }

  #deliver(message: JSONRPCMessage): void {
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
    const connection = new Connection(this.#wire);
    const server = this.#makeServer(connection);
    void server.connect(connection);
    return connection;
  }
}

/** One client's connection: the transport that the SDK's server object is given. */
export class Connection implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  initialized = false;
  #dropped = false;
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  get dropped(): boolean {
    return this.#dropped;
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#dropped) this.#wire.send(message);
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
}

/** Undefined: not JSON. Null: JSON, but no message of the protocol. */
function parseLine(line: string): JSONRPCMessage | null | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined; // a killed client's half line, or two clients' lines run together
  }
  try {
    return parseJSONRPCMessage(value);
  } catch {
    return null; // the caller answers with "invalid request"
  }
}

function isInitialize(message: JSONRPCMessage): boolean {
  return "method" in message && message.method === "initialize" && "id" in message;
}
