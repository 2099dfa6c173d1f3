import type { SlackServices } from "./services.ts";
import {
  type Fields,
  isFields,
  parsedJson,
  refusalWithMessages,
  SlackRefusedError,
} from "./values.ts";
import type { SlackChannel, SlackMessage } from "./world.ts";

const KIND_SCOPES = { channel: "channels", group: "groups", im: "im", mpim: "mpim" } as const;

/** One call of a method: its arguments, and what every method asks about them. */
export class SlackCall {
  readonly slack: SlackServices;
  readonly args: Fields;

  constructor(slack: SlackServices, args: Fields) {
    this.slack = slack;
    this.args = args;
  }

  get bot(): string {
    return this.slack.app.user.id;
  }

  /** Undefined where it is missing or empty. Numbers and flags come as strings in forms. */
  text(name: string): string | undefined {
    const value = this.args[name];
    if (value === undefined || value === null || value === "") return undefined;
    return typeof value === "string" ? value : JSON.stringify(value);
  }

  flag(name: string): boolean | undefined {
    const value = this.text(name);
    return value === undefined ? undefined : value === "true" || value === "1";
  }

  number(
    name: string,
    { least, most, fallback }: { least: number; most: number; fallback: number },
  ): number {
    const given = this.text(name);
    if (given === undefined) return fallback;
    const value = Number(given);
    if (!Number.isInteger(value) || value < least || value > most)
      throw new SlackRefusedError(name === "limit" ? "invalid_limit" : "invalid_arguments");
    return value;
  }

  require(...names: string[]): void {
    const missing = names.filter((name) => this.text(name) === undefined);
    if (missing.length > 0)
      throw refusalWithMessages(
        "invalid_arguments",
        missing.map((name) => `missing required field: ${name}`),
      );
  }

  /** JSON in a form, or a value of a JSON body. Undefined where it is missing. */
  nested(name: string, whenBroken: string): unknown {
    const value = this.args[name];
    if (typeof value !== "string") return value ?? undefined;
    if (value === "") return undefined;
    const json = parsedJson(value);
    if (!json) throw new SlackRefusedError(whenBroken);
    return json.value;
  }

  list(name: string, whenBroken: string): unknown[] | undefined {
    const value = this.nested(name, whenBroken);
    if (value !== undefined && !Array.isArray(value)) throw new SlackRefusedError(whenBroken);
    return value;
  }

  object(name: string, whenBroken: string): Fields | undefined {
    const value = this.nested(name, whenBroken);
    if (value !== undefined && !isFields(value)) throw new SlackRefusedError(whenBroken);
    return value;
  }

  needScope(...anyOf: string[]): void {
    const { scopes } = this.slack.app;
    if (anyOf.some((scope) => scopes.has(scope))) return;
    const provided = [...scopes].join(",");
    throw new SlackRefusedError("missing_scope", { needed: anyOf.join(","), provided });
  }

  /** A channel that the bot may know of: private ones only from within. */
  channel(name = "channel"): SlackChannel {
    const channel = this.slack.world.channels.get(this.text(name) ?? "");
    const isHidden = channel && channel.type !== "channel" && !channel.members.has(this.bot);
    if (!channel || isHidden) throw new SlackRefusedError("channel_not_found");
    return channel;
  }

  /** A channel that the bot is in. */
  joinedChannel(name = "channel"): SlackChannel {
    const channel = this.channel(name);
    if (!channel.members.has(this.bot)) throw new SlackRefusedError("not_in_channel");
    return channel;
  }

  /** "channels:history" or its like for the other kinds of conversations. */
  needScopeFor(channel: SlackChannel, what: "read" | "history"): void {
    this.needScope(`${KIND_SCOPES[channel.type]}:${what}`);
  }

  message(channel: SlackChannel, name: string): SlackMessage {
    const message = this.slack.world.find(channel.id, this.text(name));
    if (!message || message.subtype === "tombstone")
      throw new SlackRefusedError("message_not_found");
    return message;
  }

  /** The root of the thread that the call is about; undefined: no thread. */
  threadRoot(channel: SlackChannel, whenMissing: string, name = "thread_ts"): string | undefined {
    const ts = this.text(name);
    if (ts === undefined) return undefined;
    const message = this.slack.world.find(channel.id, ts);
    if (!/^\d+\.\d{6}$/.test(ts) || !message) throw new SlackRefusedError(whenMissing);
    return message.threadTs ?? message.ts;
  }
}

type Answer = Fields | Promise<Fields>;

export interface SlackMethod {
  readonly scopes?: readonly string[];
  readonly token?: "app";
  readonly tier: "t1" | "t2" | "t3" | "t4" | "special" | "post";
  run(call: SlackCall): Answer;
}
