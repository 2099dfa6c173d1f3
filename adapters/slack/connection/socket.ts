import { setTimeout as sleep } from "node:timers/promises";
import { type App, SocketModeReceiver, webApi } from "@slack/bolt";
import type { Log } from "../../../src/lib/log.ts";
import { OperatorError } from "../../../src/lib/operator-error.ts";
import { readFrame } from "./envelopes.ts";
import { boltLogger, type Deliver } from "./listeners.ts";

interface SocketParts {
  readonly appToken: string;
  readonly apiUrl: string;
  readonly deliver: Deliver;
  /** The line is there again, and when it was lost. */
  readonly onReconnected: (lostAtMs: number) => void;
  readonly log: Log;
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 15_000;
const GREETING_MS = 15_000;
/** A busy process answers pings late; that is no reason to hang up. */
const PING_MS = 20_000;
const CLOSING_MS = 1_000;

/** What no waiting repairs. */
const HOPELESS: Readonly<Record<string, string>> = {
  invalid_auth: "it is invalid",
  not_authed: "it is invalid",
  token_revoked: "it was revoked",
  account_inactive: "its app was removed from the workspace",
  missing_scope: "it lacks the scope connections:write",
  not_allowed_token_type: "it is not an app-level token",
};

/**
 * Socket Mode: a line from us to Slack. Bolt's own way to reconnect waits for seconds, and ends the process when Slack is
 * away while it tries; so it is switched off, and done here.
 */
export class SocketConnection implements AsyncDisposable {
  readonly #parts: SocketParts;
  readonly #receiver: SocketModeReceiver;
  readonly #closed = new AbortController();
  #isReconnecting = false;

  constructor(parts: SocketParts) {
    this.#parts = parts;
    const clientOptions = { slackApiUrl: parts.apiUrl, retryConfig: { retries: 0 } };
    this.#receiver = new SocketModeReceiver({
      appToken: parts.appToken,
      autoReconnectEnabled: false,
      clientPingTimeout: PING_MS,
      logger: boltLogger(parts.log),
      installerOptions: {
        clientOptions: { ...clientOptions, rejectRateLimitedCalls: true, timeout: 10_000 },
      },
    });
    const app = { processEvent: (event: Parameters<App["processEvent"]>[0]) => this.#hear(event) };
    this.#receiver.init(app as App);
    this.#receiver.client.on("disconnected", () => void this.#reconnect());
    this.#checkFrames();
  }

  #checkFrames(): void {
    const { client } = this.#receiver;
    const [read] = client.listeners("ws_message");
    client.removeAllListeners("ws_message");
    client.on("ws_message", (data: unknown, isBinary: boolean) => {
      const reading = readFrame(data);
      if (reading.kind === "handle") return read?.call(client, data, isBinary);
      const { why, acknowledge } = reading;
      this.#parts.log("warn", "Dropped a WebSocket frame from Slack.", { why });
      // Without it Slack would send the same again.
      if (acknowledge !== undefined)
        client.websocket?.send(JSON.stringify({ envelope_id: acknowledge }), () => undefined);
    });
  }

  /** Resolves once the line is there; throws where the token is no good. */
  async start(): Promise<void> {
    this.#isReconnecting = true;
    await this.#connect();
    this.#isReconnecting = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    const ended = this.#receiver.client.disconnect();
    await Promise.race([ended, sleep(CLOSING_MS, undefined, { ref: false })]);
  }

  get isListening(): boolean {
    return !this.#isReconnecting && !this.#closed.signal.aborted;
  }

  /** Slack is told that something has arrived once it is kept; whatever fails comes again. */
  async #hear({ body, ack }: Parameters<App["processEvent"]>[0]): Promise<void> {
    if (this.#closed.signal.aborted) return;
    try {
      const answer = await this.#parts.deliver(body);
      await ack(answer);
    } catch (error) {
      this.#parts.log("warn", "Failed to process a Slack request; Slack will retry it.", { error });
    }
  }

  async #reconnect(): Promise<void> {
    const { log, onReconnected } = this.#parts;
    if (this.#isReconnecting || this.#closed.signal.aborted) return;
    this.#isReconnecting = true;
    const lostAtMs = Date.now();
    try {
      await this.#connect();
      if (!this.#closed.signal.aborted) onReconnected(lostAtMs);
    } catch (error) {
      log(
        "error",
        "The Slack connection is lost and cannot be restored. Fix the cause, then restart the bot.",
        { error },
      );
      return;
    }
    this.#isReconnecting = false;
  }

  async #connect(): Promise<void> {
    const { signal } = this.#closed;
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; ) {
      try {
        await this.#greeting();
        return;
      } catch (error) {
        const reason = hopelessness(error);
        if (reason) throw new OperatorError(reason, { cause: error });
        this.#parts.log("info", "Slack cannot be reached; retrying.", { error });
        if (error instanceof webApi.WebAPIRateLimitedError) pauseMs = error.retryAfter * 1000;
      }
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
      pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
    }
  }

  async #greeting(): Promise<void> {
    const { client } = this.#receiver;
    const late = new AbortController();
    const starting = client.start();
    // Where it is late, its failure is nobody's business any more.
    starting.catch(() => undefined);
    const timeout = sleep(GREETING_MS, "late" as const, { signal: late.signal, ref: false });
    try {
      if ((await Promise.race([starting, timeout])) === "late") {
        void client.disconnect();
        throw new Error("Slack did not answer the connection in time.");
      }
    } finally {
      timeout.catch(() => undefined);
      late.abort();
    }
  }
}

function hopelessness(error: unknown): string | undefined {
  if (!(error instanceof webApi.WebAPIPlatformError)) return undefined;
  const why = HOPELESS[error.data.error];
  return why === undefined
    ? undefined
    : `Slack rejected SLACK_APP_TOKEN: ${why}. Generate one with the scope connections:write at api.slack.com/apps (Basic Information, App-Level Tokens).`;
}
