import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { chatTooLong, checkChat } from "./chat-check.ts";
import { chatEvents, chatWhole } from "./chat-reply.ts";
import { json, parsed, readBody } from "./http.ts";
import { type Fields, ModelRefusedError } from "./refusal.ts";
import type { Reply } from "./replies.ts";
import { checkResponses, responsesTooLong } from "./responses-check.ts";
import { type Issued, responsesEvents, responsesWhole } from "./responses-reply.ts";
import { type SeenRequest, seen, type Wire } from "./seen.ts";
import { sendStream } from "./send.ts";

/** What is answered, and to whom: `when` is a marker that one of the conversation's messages contains, or a test. */
export interface Script {
  readonly when?: string | ((request: SeenRequest) => boolean);
  readonly replies: readonly Reply[] | ((request: SeenRequest) => Reply | Promise<Reply>);
}

export interface ModelServerOptions {
  readonly port?: number;
  readonly model?: string;
  /** Further ones that it has. */
  readonly otherModels?: readonly string[];
  readonly key?: string;
  readonly contextTokens?: number;
  readonly maxBodyBytes?: number;
  /** Which wires it speaks; both when left out. */
  readonly wires?: readonly Wire[];
  /** As OpenAI's later models: tools with reasoning only on `responses`, thoughts in encrypted form. On by default. */
  readonly reasoningModel?: boolean;
  /** Takes requests without a key. */
  readonly open?: boolean;
}

/** A strict model on a loopback socket that says what its script says. */
export class ModelServer implements AsyncDisposable {
  readonly requests: SeenRequest[] = [];
  /** Refusals and requests that no script had a reply for: empty when all went well. */
  readonly problems: string[] = [];
  readonly model: string;
  readonly key: string;
  readonly #options: ModelServerOptions;
  readonly #server: Server;
  readonly #scripts: { script: Script; used: number }[] = [];
  readonly #issued: Issued = new Map();

  constructor(options: ModelServerOptions) {
    this.#options = options;
    this.model = options.model ?? "scripted-1";
    this.key = options.key ?? "sk-scripted-0123456789";
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch((error: unknown) => {
        this.problems.push(String(error));
        response.destroy();
      });
    });
  }

  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(this.#options.port ?? 0, "127.0.0.1", () => resolve());
    });
  }

  /** What goes into OPENAI_BASE_URL. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** The settings that make a bot talk to it. */
  get env(): { OPENAI_BASE_URL: string; OPENAI_API_KEY: string; MODEL: string } {
    return { OPENAI_BASE_URL: this.url, OPENAI_API_KEY: this.key, MODEL: this.model };
  }

  /** Later scripts are asked first. A list is used up reply by reply; a function answers for ever. */
  script(replies: Script["replies"], { when }: Pick<Script, "when"> = {}): void {
    this.#scripts.unshift({
      script: { replies, ...(when === undefined ? {} : { when }) },
      used: 0,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#route(request, response);
    } catch (error) {
      if (!(error instanceof ModelRefusedError)) throw error;
      this.problems.push(`${error.status} ${error.message}`);
      json(response, error.status, error.body);
    }
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? "/", this.url).pathname;
    const control = await this.#control(request, path);
    if (control) return json(response, 200, control);
    this.#authorize(request);
    const route = `${request.method} ${path}`;
    if (route === "GET /v1/models") {
      return json(response, 200, {
        object: "list",
        data: [{ id: this.model, object: "model", created: 0, owned_by: "test" }],
      });
    }
    const wires = this.#options.wires ?? ["chat", "responses"];
    const wire = { "POST /v1/chat/completions": "chat", "POST /v1/responses": "responses" }[
      route
    ] as Wire | undefined;
    if (!wire || !wires.includes(wire)) throw new ModelRefusedError(404, `Invalid URL (${route})`);
    await this.#complete(wire, request, response);
  }

  /** For tests in another process: what was asked, and what shall be answered. */
  async #control(request: IncomingMessage, path: string): Promise<object | undefined> {
    if (path === "/_requests") return { requests: this.requests, problems: this.problems };
    if (path !== "/_script") return undefined;
    const { when, replies } = JSON.parse(await readBody(request, this.#options.maxBodyBytes));
    this.script(replies, { when });
    return {};
  }

  #authorize({ headers }: IncomingMessage): void {
    const given = headers.authorization;
    if (given === undefined) {
      if (this.#options.open) return;
      throw new ModelRefusedError(
        401,
        "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
      );
    }
    if (given === `Bearer ${this.key}`) return;
    throw new ModelRefusedError(
      401,
      `Incorrect API key provided: ${given.slice(7)}. You can find your API key at https://platform.openai.com/account/api-keys.`,
      { code: "invalid_api_key" },
    );
  }

  async #complete(wire: Wire, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const receivedAtMs = performance.now();
    const text = await readBody(request, this.#options.maxBodyBytes);
    const body = parsed(text, request);
    const entry = seen({
      number: this.requests.length + 1,
      wire,
      headers: request.headers,
      port: request.socket.remotePort,
      text,
      body,
      receivedAtMs,
    });
    this.requests.push(entry);
    response.on("finish", () => {
      entry.answeredAtMs = performance.now();
    });
    response.on("close", () => {
      entry.aborted = !response.writableFinished;
      entry.status = response.headersSent ? response.statusCode : undefined;
    });
    this.#check(wire, body, text);
    await this.#answer(entry, await this.#replyTo(entry), response);
  }

  #check(wire: Wire, body: Fields, text: string): void {
    if (body.model === undefined)
      throw new ModelRefusedError(400, "you must provide a model parameter");
    const { otherModels = [] } = this.#options;
    if (![this.model, ...otherModels].includes(String(body.model))) {
      throw new ModelRefusedError(
        404,
        `The model \`${String(body.model)}\` does not exist or you do not have access to it.`,
        { code: "model_not_found" },
      );
    }
    const { reasoningModel = true, contextTokens = Number.POSITIVE_INFINITY } = this.#options;
    if (wire === "chat") checkChat(body, { reasoningModel });
    else checkResponses(body, { reasoningModel, issued: this.#issued, secret: this.key });
    // About four bytes make a token.
    const tokens = Math.ceil(Buffer.byteLength(text) / 4);
    if (tokens > contextTokens) {
      throw wire === "chat" ? chatTooLong(contextTokens, tokens) : responsesTooLong();
    }
  }

  async #replyTo(request: SeenRequest): Promise<Reply> {
    for (const entry of this.#scripts) {
      const { when, replies } = entry.script;
      const wanted =
        typeof when === "string"
          ? request.users.some((text) => text.includes(when))
          : (when?.(request) ?? true);
      if (!wanted) continue;
      if (typeof replies === "function") return replies(request);
      const reply = replies[entry.used];
      if (!reply) continue;
      entry.used += 1;
      return reply;
    }
    throw new ModelRefusedError(
      400,
      `The script has no reply for request ${request.number}, whose last message is: ${request.users.at(-1)}`,
      { code: "script_exhausted" },
    );
  }

  async #answer(
    { wire, body, number }: SeenRequest,
    reply: Reply,
    response: ServerResponse,
  ): Promise<void> {
    if (reply.delayMs) await sleep(reply.delayMs);
    if (response.destroyed) return;
    const { fault } = reply;
    if (fault?.kind === "http") return json(response, fault.status, fault.body, fault.headers);
    if (fault?.kind === "raw") {
      response.writeHead(200, { "content-type": fault.contentType }).end(fault.body);
      return;
    }
    const context = {
      body,
      id: `${number}x${Math.random().toString(36).slice(2, 12)}`,
      issued: this.#issued,
      secret: this.key,
    };
    if (body.stream !== true || reply.quirks?.includes("notStreamed")) {
      return json(
        response,
        200,
        wire === "chat" ? chatWhole(reply, context) : responsesWhole(reply, context),
      );
    }
    const events = wire === "chat" ? chatEvents(reply, context) : responsesEvents(reply, context);
    await sendStream(response, reply, { events, wire });
  }
}
