import type { ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { ConnectError } from "../contract/connector.ts";
import type { EgressDecision, EgressGate, HostRequest, Refusal } from "../contract/network.ts";
import { readWanted, TUNNEL_HEADERS, type Wanted } from "../contract/workspace/tunnel.ts";
import { joinDuplexes } from "../lib/join-duplexes.ts";
import type { Connector } from "./connector.ts";
import { parseAuthority } from "./host-name.ts";
import type { OnReport, OpenConnection, Traffic } from "./traffic.ts";

export interface ConnectionParts {
  readonly conversation: string;
  readonly gate: EgressGate;
  readonly connector: Connector;
  readonly traffic: Traffic;
  readonly onReport: OnReport;
  readonly log: (message: string, fields: Record<string, unknown>) => void;
}

/** The gate answers within moments. One that does not, has refused. */
const GATE_LIMIT_MS = 5_000;

/** Why a connection is not made: the response to the program that asked for it. */
class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly status: number;
  readonly because: Refusal["because"] | undefined;

  constructor(reason: string, options: ErrorOptions & Refused) {
    super(reason, options);
    this.status = options.status;
    this.because = options.because;
  }
}

interface Refused {
  readonly status: number;
  /** Absent where nobody refused anything: the host is not there. */
  readonly because?: Refusal["because"] | undefined;
}

/** Serves one connection of a workspace: judges, connects, and carries its bytes. Never throws. */
export async function serveConnection(
  parts: ConnectionParts,
  stream: ServerHttp2Stream,
  headers: Readonly<Record<string, unknown>>,
): Promise<void> {
  const left = new AbortController();
  // The tunnel's side may end it at any time, also while we still look the name up.
  stream.on("error", () => {});
  stream.once("close", () => left.abort());
  let request: HostRequest | undefined;
  try {
    request = requestOf(readWanted(headers));
    const socket = await openConnection(parts, request, left.signal);
    if (stream.destroyed) return void socket.destroy();
    stream.respond({ ":status": 200 });
    await carry(parts, { request, stream, socket });
  } catch (error) {
    if (!(error instanceof RefusedError)) parts.log("A workspace's connection failed.", { error });
    const { status, message, because } = error instanceof RefusedError ? error : BROKEN;
    if (request && because) {
      const { host, port, program } = request;
      const from = program === undefined ? {} : { program };
      parts.traffic.refused({ host, port, because, reason: message, ...from });
    }
    refuse(stream, status, message);
  }
}

const BROKEN = {
  status: 502,
  message: "Deckhand failed to connect. Try again.",
  because: undefined,
};

function requestOf(wanted: Wanted | undefined): HostRequest {
  if (!wanted)
    throw new RefusedError("This is not a request of the workspace's tunnel.", { status: 400 });
  const { authority, via, method, path, program } = wanted;
  const place = parseAuthority(authority);
  if (place.kind === "rejected") throw new RefusedError(place.reason, { status: 400 });
  return {
    host: place.host,
    port: place.port,
    via,
    ...(method === undefined ? {} : { method }),
    ...(path === undefined ? {} : { path }),
    ...(program === undefined ? {} : { program }),
  };
}

async function openConnection(
  parts: ConnectionParts,
  request: HostRequest,
  signal: AbortSignal,
): Promise<Socket> {
  const { traffic, connector } = parts;
  await traffic.loaded;
  const before = traffic.exhausted;
  if (before !== undefined) throw new RefusedError(before, OVER_LIMIT);
  const decision = await decide(parts, request);
  if (decision.outcome === "refused") {
    throw new RefusedError(decision.reason, { status: 403, because: "policy" });
  }
  try {
    const socket = await connector.connect(request, {
      privateRanges: decision.privateRanges,
      signal,
    });
    const exhausted = traffic.exhausted;
    if (exhausted === undefined) return socket;
    socket.destroy();
    throw new RefusedError(exhausted, OVER_LIMIT);
  } catch (cause) {
    if (!(cause instanceof ConnectError)) throw cause;
    throw new RefusedError(cause.message, { ...FAILURES[cause.kind], cause });
  }
}

const OVER_LIMIT: Refused = { status: 429, because: "limit" };

const FAILURES: Readonly<Record<ConnectError["kind"], Refused>> = {
  address: { status: 403, because: "address" },
  host: { status: 502 },
  connect: { status: 502 },
  timeout: { status: 504 },
};

async function decide(
  { gate, conversation, log }: ConnectionParts,
  request: HostRequest,
): Promise<EgressDecision> {
  const late = Promise.withResolvers<EgressDecision>();
  const timer = setTimeout(() => late.reject(new Error("no decision in time")), GATE_LIMIT_MS);
  try {
    return await Promise.race([gate.decide(conversation, request), late.promise]);
  } catch (error) {
    log("Failed to decide about a host.", { conversation, host: request.host, error });
    return { outcome: "refused", reason: `${request.host} could not be checked. Try again.` };
  } finally {
    clearTimeout(timer);
  }
}

interface Joined {
  readonly request: HostRequest;
  readonly stream: ServerHttp2Stream;
  readonly socket: Socket;
}

async function carry(
  { conversation, traffic, onReport }: ConnectionParts,
  { request, stream, socket }: Joined,
): Promise<void> {
  const { host, port } = request;
  const report = { bytesUp: 0, bytesDown: 0 };
  const { remoteAddress: address = "" } = socket;
  const openedAt = Date.now();
  const cut = (error: Error) => stream.destroy(error);
  const connection: OpenConnection = { host, port, cut };
  const count = (direction: "bytesUp" | "bytesDown") => (bytes: number) => {
    report[direction] += bytes;
    const exhausted = traffic.count(request, direction, bytes);
    if (exhausted !== undefined) {
      traffic.refused({ host, port, because: "limit", reason: exhausted });
      cut(new Error(exhausted));
    }
    return traffic.pace.take(bytes);
  };
  traffic.open.add(connection);
  traffic.connected(request);
  const error = await joinDuplexes(
    {
      stream,
      // Not close(code): the other end would take that for a clean end.
      abort: (reason) => stream.destroy(reason),
      truncation: () => (stream.rstCode ? new Error("The connection was reset.") : undefined),
      onBytes: count("bytesUp"),
    },
    { stream: socket, abort: () => socket.resetAndDestroy(), onBytes: count("bytesDown") },
  );
  traffic.open.delete(connection);
  const failure = error === undefined ? {} : { error: error.message };
  onReport({ conversation, host, port, address, openedAt, ...report, ...failure });
}

function refuse(stream: ServerHttp2Stream, status: number, reason: string): void {
  if (stream.destroyed || stream.headersSent) return;
  const headers = { ":status": status, [TUNNEL_HEADERS.reason]: encodeURIComponent(reason) };
  stream.respond(headers, { endStream: true });
  stream.resume();
}
