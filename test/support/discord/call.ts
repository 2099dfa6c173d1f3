import { may } from "./access.ts";
import type { Permission } from "./permissions.ts";
import { plainRefusal, refusal } from "./refusals.ts";
import type { RequestBody, UploadedFile } from "./request-body.ts";
import type { DiscordServices } from "./services.ts";
import { type Fields, isFields } from "./values.ts";
import type { DiscordChannel, DiscordGuild, DiscordMessage } from "./world.ts";

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

export type Handler = (call: Call) => Answer | Promise<Answer>;

/** By "METHOD /path/:parameter". */
export type Routes = Readonly<Record<string, Handler>>;

export const DONE: Answer = { status: 204 };

export function answer(body: unknown, status = 200): Answer {
  return { status, body };
}

/** One call of the REST API, and what it may touch. */
export class Call {
  readonly discord: DiscordServices;
  readonly query: URLSearchParams;
  readonly json: unknown;
  readonly files: readonly UploadedFile[];
  readonly bytes: number;
  readonly #params: Readonly<Record<string, string>>;

  constructor(
    discord: DiscordServices,
    params: Readonly<Record<string, string>>,
    request: { readonly query: URLSearchParams; readonly body: RequestBody },
  ) {
    this.discord = discord;
    this.#params = params;
    this.query = request.query;
    this.json = request.body.json;
    this.files = request.body.files;
    this.bytes = request.body.bytes;
  }

  get fields(): Fields {
    return isFields(this.json) ? this.json : {};
  }

  param(name: string): string {
    return this.#params[name] ?? "";
  }

  get botId(): string {
    return this.discord.app.user.id;
  }

  /** The channel of the path; the bot must be able to see it. */
  channel(): DiscordChannel {
    const channel = this.discord.world.channels.get(this.param("channel"));
    if (!channel) throw refusal(10003);
    if (!this.may(channel, "VIEW_CHANNEL")) throw refusal(50001);
    return channel;
  }

  message(channel = this.channel()): DiscordMessage {
    const message = this.discord.world.find(channel.id, this.param("message"));
    if (!message) throw refusal(10008);
    return message;
  }

  guild(): DiscordGuild {
    const guild = this.discord.world.guilds.get(this.param("guild"));
    if (!guild) throw refusal(10004);
    if (!guild.members.has(this.botId)) throw refusal(50001);
    return guild;
  }

  may(channel: DiscordChannel, permission: Permission): boolean {
    return may(this.discord.world, channel, { userId: this.botId, permission });
  }

  must(channel: DiscordChannel, permission: Permission): void {
    if (!this.may(channel, permission)) throw refusal(50013);
  }

  /** Only about the app whose token it is. */
  mustBeOwnApplication(): void {
    if (this.param("application") !== this.discord.app.id) throw refusal(20012);
  }

  numberInQuery(name: string, { least, most, usual }: Range): number {
    const text = this.query.get(name);
    const value = text === null ? usual : Number(text);
    if (!Number.isInteger(value) || value < least || value > most)
      throw refusal(50035, {
        errors: {
          [name]: { _errors: [{ code: "NUMBER_TYPE_RANGE", message: `${least} to ${most}` }] },
        },
      });
    return value;
  }

  mustBeList(): Fields[] {
    if (!Array.isArray(this.json)) throw plainRefusal(400, "Bad Request");
    return this.json.filter(isFields);
  }
}

interface Range {
  readonly least: number;
  readonly most: number;
  readonly usual: number;
}
