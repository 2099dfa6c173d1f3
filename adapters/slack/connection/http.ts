import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  CHECK_CONNECTIONS_EVERY_MS,
  type ConnectionLimits,
  limitConnections,
} from "../../../src/lib/limit-connections.ts";
import type { Log } from "../../../src/lib/log.ts";
import type { Deliver } from "./listeners.ts";

interface HttpParts {
  readonly signingSecret: string;
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly deliver: Deliver;
  readonly log: Log;
}

/** Slack's own events are far smaller. */
const BODY_BYTES = 1024 * 1024;
const REQUEST_MS = 10_000;
const LINGER_MS = 500;
const CLOCK_SECONDS = 300;
const CONNECTION_LIMITS: ConnectionLimits = {
  mostUntrusted: 200,
  mostUntrustedPerAddress: 100,
  mostPerOwner: 500,
  untrustedLifeMs: 30_000,
};

/** Why a request is not taken. */
class RequestRefusedError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** HTTP mode: Slack calls us. What is not signed by it, or was seen before, is not even read. */
export class HttpConnection implements AsyncDisposable {
  readonly isListening = true;
  readonly #parts: HttpParts;
  /** Signatures of this moment, with the time until which they would be valid. */
  readonly #seen = new Map<string, number>();
  readonly #server = createServer(
    {
      connectionsCheckingInterval: CHECK_CONNECTIONS_EVERY_MS,
      requestTimeout: REQUEST_MS,
      headersTimeout: REQUEST_MS,
    },
    (request, response) => void this.#serve(request, response),
  );
  readonly #connections = limitConnections(this.#server, CONNECTION_LIMITS);
  #isClosed = false;

  constructor(parts: HttpParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    const { host, port } = this.#parts;
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, resolve);
    });
  }

  /** Where it listens. */
  get address(): string {
    const { host, path } = this.#parts;
    return `http://${host}:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await this.#signedBody(request);
      await this.#answer(request, response, body);
    } catch (error) {
      const isRefused = error instanceof RequestRefusedError;
      if (!isRefused)
        this.#parts.log("warn", "Failed to process a Slack request; Slack will retry it.", {
          error,
        });
      response.writeHead(isRefused ? error.status : 500, { connection: "close" }).end();
      // Whoever is still sending would not see the answer if the line were cut at once.
      request.resume();
      setTimeout(() => request.destroy(), LINGER_MS).unref();
    }
  }

  /** A replayed request counts for nothing; one that could not be kept may come again as it is. */
  async #answer(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    const signature = String(request.headers["x-slack-signature"]);
    if (this.#wasSeen(signature))
      throw new RequestRefusedError(409, "This request is a duplicate.");
    try {
      const payload = payloadIn(request, body);
      if (payload.type === "url_verification") return json(response, pick(payload, "challenge"));
      if (payload.ssl_check !== undefined) return json(response, undefined);
      if (this.#isClosed) throw new RequestRefusedError(503, "The bot is shutting down.");
      json(response, await this.#parts.deliver(payload));
    } catch (error) {
      this.#seen.delete(signature);
      throw error;
    }
  }

  async #signedBody(request: IncomingMessage): Promise<string> {
    const { path, signingSecret } = this.#parts;
    const { "x-slack-signature": given, "x-slack-request-timestamp": at } = request.headers;
    if (request.url?.split("?")[0] !== path) throw new RequestRefusedError(404, "Not found.");
    if (request.method !== "POST") throw new RequestRefusedError(405, "Use POST.");
    if (typeof given !== "string" || typeof at !== "string" || !/^\d{1,12}$/.test(at))
      throw new RequestRefusedError(401, "This request is not signed.");
    if (Math.abs(Date.now() / 1000 - Number(at)) > CLOCK_SECONDS)
      throw new RequestRefusedError(401, "The request's timestamp is more than five minutes off.");
    const body = await bodyOf(request);
    const hmac = createHmac("sha256", signingSecret).update(`v0:${at}:`).update(body);
    if (!isSame(given, `v0=${hmac.digest("hex")}`))
      throw new RequestRefusedError(401, "This request is not signed by Slack.");
    this.#connections.trust(request.socket, "slack");
    return body.toString("utf8");
  }

  #wasSeen(signature: string): boolean {
    const now = Date.now();
    for (const [old, until] of this.#seen) {
      if (until > now) break;
      this.#seen.delete(old);
    }
    if (this.#seen.has(signature)) return true;
    // A request may be dated as far in the future as in the past.
    this.#seen.set(signature, now + 2 * CLOCK_SECONDS * 1000);
    return false;
  }
}

function isSame(given: string, ours: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(ours)];
  return one.length === other.length && timingSafeEqual(one, other);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > BODY_BYTES)
    throw new RequestRefusedError(413, "The request is too large.");
  const pieces: Buffer[] = [];
  let size = 0;
  // Leaving the loop must not cut the line.
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    size += piece.length;
    if (size > BODY_BYTES) throw new RequestRefusedError(413, "The request is too large.");
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Events come as JSON, actions as JSON in a form, commands as a form. */
function payloadIn(request: IncomingMessage, body: string): Record<string, unknown> {
  const isForm = request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded");
  const form = isForm ? Object.fromEntries(new URLSearchParams(body)) : undefined;
  const text = form ? form.payload : body;
  if (form && text === undefined) return form;
  try {
    const payload: unknown = JSON.parse(text ?? "");
    if (typeof payload === "object" && payload !== null) return { ...payload };
  } catch {
    // Told below, together with everything else that is no object.
  }
  throw new RequestRefusedError(400, "The request cannot be parsed.");
}

function pick(payload: Record<string, unknown>, name: string): Record<string, unknown> {
  return { [name]: payload[name] };
}

/** Slack takes an empty answer for "it has arrived". */
function json(
  response: ServerResponse,
  answer: Readonly<Record<string, unknown>> | undefined,
): void {
  if (answer === undefined) response.writeHead(200).end();
  else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
}
