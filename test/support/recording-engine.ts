import { rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { makeDataDirectory } from "./data-directory.ts";

export const INSTANCE = "d38cbe49fdf0";
export const WORKSPACE = "5d7edb506a195d72";
export const CONTAINER = `deckhand-${INSTANCE}-0b9fa43d0611b1fa5c9b04fbff2a60d2b1f48983`;
export const CONTAINER_ID = "a".repeat(64);
export const EXEC_ID = "e".repeat(64);
export const IMAGE_ID = `sha256:${"b".repeat(64)}`;
export const FOREIGN = "somebodys-database";
export const OTHER_BOT = "deckhand-0123456789ab-0b9fa43d0611b1fa5c9b04fbff2a60d2b1f48983";
/** Named like the bot's, and somebody else's. */
export const UNLABELLED = `deckhand-${INSTANCE}-${"1".repeat(40)}`;
export const MISLABELLED = `deckhand-${INSTANCE}-${"2".repeat(40)}`;
export const VOLUME = `deckhand-${INSTANCE}-${WORKSPACE}-files`;
export const BOUND_VOLUME = `deckhand-${INSTANCE}-0000000000000000-files`;

const labels = (instance: string) => ({
  "deckhand.instance": instance,
  "deckhand.workspace": WORKSPACE,
});
const container = (owned: object) => ({
  Id: CONTAINER_ID,
  Name: "/x",
  Created: "2026-01-01T00:00:00Z",
  State: { Status: "running" },
  Config: { Labels: owned, Env: ["SECRET=1"] },
});

/** What the engine has: one container of our bot's, one of another bot's, one of somebody else's. */
const KNOWN: Readonly<Record<string, object>> = {
  "/_ping": {},
  "/info": { NCPU: 2, SecurityOptions: ["name=seccomp,profile=default"], Name: "host" },
  "/images/deckhand-sandbox/json": { Id: IMAGE_ID, Config: {} },
  [`/containers/${CONTAINER}/json`]: container(labels(INSTANCE)),
  [`/containers/${CONTAINER_ID}/json`]: container(labels(INSTANCE)),
  [`/containers/${OTHER_BOT}/json`]: container(labels("0123456789ab")),
  [`/containers/${FOREIGN}/json`]: container({}),
  [`/containers/${UNLABELLED}/json`]: container({}),
  [`/containers/${MISLABELLED}/json`]: container(labels("0123456789ab")),
  "/containers/json": [],
  "/volumes": { Volumes: [] },
  [`/volumes/${VOLUME}`]: {
    Name: VOLUME,
    Driver: "local",
    Labels: labels(INSTANCE),
    Options: null,
    Mountpoint: "/var/lib/docker/volumes/x/_data",
  },
  [`/volumes/${BOUND_VOLUME}`]: {
    Name: BOUND_VOLUME,
    Driver: "local",
    Labels: labels(INSTANCE),
    Options: { type: "none", o: "bind", device: "/" },
  },
};

const CHANGE = /^\/containers\/\w+\/(start|stop|kill|unpause|rename)$/;

/** Stands where the engine stands and keeps every request that reaches it, as its bytes say. */
export class RecordingEngine implements AsyncDisposable {
  readonly directory = makeDataDirectory("recording-engine");
  readonly socketPath = join(this.directory, "docker.sock");
  readonly received: { method: string; url: string; body: string; headers: object }[] = [];
  /** Answers wait for it. */
  held: Promise<unknown> = Promise.resolve();
  /** Requests that are being answered, at most. */
  most = 0;
  /** How many containers the bot has that run. */
  running = 0;
  #open = 0;
  readonly #server: Server;
  readonly #streams = new Set<Duplex>();

  private constructor() {
    this.#server = createServer(async (request, response) => {
      this.#open += 1;
      this.most = Math.max(this.most, this.#open);
      response.on("close", () => {
        this.#open -= 1;
      });
      await this.held;
      if (response.destroyed) return;
      const { status, value } = await this.#answer(request);
      response.writeHead(status, { "content-type": "application/json" });
      response.end(status === 204 ? undefined : JSON.stringify(value));
    });
    this.#server.on("upgrade", (request, socket: Duplex, head: Buffer) => {
      this.#streams.add(socket);
      const { method = "", url = "", headers } = request;
      this.received.push({ method, url, body: head.toString(), headers });
      socket.on("error", () => undefined);
      socket.write("HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\nhello");
      socket.on("data", (piece) => socket.write(piece));
      socket.on("end", () => socket.end());
    });
  }

  static async start(): Promise<RecordingEngine> {
    const engine = new RecordingEngine();
    await new Promise<void>((resolve) => engine.#server.listen(engine.socketPath, resolve));
    return engine;
  }

  /** Everything but looks at what there is. */
  get changes() {
    return this.received.filter(({ method }) => method !== "GET");
  }

  /** Requests that are being answered. */
  get open(): number {
    return this.#open;
  }

  async #answer(request: IncomingMessage): Promise<{ status: number; value: object }> {
    const { method = "", url = "", headers } = request;
    const body = Buffer.concat((await request.toArray()) as Buffer[]).toString();
    this.received.push({ method, url, body, headers });
    const path = url.split("?", 1)[0] ?? "";
    if (method === "DELETE" || CHANGE.test(path)) return { status: 204, value: {} };
    if (method === "POST" && path.endsWith("/exec")) return { status: 201, value: { Id: EXEC_ID } };
    if (method === "POST") return { status: 201, value: { Id: CONTAINER_ID, Name: "x" } };
    if (method === "GET" && path === `/exec/${EXEC_ID}/json`)
      return { status: 200, value: { ID: EXEC_ID, ExitCode: 0, Running: false } };
    const isCount = path === "/containers/json" && !url.includes("all=");
    if (isCount) return { status: 200, value: Array.from({ length: this.running }, () => ({})) };
    const value = KNOWN[path];
    return value ? { status: 200, value } : { status: 404, value: { message: "not here" } };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const stream of this.#streams) stream.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Writes bytes to a socket and resolves with everything that came back, or what had come when a stream began. */
export async function exchange(socketPath: string, bytes: string | Uint8Array): Promise<string> {
  const socket = connect({ path: socketPath, allowHalfOpen: true });
  let received = "";
  socket.setEncoding("latin1");
  const done = new Promise<void>((resolve) => {
    socket.on("data", (text: string) => {
      received += text;
      if (isWhole(received)) resolve();
    });
    for (const event of ["end", "close", "error"]) socket.on(event, () => resolve());
  });
  socket.write(bytes);
  await done;
  socket.destroy();
  return received;
}

function isWhole(received: string): boolean {
  const [head, ...rest] = received.split("\r\n\r\n");
  if (rest.length === 0 || head === undefined) return false;
  if (/^HTTP\/1\.1 (101|204)/.test(head)) return true;
  const bytes = /content-length: (\d+)/i.exec(head)?.[1];
  if (bytes !== undefined) return rest.join("\r\n\r\n").length >= Number(bytes);
  return /transfer-encoding: chunked/i.test(head) ? received.endsWith("0\r\n\r\n") : false;
}
