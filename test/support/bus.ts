import { Duplex } from "node:stream";

/** The container's end of attached streams: what is written here reaches everybody who is attached. */
export class Bus {
  /** Every line that any client wrote, as the server would read it. */
  readonly lines: string[] = [];
  onLine: (line: string) => void = () => {};
  readonly #ends = new Set<Duplex>();
  readonly #chunkSizes: readonly number[];
  #text = "";
  #turn = 0;

  constructor(chunkSizes: readonly number[] = [65_536]) {
    this.#chunkSizes = chunkSizes;
  }

  attach(): Duplex {
    const end = new Duplex({
      read: () => {},
      write: (chunk: Buffer, _encoding, done) => {
        this.#read(chunk.toString("utf8"));
        done();
      },
    });
    this.#ends.add(end);
    end.on("close", () => this.#ends.delete(end));
    return end;
  }

  /** One message of the server, framed by Docker and cut into chunks. */
  say(message: unknown): void {
    this.write(`${JSON.stringify(message)}\n`);
  }

  write(text: string, stream: 1 | 2 = 1): void {
    const payload = Buffer.from(text);
    const header = Buffer.alloc(8);
    header.writeUInt8(stream, 0);
    header.writeUInt32BE(payload.length, 4);
    this.raw(Buffer.concat([header, payload]));
  }

  raw(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; this.#turn += 1) {
      const size = this.#chunkSizes[this.#turn % this.#chunkSizes.length] ?? 1;
      const chunk = bytes.subarray(at, at + size);
      for (const end of this.#ends) end.push(chunk);
      at += size;
    }
  }

  hangUp(): void {
    for (const end of this.#ends) end.push(null);
  }

  #read(text: string): void {
    const lines = (this.#text + text).split("\n");
    this.#text = lines.pop() ?? "";
    for (const line of lines.filter((one) => one !== "")) {
      this.lines.push(line);
      this.onLine(line);
    }
  }
}

export interface Asked {
  readonly id?: string;
  readonly method: string;
  readonly params?: Record<string, unknown> & { _meta?: Record<string, unknown> };
}

/** Plays a workspace's server on the bus: answers initialize and ping, and the rest as it is told. */
export function playServer(bus: Bus, answer: (asked: Asked) => unknown): void {
  bus.onLine = (line) => {
    const asked = JSON.parse(line) as Asked;
    if (asked.id === undefined) return;
    const result = asked.method === "initialize" ? INITIALIZED : answer(asked);
    if (result !== undefined) bus.say({ jsonrpc: "2.0", id: asked.id, result });
  };
}

const INITIALIZED = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "played", version: "1" },
};
