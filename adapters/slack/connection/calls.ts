import { webApi } from "@slack/bolt";
import { DeliveryError } from "../../../src/contract/platform/adapter.ts";

/** Every method of Slack's that is called here, with the scopes of which it takes one. */
export const METHOD_SCOPES = {
  "auth.test": [],
  "chat.postMessage": ["chat:write"],
  "chat.update": ["chat:write"],
  "chat.delete": ["chat:write"],
  "chat.postEphemeral": ["chat:write"],
  "chat.getPermalink": [],
  "chat.startStream": ["chat:write"],
  "chat.appendStream": ["chat:write"],
  "chat.stopStream": ["chat:write"],
  "assistant.threads.setStatus": ["chat:write", "assistant:write"],
  "agents.sessions.setStatus": ["chat:write"],
  "conversations.replies": ["channels:history", "groups:history", "im:history", "mpim:history"],
  "conversations.history": ["channels:history", "groups:history", "im:history", "mpim:history"],
  "conversations.info": ["channels:read", "groups:read", "im:read", "mpim:read"],
  "conversations.members": ["channels:read", "groups:read", "im:read", "mpim:read"],
  "users.info": ["users:read"],
  "users.list": ["users:read"],
  "usergroups.list": ["usergroups:read"],
  "reactions.add": ["reactions:write"],
  "reactions.remove": ["reactions:write"],
  "files.getUploadURLExternal": ["files:write"],
  "files.completeUploadExternal": ["files:write"],
  "files.info": ["files:read"],
  "views.open": [],
  "views.update": [],
  "views.publish": [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type SlackMethod = keyof typeof METHOD_SCOPES;

/** A call that Slack did not answer with a yes. */
export class SlackError extends DeliveryError {
  /** Slack's own word for it; "rate_limited" or "unreachable" where there is none. */
  readonly code: string;
  /** It may have been carried out all the same. */
  readonly isInDoubt: boolean;

  constructor(
    when: "later" | "never",
    message: string,
    options: ErrorOptions & {
      readonly code: string;
      readonly isInDoubt?: boolean;
      readonly retryAfterMs?: number;
    },
  ) {
    super(when, message, options);
    this.code = options.code;
    this.isInDoubt = options.isInDoubt ?? false;
  }
}

/** Whether Slack said one of these words. */
export function isRefusal(error: unknown, ...codes: readonly string[]): error is SlackError {
  return error instanceof SlackError && codes.includes(error.code);
}

/** Slack is not well, and may or may not have done what it was asked for. */
const PASSING = [
  ...["internal_error", "fatal_error", "service_unavailable", "request_timeout"],
  ...["update_failed", "messaging_processing_failed", "fetch_members_failed"],
];

/** Slack has not done it, and says so without a 429: too much was sent, or something is being moved. */
const NOT_NOW = [
  ...["rate_limited", "ratelimited", "message_limit_exceeded"],
  ...["team_added_to_org", "external_channel_migrating"],
];

const TOKEN_PROBLEMS = [
  ...["invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired"],
];

/**
 * Slack's Web API. Nothing is repeated here: whether and when something is sent again is decided by whoever sends it.
 * After a 429 a method is left alone for as long as Slack said.
 */
export class SlackCalls {
  readonly #client: webApi.WebClient;
  readonly #notBeforeMs = new Map<string, number>();

  constructor(client: webApi.WebClient) {
    this.#client = client;
  }

  async call(method: SlackMethod, args: Record<string, unknown> = {}): Promise<unknown> {
    const key = method === "chat.postMessage" ? `${method}:${String(args.channel)}` : method;
    const waitMs = (this.#notBeforeMs.get(key) ?? 0) - performance.now();
    if (waitMs > 0) throw rateLimited(method, Math.ceil(waitMs));
    try {
      return await this.#client.apiCall(method, args);
    } catch (error) {
      const trouble = troubleOf(method, error);
      if (trouble.retryAfterMs !== undefined)
        this.#notBeforeMs.set(key, performance.now() + trouble.retryAfterMs);
      throw trouble;
    }
  }

  /** Tries again within this time: for lookups without which an event cannot be understood. */
  async patiently<Value>(look: () => Promise<Value>, withinMs = 2_000): Promise<Value> {
    const deadline = performance.now() + withinMs;
    for (;;) {
      try {
        return await look();
      } catch (error) {
        if (!(error instanceof SlackError) || error.when === "never") throw error;
        const pauseMs = error.retryAfterMs ?? 100;
        if (performance.now() + pauseMs > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
  }
}

function rateLimited(method: string, retryAfterMs: number, cause?: unknown): SlackError {
  const options = { code: "rate_limited", retryAfterMs, cause };
  return new SlackError(
    "later",
    `Slack rate-limited ${method}: retry after ${retryAfterMs} ms.`,
    options,
  );
}

function troubleOf(method: string, error: unknown): SlackError {
  if (error instanceof webApi.WebAPIRateLimitedError)
    return rateLimited(method, error.retryAfter * 1000, error);
  if (error instanceof webApi.WebAPIPlatformError) return refusal(method, error);
  const isOurs = error instanceof webApi.WebAPIHTTPError && error.statusCode < 500;
  return new SlackError(isOurs ? "never" : "later", `Slack did not answer ${method}.`, {
    code: "unreachable",
    isInDoubt: !isOurs,
    cause: error,
  });
}

function refusal(method: string, error: webApi.WebAPIPlatformError): SlackError {
  const { error: code, response_metadata: more } = error.data;
  const isPassing = PASSING.includes(code);
  const details = more?.messages?.join(" ") ?? "";
  const message = `Slack rejected ${method}: ${code}. ${remedy(error)}${details}`.trim();
  const options = { code, isInDoubt: isPassing, cause: error };
  const isLater = isPassing || NOT_NOW.includes(code);
  return new SlackError(isLater ? "later" : "never", message, options);
}

/** What the operator has to do about it, where that is known. */
function remedy({ data }: webApi.WebAPIPlatformError): string {
  if (data.error === "missing_scope")
    return `Add the scope ${neededScope(data)} to your app at api.slack.com/apps (OAuth & Permissions) and reinstall it. `;
  if (TOKEN_PROBLEMS.includes(data.error))
    return "Copy SLACK_BOT_TOKEN again from OAuth & Permissions of your app at api.slack.com/apps. ";
  return "";
}

function neededScope(answer: object): string {
  return "needed" in answer ? String(answer.needed) : "that it names";
}
