import { chmodSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { dirname, join } from "node:path";
import type { Duplex } from "node:stream";
import type { Log } from "../lib/log.ts";
import type { HealthTimes } from "../workspace/docker/container-spec.ts";
import { admit } from "./admission.ts";
import {
  type EngineAnswer,
  EngineAnswerError,
  EngineClient,
  type EngineStream,
} from "./engine-client.ts";
import { GoldenSpec } from "./golden-spec.ts";
import { joinStreams } from "./join-streams.ts";
import { OwnExecs } from "./own-execs.ts";
import { OwnInstance } from "./own-instance.ts";
import { asText, parseHead, RefusedError } from "./request.ts";
import type { RouteParts } from "./routes/route.ts";
import { RunningLimit } from "./running-limit.ts";
import type { ProxySettings } from "./settings.ts";

export interface ProxyOptions {
  readonly settings: ProxySettings;
  /** Content of seccomp.json. */
  readonly seccomp: string;
  readonly log: Log;
  readonly health?: HealthTimes | undefined;
  /** How long a request may take to arrive. */
  readonly requestWithinMs?: number;
}

const HEADERS_WITHIN_MS = 10_000;
const REQUEST_WITHIN_MS = 30_000;
const MOST_CONNECTIONS = 1_000;
/** The bot sends six. Node answers more of them with 431. */
const MOST_HEADERS = 32;
/** Whoever may enter the directory of the socket may use it: the volume is shared with the bot alone. */
const SOCKET_MODE = 0o666;

/** Stands between the bot and the engine, and passes on only what the bot's own code asks for. */
export async function startProxy(options: ProxyOptions): Promise<AsyncDisposable> {
  const { settings, seccomp, log, health, requestWithinMs = REQUEST_WITHIN_MS } = options;
  const { engineSocket, listenSocket, workspaces, images } = settings;
  const engine = new EngineClient(engineSocket);
  const instance = new OwnInstance(join(dirname(listenSocket), "instance"));
  const golden = new GoldenSpec({ engine, settings: workspaces, images, seccomp, health });
  const execs = new OwnExecs();
  const running = new RunningLimit(workspaces);
  const parts: RouteParts = { engine, golden, instance, images, execs, running };
  const streams = new Set<Duplex>();

  const server = createServer({
    headersTimeout: Math.min(HEADERS_WITHIN_MS, requestWithinMs),
    requestTimeout: requestWithinMs,
    connectionsCheckingInterval: requestWithinMs,
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.maxHeadersCount = MOST_HEADERS;
  server.on("request", (request, response) => void answerRequest(parts, log, request, response));
  for (const event of ["checkContinue", "checkExpectation"]) {
    server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      refuse(
        response,
        log,
        request,
        new RefusedError("The header expect is not accepted.", { status: 400 }),
      );
    });
  }
  server.on("upgrade", (request, socket, head) => {
    streams.add(socket);
    socket.on("close", () => streams.delete(socket));
    socket.on("error", () => socket.destroy());
    void openStream(parts, log, { request, socket, head, requestWithinMs });
  });
  await listen(server, listenSocket);
  return {
    async [Symbol.asyncDispose]() {
      for (const stream of streams) stream.destroy();
      server.closeAllConnections();
      engine.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answerRequest(
  parts: RouteParts,
  log: Log,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const left = new AbortController();
  // The bot has its answer, or waits for none any more.
  response.once("close", () => left.abort());
  try {
    const { bodyBytes: _, isUpgrade, ...head } = parseHead(request);
    // Its connection stays one for requests: the stream that it asks for could not be handed over.
    if (isUpgrade) throw new RefusedError("The request needs an upgrade header.", { status: 400 });
    const body = asText(Buffer.concat((await request.toArray()) as Buffer[]));
    const engine = parts.engine.until(left.signal);
    const answer = await admit({ ...head, isUpgrade, body }, { ...parts, engine });
    if ("socket" in answer) throw new Error("The engine opened a stream for a plain request.");
    write(response, answer);
  } catch (error) {
    if (!left.signal.aborted) refuse(response, log, request, error);
  }
}

function refuse(
  response: ServerResponse,
  log: Log,
  request: IncomingMessage,
  error: unknown,
): void {
  const { status, body } = answerFor(error, log, request);
  // What is left of a refused request is never read.
  response.shouldKeepAlive = false;
  write(response, { status, body });
}

function write(response: ServerResponse, { status, body }: EngineAnswer): void {
  const hasBody = status !== 204 && status !== 304;
  response.writeHead(status, hasBody ? { "content-type": "application/json" } : {});
  response.end(hasBody ? body : undefined);
}

interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly requestWithinMs: number;
}

async function openStream(parts: RouteParts, log: Log, upgrade: Upgrade): Promise<void> {
  const { request, socket } = upgrade;
  try {
    const { bodyBytes, ...head } = parseHead(request);
    const body = asText(await readExactly(upgrade, bodyBytes));
    const opened = await admit({ ...head, body }, parts);
    if ("body" in opened) endWith(socket, opened);
    else if (socket.destroyed) opened.socket.destroy();
    else carryOn(socket, opened);
  } catch (error) {
    endWith(socket, answerFor(error, log, request));
  }
}

/** The body that comes before the stream begins. What follows it stays in the socket. */
async function readExactly(upgrade: Upgrade, bytes: number): Promise<Buffer> {
  const { socket, head, requestWithinMs } = upgrade;
  const pieces = [head];
  let missing = bytes - head.length;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const take = (piece: Buffer) => {
    pieces.push(piece);
    missing -= piece.length;
    if (missing > 0) return;
    // At once: a piece that comes while no one listens would be lost.
    socket.pause();
    resolve();
  };
  const lose = () => reject(new RefusedError("The body is incomplete.", { status: 400 }));
  if (missing > 0) {
    const late = setTimeout(() => socket.destroy(), requestWithinMs);
    socket.on("data", take).once("close", lose).resume();
    await promise.finally(() => clearTimeout(late));
    socket.off("data", take).off("close", lose);
  }
  const read = Buffer.concat(pieces);
  if (read.length > bytes) socket.unshift(read.subarray(bytes));
  return read.subarray(0, bytes);
}

function carryOn(socket: Duplex, { socket: engineSide, head }: EngineStream): void {
  socket.write("HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n");
  if (head.length > 0) socket.write(head);
  joinStreams(socket, engineSide);
}

function endWith(socket: Duplex, { status, body }: EngineAnswer): void {
  const head = `HTTP/1.1 ${status} Refused\r\nContent-Type: application/json\r\nConnection: close`;
  socket.end(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  socket.resume();
}

function answerFor(error: unknown, log: Log, { method, url }: IncomingMessage): EngineAnswer {
  if (error instanceof EngineAnswerError) return error.answer;
  const asked = { method, path: (url ?? "").split("?", 1)[0]?.slice(0, 200) };
  if (error instanceof RefusedError) {
    log("warn", "Refused a request.", { ...asked, reason: error.message });
    return { status: error.status, body: JSON.stringify({ message: error.message }) };
  }
  log("error", "A request to the Docker engine failed.", { ...asked, error });
  return { status: 502, body: '{"message":"the engine does not answer the proxy"}' };
}

async function listen(server: Server, path: string): Promise<void> {
  // A proxy that was killed leaves its socket behind.
  rmSync(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => resolve());
  });
  chmodSync(path, SOCKET_MODE);
}
