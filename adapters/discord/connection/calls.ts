import {
  type APIMessage,
  DiscordAPIError,
  RateLimitError,
  type REST,
  type RequestData,
} from "discord.js";
import { DeliveryError } from "../../../src/contract/platform/adapter.ts";

type Method = "get" | "post" | "put" | "patch" | "delete";

/** Discord's own numbers for what matters here. */
export const CODE = {
  unknownChannel: 10_003,
  unknownGuild: 10_004,
  unknownMember: 10_007,
  unknownMessage: 10_008,
  unknownUser: 10_013,
  unknownWebhook: 10_015,
  unknownInteraction: 10_062,
  answeredAlready: 40_060,
  missingAccess: 50_001,
  cannotWriteToThem: 50_007,
  missingPermissions: 50_013,
  invalidToken: 50_027,
  archived: 50_083,
  noCommonServer: 50_278,
  hasThread: 160_004,
  locked: 160_005,
  tooManyThreads: 160_006,
  tooManyAnnouncementThreads: 160_007,
} as const;

/** A call that Discord did not answer with a yes. */
export class DiscordError extends DeliveryError {
  /** Discord's own number; 0 where there is none. */
  readonly code: number;
  /** It may have been carried out all the same. */
  readonly isInDoubt: boolean;

  constructor(
    when: "later" | "never",
    message: string,
    options: ErrorOptions & {
      readonly code?: number;
      readonly isInDoubt?: boolean;
      readonly retryAfterMs?: number;
    } = {},
  ) {
    super(when, message, options);
    this.code = options.code ?? 0;
    this.isInDoubt = options.isInDoubt ?? false;
  }
}

/** Whether Discord said one of these. */
export function isRefusal(error: unknown, ...codes: readonly number[]): error is DiscordError {
  return error instanceof DiscordError && codes.includes(error.code);
}

/** Discord takes nonces of so many characters. */
export const NONCE_CHARS = 25;

interface NewMessage {
  readonly body: Readonly<Record<string, unknown>>;
  /** The same for every attempt: Discord then posts it once within some minutes. */
  readonly nonce: string;
  readonly files?: NonNullable<RequestData["files"]>;
}

/** Every message of ours begins here: none can stand there twice, and none calls people. */
export async function createMessage(
  calls: DiscordCalls,
  channel: string,
  { body, nonce, files }: NewMessage,
): Promise<APIMessage> {
  const whole = { ...body, allowed_mentions: { parse: [] }, nonce, enforce_nonce: true };
  const data = { body: whole, ...(files ? { files } : {}) };
  return (await calls.call("post", `/channels/${channel}/messages`, data)) as APIMessage;
}

/** Says what a bot lacks in a channel, as the permissions are called in Discord's settings; empty where that is unknown. */
export type Lacking = (channel: string) => readonly string[];

/** Discord's REST API. Whether and when something is sent again is decided by whoever sends it. */
export class DiscordCalls {
  readonly #rest: () => REST;
  readonly #lacking: Lacking;

  constructor(rest: () => REST, lacking: Lacking) {
    this.#rest = rest;
    this.#lacking = lacking;
  }

  async call(method: Method, route: `/${string}`, data: RequestData = {}): Promise<unknown> {
    return this.run(`${method.toUpperCase()} ${route}`, () => this.#rest()[method](route, data));
  }

  /** For what discord.js does itself. */
  async run<Value>(what: string, work: () => Promise<Value>): Promise<Value> {
    try {
      return await work();
    } catch (error) {
      throw this.#troubleOf(what, error);
    }
  }

  #troubleOf(what: string, error: unknown): DiscordError {
    const shown = what.replace(/(\/(?:webhooks|interactions)\/\d+\/)[^/]+/, "$1…");
    if (error instanceof RateLimitError) {
      const retryAfterMs = Math.ceil(error.retryAfter || error.timeToReset);
      const message = `Discord rate-limited ${shown}: retry after ${retryAfterMs} ms.`;
      return new DiscordError("later", message, { retryAfterMs, cause: error });
    }
    if (error instanceof DiscordAPIError && error.status < 500) {
      const code = Number(error.code);
      const message = `Discord rejected ${shown}: ${error.message}. ${this.#remedy(what, code, error.status)}`;
      return new DiscordError("never", message.trim(), { code, cause: error });
    }
    const message = `Discord did not answer ${shown}.`;
    return new DiscordError("later", message, { isInDoubt: true, cause: error });
  }

  /** What the operator has to do about it, where that is known. */
  #remedy(what: string, code: number, status: number): string {
    if (status === 401)
      return "Set DISCORD_BOT_TOKEN to a new token from Bot → Reset Token at discord.com/developers.";
    if (code !== CODE.missingPermissions && code !== CODE.missingAccess) return "";
    const channel = /\/channels\/(\d+)/.exec(what)?.[1];
    const missing = channel === undefined ? [] : this.#lacking(channel);
    const names = missing.length > 0 ? `: ${missing.join(", ")}` : "";
    return `Give the bot's role the missing permissions in that channel${names}.`;
  }
}
