import { createHmac } from "node:crypto";
import { afterOwnMs } from "../own-clock.ts";
import type { SlackApp } from "./app.ts";
import type { SlackClock } from "./clock.ts";
import type { Envelope, Receipt } from "./socket-mode.ts";
import { type Fields, isFields } from "./values.ts";

/** docs.slack.dev/authentication/verifying-requests-from-slack */
function signatureOf(secret: string, seconds: number | string, body: string): string {
  return `v0=${createHmac("sha256", secret).update(`v0:${seconds}:${body}`).digest("hex")}`;
}

/** Events over HTTP: signed, answered with 2xx within three seconds, or sent again. */
export class HttpSender {
  readonly #app: SlackApp;
  readonly #clock: SlackClock;
  readonly #ackMs: number;

  constructor(app: SlackApp, clock: SlackClock, ackMs: number) {
    this.#app = app;
    this.#clock = clock;
    this.#ackMs = ackMs;
  }

  /** What Slack does once, when somebody enters the address. */
  async verifyUrl(): Promise<boolean> {
    const challenge = crypto.randomUUID();
    const body = { type: "url_verification", token: this.#app.verificationToken, challenge };
    const response = await this.#post("application/json", JSON.stringify(body), {});
    return response.ok && (await response.text()).includes(challenge);
  }

  async send({ type, payload, retryAttempt, retryReason }: Envelope): Promise<Receipt> {
    const isEvent = type === "events_api";
    const contentType = isEvent ? "application/json" : "application/x-www-form-urlencoded";
    const retries = retryAttempt > 0 && {
      "x-slack-retry-num": String(retryAttempt),
      "x-slack-retry-reason": retryReason,
    };
    try {
      const response = await this.#post(contentType, bodyOf(type, payload), { ...retries });
      if (response.ok) return { isAcknowledged: true, response: await answerIn(response) };
      const isFinal = response.headers.get("x-slack-no-retry") === "1";
      return { isAcknowledged: false, reason: isFinal ? "no_retry" : "http_error" };
    } catch (error) {
      const isLate = error instanceof DOMException && error.name === "TimeoutError";
      return { isAcknowledged: false, reason: isLate ? "http_timeout" : "connection_failed" };
    }
  }

  #post(contentType: string, body: string, headers: Record<string, string>): Promise<Response> {
    const seconds = this.#clock.nowSeconds();
    const late = new AbortController();
    afterOwnMs(this.#ackMs, () => late.abort(new DOMException("too late", "TimeoutError")));
    return fetch(this.#app.requestUrl ?? "", {
      method: "POST",
      redirect: "manual",
      signal: late.signal,
      body,
      headers: {
        "content-type": contentType,
        "user-agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
        "x-slack-request-timestamp": String(seconds),
        "x-slack-signature": signatureOf(this.#app.signingSecret, seconds, body),
        ...headers,
      },
    });
  }
}

/** Each kind has a form of its own. */
function bodyOf(type: Envelope["type"], payload: Fields): string {
  if (type === "events_api") return JSON.stringify(payload);
  if (type === "interactive")
    return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const fields = Object.entries(payload).map(([name, value]) => [name, String(value)] as const);
  return new URLSearchParams(Object.fromEntries(fields)).toString();
}

async function answerIn(response: Response): Promise<Fields> {
  const text = await response.text();
  if (!response.headers.get("content-type")?.includes("json")) return text ? { text } : {};
  const value: unknown = JSON.parse(text);
  return isFields(value) ? value : {};
}
