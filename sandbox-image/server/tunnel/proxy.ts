import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  request,
  type ServerResponse,
} from "node:http";
import { createServer as createTcpServer, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { joinToClient } from "./join-to-client.ts";
import type { BotSession } from "./session.ts";
import { isSocks, serveSocks } from "./socks.ts";

const FIRST_BYTE_MS = 30_000;
const HEADERS_MS = 30_000;
/** Belong to the connection between the program and this proxy. */
const HOP_BY_HOP = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "upgrade",
];

const ADVICE =
  "This is Deckhand's proxy. Use it as an HTTP proxy (CONNECT host:port, or GET http://host/path) or as a SOCKS5 proxy.";

/** The proxy of a workspace: HTTP CONNECT, plain HTTP and SOCKS5 on one port. */
export function createProxy(session: BotSession): Server {
  const http = createServer({ headersTimeout: HEADERS_MS, requestTimeout: 0 });
  http.on("request", (message, response) => void forward(session, message, response));
  http.on("connect", (message, socket, head) => void tunnel(session, message, socket, head));
  http.on("clientError", (_error, socket) => refuse(socket, 400, ADVICE));
  // Half-open: a program may end its request and still wait for the answer.
  return createTcpServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    socket.on("error", () => {}); // the program has gone; whoever carries its bytes sees the end
    socket.setTimeout(FIRST_BYTE_MS, () => socket.destroy());
    socket.once("data", (first: Buffer) => {
      socket.setTimeout(0);
      socket.removeAllListeners("timeout");
      socket.pause();
      socket.unshift(first);
      if (isSocks(first)) void serveSocks(session, socket);
      else serveHttp(http, socket);
    });
  });
}

function serveHttp(http: HttpServer, socket: Socket): void {
  http.emit("connection", socket);
  process.nextTick(() => socket.resume());
}

async function tunnel(
  session: BotSession,
  { url = "", headers }: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const opened = await session.open({
    authority: url,
    via: "connect",
    program: headers["user-agent"],
  });
  if (opened.outcome === "refused") return refuse(socket, opened.status, opened.reason);
  if (head.length > 0) socket.unshift(head);
  socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
  await joinToClient(opened.stream, socket as Socket);
}

/** A request with an absolute URI. The route is the URI's authority: what the Host header says does not count. */
async function forward(
  session: BotSession,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = "GET", headers } = message;
  const url = URL.parse(message.url ?? "");
  const authority = /^http:\/\/([^/?#]*)/i.exec(message.url ?? "")?.[1];
  if (!url || !authority) return answer(response, 400, wrongRequest(message.url ?? "", method));
  const path = `${url.pathname}${url.search}`;
  const opened = await session.open({
    authority: /:\d+$/.test(authority) ? authority : `${authority}:80`,
    via: "http",
    method,
    path,
    program: headers["user-agent"],
  });
  if (opened.outcome === "refused") return answer(response, opened.status, opened.reason);
  const { stream } = opened;
  const upstream = request({
    createConnection: () => stream,
    method,
    path,
    headers: forwarded(message, url.host),
    setDefaultHeaders: false,
  });
  const abort = () => {
    stream.destroy(new Error("The connection was cut."));
    message.socket.resetAndDestroy();
  };
  stream.on("error", abort);
  upstream.on("error", abort);
  message.on("error", abort);
  response.on("close", () => {
    if (!response.writableFinished) abort();
    else stream.end();
  });
  upstream.on("response", (answered) => {
    answered.on("error", abort);
    answered.on("aborted", abort);
    response.writeHead(
      answered.statusCode ?? 502,
      answered.statusMessage,
      withoutHops(answered.rawHeaders),
    );
    answered.pipe(response);
  });
  message.pipe(upstream);
}

function wrongRequest(url: string, method: string): string {
  if (/^https:/i.test(url))
    return `Use CONNECT for https, not ${method} with an https address. ${ADVICE}`;
  return ADVICE;
}

function forwarded(message: IncomingMessage, host: string): string[] {
  const raw = withoutHops(message.rawHeaders);
  const kept: string[] = ["Host", host];
  for (let index = 0; index < raw.length; index += 2) {
    const [name = "", value = ""] = [raw[index], raw[index + 1]];
    if (name.toLowerCase() !== "host") kept.push(name, value);
  }
  return [...kept, "Connection", "close"];
}

function withoutHops(raw: readonly string[]): string[] {
  const named = new Set(HOP_BY_HOP);
  for (let index = 0; index < raw.length; index += 2) {
    if (raw[index]?.toLowerCase() !== "connection") continue;
    for (const name of (raw[index + 1] ?? "").split(",")) named.add(name.trim().toLowerCase());
  }
  const kept: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const [name = "", value = ""] = [raw[index], raw[index + 1]];
    if (!named.has(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}

function answer(response: ServerResponse, status: number, reason: string): void {
  const body = Buffer.from(`${reason}\n`);
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "content-length": body.length,
    connection: "close",
  });
  response.end(body);
}

/** Before an HTTP response object exists. The reason is in the body and in a header, which curl -v and git trace show. */
function refuse(socket: Duplex, status: number, reason: string): void {
  if (!socket.writable) return void socket.destroy();
  const body = `${reason}\n`;
  const names: Readonly<Record<number, string>> = {
    400: "Bad Request",
    403: "Forbidden",
    429: "Too Many Requests",
    502: "Bad Gateway",
    504: "Gateway Timeout",
  };
  socket.end(
    `HTTP/1.1 ${status} ${names[status] ?? "Refused"}\r\nContent-Type: text/plain; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  // What the program still sends must not turn the answer into a reset.
  socket.resume();
}
