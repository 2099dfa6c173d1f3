import type { IncomingMessage, ServerResponse } from "node:http";
import { type Answer, Call } from "./call.ts";
import type { Loss } from "./faults.ts";
import type { DiscordRates } from "./rates.ts";
import { DiscordRefusedError, plainRefusal, refusal } from "./refusals.ts";
import { readBody } from "./request-body.ts";
import { type Match, matching } from "./routes.ts";
import type { DiscordServices } from "./services.ts";

/** A call that was made, and what became of it. */
export interface CallRecord {
  readonly route: string;
  readonly path: string;
  readonly body: unknown;
  status: number;
}

/** The REST API, version 10: docs.discord.com/developers/reference */
export class Rest {
  readonly calls: CallRecord[] = [];
  readonly #discord: DiscordServices;
  readonly #rates: DiscordRates;

  constructor(discord: DiscordServices, rates: DiscordRates) {
    this.#discord = discord;
    this.#rates = rates;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://localhost");
    const [, version, path = "/"] = /^\/api(?:\/v(\d+))?(\/.*)$/.exec(url.pathname) ?? [];
    const match = matching(request.method ?? "GET", path);
    const record: CallRecord = { route: match?.name ?? "", path, body: undefined, status: 0 };
    this.calls.push(record);
    if (this.#rates.isBanned) {
      response.writeHead(429, { "content-type": "text/html" }).end("<h1>error code: 1015</h1>");
      return;
    }
    const { answer, headers, loss } = await this.#answerTo(request, {
      match,
      version,
      query: url.searchParams,
      note: (body) => Object.assign(record, { body }),
    });
    record.status = answer.status;
    if ([401, 403, 429].includes(answer.status) && headers["x-ratelimit-scope"] !== "shared")
      this.#rates.noteInvalid();
    const { answerAfterMs } = this.#discord.faults;
    if (answerAfterMs > 0) await new Promise((resolve) => setTimeout(resolve, answerAfterMs));
    if (loss === "reset") request.socket.resetAndDestroy();
    else if (loss === "closed") request.socket.destroy();
    else send(response, answer, headers);
  }

  async #answerTo(request: IncomingMessage, asked: Asked): Promise<Outcome> {
    let headers: Record<string, string> = {};
    try {
      const body = await readBody(request);
      asked.note(body.json);
      const { match } = asked;
      if (asked.version !== "10" && asked.version !== "9") throw refusal(50041);
      if (!match) throw plainRefusal(404, "Not Found");
      this.#identify(request, match);
      const refused = this.#discord.faults.takeRefusal();
      const verdict = this.#rates.ask(match.name, match.major);
      headers = { ...verdict.headers };
      const limited = refused ?? verdict.refusal;
      if (limited) return tooMany(limited, headers);
      const failure = this.#discord.faults.takeFailure(match.name);
      if (failure && !failure.isDone) return { answer: broken(failure.status), headers };
      const call = new Call(this.#discord, match.params, { query: asked.query, body });
      const answer = await match.handler(call);
      if (failure) return { answer: broken(failure.status), headers };
      const { faults } = this.#discord;
      const loss = faults.onDone(match.name) ? faults.takeLoss(match.name) : "closed";
      return { answer, headers, loss };
    } catch (error) {
      if (!(error instanceof DiscordRefusedError)) throw error;
      return { answer: { status: error.status, body: error.body }, headers };
    }
  }

  #identify(request: IncomingMessage, { isOpen }: Match): void {
    const agent = request.headers["user-agent"] ?? "";
    if (!/^DiscordBot \(\S+, \S+\)/.test(agent)) throw refusal(40333);
    if (isOpen) return;
    if (request.headers.authorization !== `Bot ${this.#discord.app.token}`)
      throw plainRefusal(401, "Unauthorized");
  }
}

interface Asked {
  readonly match: Match | undefined;
  readonly version: string | undefined;
  readonly query: URLSearchParams;
  readonly note: (body: unknown) => void;
}

interface Outcome {
  readonly answer: Answer;
  readonly headers: Record<string, string>;
  readonly loss?: Loss | undefined;
}

function tooMany(
  { retryAfterMs, isGlobal }: { retryAfterMs: number; isGlobal: boolean },
  headers: Record<string, string>,
): Outcome {
  const seconds = Math.max(0, retryAfterMs) / 1_000;
  const body = { message: "You are being rate limited.", retry_after: seconds, global: isGlobal };
  const scope = isGlobal
    ? { "x-ratelimit-global": "true", "x-ratelimit-scope": "global" }
    : { "x-ratelimit-scope": "user" };
  return {
    answer: { status: 429, body },
    headers: { via: "1.1 google", "retry-after": String(Math.ceil(seconds)), ...headers, ...scope },
  };
}

function broken(status: number): Answer {
  return { status, body: { message: `${status}: Internal Server Error`, code: 0 } };
}

function send(response: ServerResponse, answer: Answer, headers: Record<string, string>): void {
  if (answer.body === undefined) {
    response.writeHead(answer.status, headers).end();
    return;
  }
  const body = JSON.stringify(answer.body);
  response.writeHead(answer.status, { ...headers, "content-type": "application/json" }).end(body);
}
