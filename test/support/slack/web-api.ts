import type { IncomingMessage, ServerResponse } from "node:http";
import { SlackCall } from "./call.ts";
import { METHODS } from "./methods.ts";
import type { SlackRates } from "./rates.ts";
import { argumentsIn, bytesOf } from "./request-body.ts";
import type { SlackServices } from "./services.ts";
import { type Fields, SlackRefusedError, stringIn } from "./values.ts";

/** One call that was made, and what became of it. For tests that count. */
export interface CallRecord {
  readonly method: string;
  readonly args: Fields;
  readonly atMs: number;
  /** "ok", or the name of the error. */
  outcome: string;
}

/** The Web API over HTTP: docs.slack.dev/apis/web-api */
export class WebApi {
  readonly calls: CallRecord[] = [];
  readonly #slack: SlackServices;
  readonly #rates: SlackRates;
  /** Asked after each call was carried out; false: its answer is never sent. */
  answers: (call: CallRecord) => boolean = () => true;

  constructor(slack: SlackServices, rates: SlackRates) {
    this.#slack = slack;
    this.#rates = rates;
  }

  async handle(request: IncomingMessage, response: ServerResponse, method: string): Promise<void> {
    const { faults } = this.#slack;
    const body = await bytesOf(request);
    if (faults.answerAfterMs > 0)
      await new Promise((resolve) => setTimeout(resolve, faults.answerAfterMs));
    const record: CallRecord = { method, args: {}, atMs: performance.now(), outcome: "ok" };
    this.calls.push(record);
    const answer = await this.#answer(request, body, record);
    record.outcome = answer.ok === true ? "ok" : stringIn(answer.error);
    if (!this.answers(record) || faults.takeLoss(method)) {
      response.destroy();
      return;
    }
    const { retryAfterMs, ...fields } = answer;
    const isLimited = typeof retryAfterMs === "number";
    response.writeHead(isLimited ? 429 : 200, {
      "content-type": "application/json; charset=utf-8",
      "x-oauth-scopes": [...this.#slack.app.scopes].join(","),
      ...(isLimited && { "retry-after": String(Math.ceil(retryAfterMs / 1_000)) }),
    });
    response.end(JSON.stringify(fields));
  }

  async #answer(request: IncomingMessage, body: Buffer, record: CallRecord): Promise<Fields> {
    try {
      const args = argumentsIn(request, body);
      Object.assign(record.args, args);
      return { ok: true, ...(await this.#run(request, record.method, args)) };
    } catch (error) {
      if (!(error instanceof SlackRefusedError)) throw error;
      return { ok: false, error: error.error, ...error.more };
    }
  }

  async #run(request: IncomingMessage, name: string, args: Fields): Promise<Fields> {
    const refusedMs = this.#slack.faults.takeRefusal(name);
    if (refusedMs !== undefined) throw limited(refusedMs);
    const lack = this.#slack.faults.lackOf(name, args.blocks);
    if (lack !== undefined) throw new SlackRefusedError(lack);
    if (this.#slack.faults.takeEmptiness(name)) return {};
    const method = METHODS.get(name);
    if (!method) throw new SlackRefusedError("unknown_method", { req_method: name });
    const kind = this.#tokenKind(request, args);
    if (name === "auth.test" && kind === "app") return this.#appAnswer();
    if ((method.token ?? "bot") !== kind) throw new SlackRefusedError("not_allowed_token_type");
    if (name === "apps.connections.open" && request.method !== "POST")
      throw new SlackRefusedError("insecure_request");
    const call = new SlackCall(this.#slack, args);
    for (const scope of method.scopes ?? []) call.needScope(scope);
    const waitMs = this.#rates.waitFor(name, method.tier, stringIn(args.channel));
    if (waitMs !== undefined) throw limited(waitMs);
    return method.run(call);
  }

  #tokenKind(request: IncomingMessage, args: Fields): "bot" | "app" {
    const { app } = this.#slack;
    const [, header] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "") ?? [];
    const token = header ?? stringIn(args.token);
    if (token === "") throw new SlackRefusedError("not_authed");
    if (token !== app.botToken && token !== app.appToken)
      throw new SlackRefusedError("invalid_auth");
    if (!app.isInstalled) throw new SlackRefusedError("account_inactive");
    return token === app.appToken ? "app" : "bot";
  }

  #appAnswer(): Fields {
    return { app_id: this.#slack.app.id, app_name: this.#slack.app.user.name };
  }
}

function limited(retryAfterMs: number): SlackRefusedError {
  return new SlackRefusedError("ratelimited", { retryAfterMs });
}
