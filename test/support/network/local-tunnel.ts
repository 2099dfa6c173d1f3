import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { freePort } from "../../../scripts/lib/free-port.ts";
import type { EgressGate, EgressLimits } from "../../../src/contract/network.ts";
import type { Documents, Json } from "../../../src/contract/store.ts";
import {
  QUEUE_LIMIT_BYTES,
  type TunnelService,
  UNREAD_LIMIT_BYTES,
} from "../../../src/contract/workspace/tunnel.ts";
import { EagerDuplex } from "../../../src/lib/eager-duplex.ts";
import { Connector, type Resolve } from "../../../src/network/connector.ts";
import { WorkspaceEgress } from "../../../src/network/egress.ts";

const ROOT = join(import.meta.dirname, "../../..");
const PROGRAM = join(ROOT, "sandbox-image/server/programs/tunnel.ts");
/** Becomes the program with the proxy's port as its file 3, as init does. */
const WITH_LISTENER = `
import os, socket, sys
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("127.0.0.1", int(sys.argv[1]))); s.listen(511)
os.dup2(s.fileno(), 9); os.dup2(0, 15); os.dup2(1, 16); os.dup2(9, 3); os.dup2(15, 5); os.dup2(16, 6)
null = os.open(os.devnull, os.O_RDWR); os.dup2(null, 0); os.dup2(null, 1)
os.execv(sys.argv[2], sys.argv[2:])`;

export const CONVERSATION = "test:thread";

export const NO_LIMITS: EgressLimits = {
  bytes: Number.MAX_SAFE_INTEGER,
  connections: 10_000,
  bytesPerSecond: Number.MAX_SAFE_INTEGER,
};

/** Opens everything, with loopback as a private network. */
export const LOOPBACK_GATE: EgressGate = {
  decide: async () => ({ outcome: "open", privateRanges: ["127.0.0.0/8", "::1/128"] }),
};

export interface LocalTunnelOptions {
  readonly gate?: EgressGate;
  readonly resolve?: Resolve;
  readonly limits?: Partial<EgressLimits>;
  readonly documents?: Documents;
  /** Whose workspace it stands for. */
  readonly conversation?: string;
}

/** Both ends of a tunnel without a container: the real program in a process of its own, over pipes. */
export class LocalTunnel implements AsyncDisposable {
  readonly egress: WorkspaceEgress;
  readonly port: number;
  program!: ChildProcess;
  service!: TunnelService;

  readonly #conversation: string;

  private constructor(egress: WorkspaceEgress, port: number, conversation: string) {
    this.#conversation = conversation;
    this.egress = egress;
    this.port = port;
    this.startProgram();
  }

  static async start({
    gate,
    resolve,
    limits,
    documents,
    conversation = CONVERSATION,
  }: LocalTunnelOptions = {}) {
    const egress = new WorkspaceEgress({
      gate: gate ?? LOOPBACK_GATE,
      connector: new Connector({ resolve: resolve ?? (async () => LOOPBACK) }),
      limits: { ...NO_LIMITS, ...limits },
      documents: documents ?? memoryDocuments(),
      log: () => {},
    });
    return new LocalTunnel(egress, await freePort(), conversation);
  }

  startProgram(): void {
    const command = ["-c", WITH_LISTENER, `${this.port}`, process.execPath, PROGRAM];
    this.program = spawn("python3", command, { stdio: ["pipe", "pipe", "inherit"] });
    this.service = this.egress.serve(this.#conversation, duplexOver(this.program));
  }

  get proxy(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.egress[Symbol.asyncDispose]();
    this.program.kill("SIGKILL");
  }
}

const LOOPBACK = [{ address: "127.0.0.1", family: 4 }];

function duplexOver({ stdin, stdout }: ChildProcess): Duplex {
  if (!stdin || !stdout) throw new Error("the program has no pipes");
  const duplex = new EagerDuplex({
    output: stdin,
    mostQueuedBytes: QUEUE_LIMIT_BYTES,
    mostUnreadBytes: UNREAD_LIMIT_BYTES,
    onDestroy: () => stdin.destroy(),
  });
  stdout.on("data", (chunk: Buffer) => duplex.receive(chunk));
  stdout.on("end", () => duplex.receiveEnd());
  return duplex;
}

/** Values in memory, by key. */
export function memoryDocuments(): Documents {
  const values = new Map<string, Json>();
  return {
    get: async (key) => values.get(key),
    set: async (key, value) => void values.set(key, value),
    delete: async (key) => values.delete(key),
    keys: async (prefix = "") => [...values.keys()].filter((key) => key.startsWith(prefix)).sort(),
  };
}
