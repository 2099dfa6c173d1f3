import type { Duplex } from "node:stream";

// What both ends of a workspace's tunnel agree on. The program inside opens one HTTP/2 CONNECT stream for each connection.

/** Where the proxy listens in every workspace. */
const PROXY_PORT = 3128;
export const PROXY_URL = `http://127.0.0.1:${PROXY_PORT}`;

/** Of a CONNECT request, beside its authority. Values are percent-encoded. */
export const TUNNEL_HEADERS = {
  via: "deckhand-via",
  method: "deckhand-method",
  path: "deckhand-path",
  program: "deckhand-program",
  /** Of the response: why not. */
  reason: "deckhand-reason",
} as const;

const LONGEST_PATH = 2_000;
const LONGEST_PROGRAM = 200;

/** A stream's window: what can wait on the way for a reader that does not read. */
const STREAM_WINDOW_BYTES = 512 * 1024;
/** Node gives back the window of the whole session when a piece arrives, so that a stalled stream stalls no other. */
export const SESSION_WINDOW_BYTES = 8 * 1024 * 1024;
export const QUEUE_LIMIT_BYTES = 8 * 1024 * 1024;
export const UNREAD_LIMIT_BYTES = 4 * SESSION_WINDOW_BYTES;

/** Options of both sessions. Clients that give up are normal here: a thousand of them must not end the session. */
export const SESSION_OPTIONS = {
  streamResetBurst: 100_000,
  streamResetRate: 10_000,
  maxSessionMemory: 64,
  maxOutstandingPings: 4,
  maxHeaderListPairs: 24,
  settings: { initialWindowSize: STREAM_WINDOW_BYTES, enablePush: false },
} as const;

/** Serves the tunnels of workspaces; the workspaces start them. */
export interface TunnelHost {
  /** Serves one tunnel over the streams of its program. */
  serve(conversation: string, stream: Duplex): TunnelService;
  /** The workspace and its files are gone: a new one begins with fresh limits. */
  forget(conversation: string): void;
}

/** Why a tunnel ended whose program still runs and does nothing: the next one has it killed. */
export const UNRESPONSIVE = "The tunnel's program does not respond.";

export interface TunnelService {
  /** Resolves with the reason once it has ended. */
  readonly ended: Promise<string>;
  /** Whether the program inside still answers, asked anew. */
  isAlive(): Promise<boolean>;
  close(reason: string): void;
}

/** A connection that a program in the workspace wants, as it was asked for. */
export interface Wanted {
  readonly authority: string;
  readonly via: "connect" | "http" | "socks";
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly program?: string | undefined;
}

/** Longer ones are no host. */
const LONGEST_AUTHORITY = 1_100;

export function authorityHeaders({ authority, via, method, path, program }: Wanted) {
  return {
    ":method": "CONNECT",
    // A header's value cannot hold every byte that a program may send as a host.
    ":authority": encodeURIComponent(authority.slice(0, LONGEST_AUTHORITY).toWellFormed()),
    [TUNNEL_HEADERS.via]: via,
    ...encoded(TUNNEL_HEADERS.method, method, 20),
    ...encoded(TUNNEL_HEADERS.path, path, LONGEST_PATH),
    ...encoded(TUNNEL_HEADERS.program, program, LONGEST_PROGRAM),
  };
}

export function readWanted(headers: Readonly<Record<string, unknown>>): Wanted | undefined {
  const authority = readHeader(headers[":authority"]);
  const via = headers[TUNNEL_HEADERS.via];
  if (headers[":method"] !== "CONNECT" || authority === undefined) return undefined;
  if (via !== "connect" && via !== "http" && via !== "socks") return undefined;
  return {
    authority,
    via,
    method: printable(headers[TUNNEL_HEADERS.method], 20),
    path: printable(headers[TUNNEL_HEADERS.path], LONGEST_PATH),
    program: printable(headers[TUNNEL_HEADERS.program], LONGEST_PROGRAM),
  };
}

/** Undefined where it is missing or not as our own side writes it. */
export function readHeader(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined; // the other side is not ours
  }
}

function printable(value: unknown, most: number): string | undefined {
  return readHeader(value)
    ?.replace(/[^ -~]/g, "?")
    .slice(0, most);
}

function encoded(name: string, value: string | undefined, most: number): Record<string, string> {
  return value === undefined
    ? {}
    : { [name]: encodeURIComponent(value.slice(0, most).toWellFormed()) };
}
