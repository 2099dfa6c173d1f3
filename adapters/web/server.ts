import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { WebSocketServer } from "ws";
import type { RouteParts, Variables } from "./asked.ts";
import { BadTokens } from "./bad-tokens.ts";
import type { WebConfig } from "./config.ts";
import { createGuard, type Guard } from "./guard.ts";
import { HookRefusal } from "./hooks.ts";
import { contentSecurityPolicy, html, newNonce, type Page } from "./page.ts";
import type { People, Person } from "./people.ts";
import type { ToPage } from "./protocol.ts";
import { createRoutes } from "./routes.ts";
import { Connection } from "./socket.ts";

const FRAME_BYTES = 64 * 1024;
const MOST_CONNECTIONS = 200;
const REQUEST_WITHIN_MS = 120_000;

export interface ServerParts extends RouteParts {
  readonly config: WebConfig;
  readonly people: People;
  readonly page: Page;
  readonly welcome: (person: Person) => ToPage;
  readonly onError: (error: unknown) => void;
}

export interface WebServer extends AsyncDisposable {
  readonly port: number;
}

type Bindings = Variables & { Bindings: HttpBindings };

/** Resolves once it listens. */
export async function startServer(parts: ServerParts): Promise<WebServer> {
  const guard = createGuard(parts.config);
  const badTokens = new BadTokens();
  const app = createHttpApp(parts, guard, badTokens);
  const server = createServer(getRequestListener(app.fetch));
  server.requestTimeout = REQUEST_WITHIN_MS;
  server.maxConnections = MOST_CONNECTIONS;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: FRAME_BYTES });
  server.on("upgrade", (request, socket, head) => {
    if (!mayUpgrade(request, guard)) return refuseUpgrade(socket);
    sockets.handleUpgrade(request, socket, head, (opened) => {
      const address = request.socket.remoteAddress ?? "";
      const admit = (token: string) => admitted(parts.people, badTokens, address, token);
      new Connection(opened, { ...parts, admit });
    });
  });
  await listen(server, parts.config);
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function createHttpApp(parts: ServerParts, guard: Guard, badTokens: BadTokens): Hono<Bindings> {
  const app = new Hono<Bindings>();
  app.use(async (asked, next) => {
    const { incoming } = asked.env;
    const refusal = guard(incoming, incoming.socket.localPort ?? 0);
    const nonce = newNonce();
    if (refusal === undefined) {
      asked.set("nonce", nonce);
      await next();
    } else asked.res = asked.json({ message: refusal }, 421);
    for (const [name, value] of safeHeaders(nonce)) asked.res.headers.set(name, value);
  });
  app.get("/", (asked) => asked.html(html(asked.var.nonce)));
  app.get("/page/:file", (asked) => {
    const file = parts.page.get(asked.req.param("file"));
    if (!file) return asked.notFound();
    return asked.body(file.text, 200, { "content-type": `${file.type}; charset=utf-8` });
  });
  app.use("/api/*", async (asked, next) => {
    const address = asked.env.incoming.socket.remoteAddress ?? "";
    const token = /^Bearer ([\w-]{1,200})$/.exec(asked.req.header("authorization") ?? "")?.[1];
    const person = admitted(parts.people, badTokens, address, token ?? "");
    if (person === "later")
      return asked.json({ message: "Too many bad tokens: wait a minute." }, 429);
    if (!person) return asked.json({ message: "Open the address that Deckhand printed." }, 401);
    asked.set("person", person);
    return next();
  });
  app.route("/api", createRoutes(parts));
  app.notFound((asked) => asked.json({ message: "There is nothing here." }, 404));
  app.onError((error, asked) => {
    if (error instanceof HTTPException) return asked.json({ message: error.message }, error.status);
    if (error instanceof HookRefusal) return asked.json({ message: error.message }, 403);
    parts.onError(error);
    return asked.json({ message: "Something broke here; the log says what. Try it again." }, 500);
  });
  return app;
}

function admitted(
  people: People,
  badTokens: BadTokens,
  address: string,
  token: string,
): Person | "later" | undefined {
  if (badTokens.isRefused(address)) return "later";
  const person = people.byToken(token);
  if (!person) badTokens.note(address);
  return person;
}

function mayUpgrade(request: IncomingMessage, guard: Guard): boolean {
  return request.url === "/live" && guard(request, request.socket.localPort ?? 0) === undefined;
}

function refuseUpgrade(socket: Duplex): void {
  socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
}

function safeHeaders(nonce: string): [string, string][] {
  return [
    ["content-security-policy", contentSecurityPolicy(nonce)],
    ["x-content-type-options", "nosniff"],
    ["x-frame-options", "DENY"],
    ["referrer-policy", "no-referrer"],
    ["cross-origin-opener-policy", "same-origin"],
    ["cross-origin-resource-policy", "same-origin"],
    ["permissions-policy", "camera=(), geolocation=(), microphone=()"],
    ["cache-control", "no-store"],
  ];
}

async function listen(server: Server, { host, port }: WebConfig): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(explained(error, host, port)));
    server.listen(port, host, () => resolve());
  });
}

function explained(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const reason =
    error.code === "EADDRINUSE"
      ? `Port ${port} is taken: end the program that has it, or set WEB_PORT to another one.`
      : `The web chat cannot listen on ${host}:${port} (${error.code}): set WEB_HOST and WEB_PORT.`;
  return new Error(reason, { cause: error });
}
