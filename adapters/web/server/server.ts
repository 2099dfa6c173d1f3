import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { WebSocketServer } from "ws";
import {
  CHECK_CONNECTIONS_EVERY_MS,
  type ConnectionLimiter,
  type ConnectionLimits,
  limitConnections,
} from "../../../src/lib/limit-connections.ts";
import { OperatorError } from "../../../src/lib/operator-error.ts";
import type { WebConfig } from "../config.ts";
import { HookRefusedError } from "../hooks.ts";
import { contentSecurityPolicy, html, newNonce, type Page } from "../page.ts";
import type { People, Person } from "../people.ts";
import type { ToPage } from "../protocol.ts";
import type { RouteParts, Variables } from "./asked.ts";
import { BadTokens } from "./bad-tokens.ts";
import { createGuard, type Guard } from "./guard.ts";
import { createRoutes } from "./routes.ts";
import { Connection } from "./socket.ts";

const FRAME_BYTES = 64 * 1024;
const REQUEST_WITHIN_MS = 120_000;
const HEADERS_WITHIN_MS = 10_000;
const CONNECTION_LIMITS: ConnectionLimits = {
  mostUntrusted: 200,
  mostUntrustedPerAddress: 100,
  mostPerOwner: 300,
  untrustedLifeMs: 60_000,
};

export interface ServerParts extends RouteParts {
  readonly config: WebConfig;
  readonly people: People;
  readonly page: Page;
  readonly welcome: (person: Person) => ToPage;
  readonly onError: (error: unknown) => void;
  readonly connectionLimits?: Partial<ConnectionLimits>;
}

export interface WebServer extends AsyncDisposable {
  readonly port: number;
}

type Bindings = Variables & { Bindings: HttpBindings };

/** Resolves once it listens. */
export async function startServer(parts: ServerParts): Promise<WebServer> {
  const guard = createGuard(parts.config);
  const badTokens = new BadTokens();
  const server = createServer({
    connectionsCheckingInterval: CHECK_CONNECTIONS_EVERY_MS,
    requestTimeout: REQUEST_WITHIN_MS,
    headersTimeout: HEADERS_WITHIN_MS,
  });
  const connections = limitConnections(server, { ...CONNECTION_LIMITS, ...parts.connectionLimits });
  const admit = createAdmission(parts.people, badTokens, connections);
  server.on("request", getRequestListener(createHttpApp(parts, guard, admit).fetch));
  const sockets = new WebSocketServer({ noServer: true, maxPayload: FRAME_BYTES });
  server.on("upgrade", (request, socket, head) => {
    if (!mayUpgrade(request, guard)) return refuseUpgrade(socket);
    sockets.handleUpgrade(request, socket, head, (opened) => {
      new Connection(opened, { ...parts, admit: (token) => admit(request.socket, token) });
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

function createHttpApp(parts: ServerParts, guard: Guard, admit: Admission): Hono<Bindings> {
  const app = new Hono<Bindings>();
  app.use(async (asked, next) => {
    const { incoming } = asked.env;
    const refusal = guard(incoming, incoming.socket.localPort ?? 0);
    const nonce = newNonce();
    if (refusal === undefined) {
      asked.set("nonce", nonce);
      await next();
    } else asked.res = asked.json({ message: refusal }, 421, { connection: "close" });
    for (const [name, value] of safeHeaders(nonce)) asked.res.headers.set(name, value);
  });
  app.get("/", (asked) => asked.html(html(asked.var.nonce)));
  app.get("/page/:file", (asked) => {
    const file = parts.page.get(asked.req.param("file"));
    if (!file) return asked.notFound();
    return asked.body(file.text, 200, { "content-type": `${file.type}; charset=utf-8` });
  });
  app.use("/api/*", async (asked, next) => {
    const token = /^Bearer ([\w-]{1,200})$/.exec(asked.req.header("authorization") ?? "")?.[1];
    const person = admit(asked.env.incoming.socket, token);
    // The body of a refused request is never read, so its connection cannot carry another one.
    const headers = { connection: "close" };
    if (person === "later")
      return asked.json({ message: "Too many wrong tokens. Wait a minute." }, 429, headers);
    if (!person)
      return asked.json(
        { message: "Sign in with the address that Deckhand printed at startup." },
        401,
        headers,
      );
    asked.set("person", person);
    return next();
  });
  app.route("/api", createRoutes(parts));
  app.notFound((asked) => asked.json({ message: "Not found." }, 404));
  app.onError((error, asked) => {
    if (error instanceof HTTPException) return asked.json({ message: error.message }, error.status);
    if (error instanceof HookRefusedError) return asked.json({ message: error.message }, 403);
    parts.onError(error);
    return asked.json(
      { message: "Internal error. Try again; the operator finds the reason in the log." },
      500,
    );
  });
  return app;
}

type Admission = (socket: Socket, token: string | undefined) => Person | "later" | undefined;

/**
 * A good token is accepted however many bad ones came from the same address. A request without a token is no guess
 * and does not count: any site can make a browser send it.
 */
function createAdmission(
  people: People,
  badTokens: BadTokens,
  connections: ConnectionLimiter,
): Admission {
  return (socket, token) => {
    if (token === undefined) return undefined;
    const person = people.byToken(token);
    if (person) connections.trust(socket, person.info.id);
    else if (badTokens.isOverLimit(socket.remoteAddress ?? "", token)) return "later";
    return person;
  };
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
      ? `Port ${port} is in use. Stop the program that uses it, or set WEB_PORT.`
      : `The web chat cannot listen on ${host}:${port} (${error.code}). Change WEB_HOST or WEB_PORT.`;
  return new OperatorError(reason, { cause: error });
}
