import {
  Client,
  DiscordjsError,
  DiscordjsErrorCodes,
  Events,
  type GatewayDispatchEvents,
  GatewayIntentBits,
  Options,
  Partials,
  PermissionFlagsBits,
  type REST,
  type RESTOptions,
} from "discord.js";
import type { Log } from "../../src/lib/log.ts";
import type { DiscordSettings } from "./config.ts";

const CALL_MS = 20_000;
/** What has to wait longer for its turn is sent again by whoever wants it shown, as it is by then. */
const MOST_WAIT_MS = 15_000;
const FIRST_ANSWER_MS = 30_000;
/** Who they are is asked for whenever it matters. */
const MOST_PEOPLE = 1_000;

const INTENTS = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.DirectMessages,
];

/** What the bot needs in each channel, as Discord's settings call it. */
const NEEDED_PERMISSIONS = {
  "View Channels": PermissionFlagsBits.ViewChannel,
  "Send Messages": PermissionFlagsBits.SendMessages,
  "Create Public Threads": PermissionFlagsBits.CreatePublicThreads,
  "Send Messages in Threads": PermissionFlagsBits.SendMessagesInThreads,
  "Read Message History": PermissionFlagsBits.ReadMessageHistory,
  "Add Reactions": PermissionFlagsBits.AddReactions,
  "Attach Files": PermissionFlagsBits.AttachFiles,
} as const;

export interface ConnectionParts {
  readonly config: DiscordSettings;
  readonly log: Log;
}

type Handler = (data: unknown) => void;

/** The line to Discord: what comes over it, and the client whose line it is. */
export class DiscordConnection implements AsyncDisposable {
  readonly #parts: ConnectionParts;
  readonly #handlers = new Map<string, Handler>();
  #client: Client;
  #seesContent = true;
  #isClosed = false;
  /** Shards that have been there before. */
  readonly #known = new Set<number>();

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    this.#client = this.#newClient();
  }

  get client(): Client {
    return this.#client;
  }

  get rest(): REST {
    return this.#client.rest;
  }

  get self(): string {
    const { user } = this.#client;
    if (!user) throw new Error("Discord has not told yet who this bot is. Start it first.");
    return user.id;
  }

  /** Of old apps it is not the bot's own id. */
  get application(): string {
    return this.#client.application?.id ?? this.self;
  }

  /** False: of what is not said to it, the bot is told only that it was said. */
  get seesContent(): boolean {
    return this.#seesContent;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** As Discord sends it, each time: discord.js itself keeps silent about what it believes to know already. */
  on(event: GatewayDispatchEvents, handler: Handler): void {
    this.#handlers.set(event, handler);
  }

  /** `onBack`: the line is there again after it was lost. With a lost session, what was said meanwhile does not come by itself. */
  async start(onBack: (session: "resumed" | "lost") => void): Promise<void> {
    try {
      await this.#connect(onBack);
    } catch (error) {
      if (!isDisallowedIntent(error)) throw startError(error);
      this.#parts.log("warn", NO_CONTENT);
      this.#seesContent = false;
      await this.#client.destroy();
      this.#client = this.#newClient();
      try {
        await this.#connect(onBack);
      } catch (again) {
        throw startError(again);
      }
    }
  }

  /** What the bot's role has not in a channel. */
  lacking(channel: string): string[] {
    const found = this.#client.channels.cache.get(channel);
    const place = found?.isThread() ? found.parent : found;
    const me = place && "guild" in place ? place.guild.members.me : undefined;
    if (!place || !("guild" in place) || !me) return [];
    const has = place.permissionsFor(me);
    const missing = Object.entries(NEEDED_PERMISSIONS).filter(([, bit]) => !has.has(bit));
    return missing.map(([name]) => name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#client.destroy();
  }

  async #connect(onBack: (session: "resumed" | "lost") => void): Promise<void> {
    const client = this.#client;
    const ready = Promise.withResolvers<void>();
    ready.promise.catch(() => undefined);
    client.once(Events.ClientReady, () => ready.resolve());
    for (const [event, handler] of this.#handlers)
      client.ws.on(event as GatewayDispatchEvents, (data: unknown) => {
        if (!this.#isClosed) handler(data);
      });
    const isBack = (session: "resumed" | "lost") => {
      if (!this.#isClosed) onBack(session);
    };
    client.on(Events.ShardResume, () => isBack("resumed"));
    client.on(Events.ShardReady, (shard) => {
      if (this.#known.has(shard)) isBack("lost");
      this.#known.add(shard);
    });
    // Each shard may have to wait for its turn: only then the time counts.
    await client.login(this.#parts.config.botToken);
    const late = () => ready.reject(new Error("Discord does not say that it is ready."));
    setTimeout(late, FIRST_ANSWER_MS).unref();
    await ready.promise;
  }

  #newClient(): Client {
    const { config, log } = this.#parts;
    const { apiUrl, shardCount, shardIds } = config;
    const client = new Client({
      intents: [...INTENTS, ...(this.#seesContent ? [GatewayIntentBits.MessageContent] : [])],
      partials: [Partials.Channel, Partials.Message],
      allowedMentions: { parse: [] },
      makeCache: Options.cacheWithLimits({
        ...Options.DefaultMakeCacheSettings,
        MessageManager: 0,
        ReactionManager: 0,
        PresenceManager: 0,
        GuildMemberManager: { maxSize: MOST_PEOPLE, keepOverLimit: isSelf },
        UserManager: { maxSize: MOST_PEOPLE, keepOverLimit: isSelf },
      }),
      ...(shardCount === undefined ? { shards: "auto" as const } : { shardCount }),
      ...(shardIds ? { shards: [...shardIds] } : {}),
      rest: {
        api: apiUrl,
        timeout: CALL_MS,
        // What is sent again without a look at what became of it may stand there twice.
        retries: 0,
        makeRequest,
        rejectOnRateLimit: ({ timeToReset }) => timeToReset > MOST_WAIT_MS,
      },
    });
    // Without a listener an error of the library ends the process.
    client.on(Events.Error, (error) => log("error", "Discord's client met an error.", { error }));
    client.on(Events.ShardError, (error, shard) => {
      if (!this.#isClosed) log("warn", "Discord's line has a fault.", { shard, error });
    });
    client.on(Events.Warn, (message) => log("warn", `Discord's client warns: ${message}`));
    return client;
  }
}

function isSelf({ id, client }: { readonly id: string; readonly client: Client }): boolean {
  return id === client.user?.id;
}

/**
 * By Node's own fetch: the library's copy of undici meets whatever dispatcher others have set for the process, and the two
 * do not take each other's forms for files.
 */
export const makeRequest: RESTOptions["makeRequest"] = (url, { method, headers, body, signal }) =>
  fetch(url, {
    ...(method === undefined ? {} : { method }),
    ...(headers === undefined ? {} : { headers: headers as NonNullable<RequestInit["headers"]> }),
    ...(body === undefined ? {} : { body: body as NonNullable<RequestInit["body"]> }),
    ...(signal ? { signal } : {}),
  }) as unknown as ReturnType<RESTOptions["makeRequest"]>;

const NO_CONTENT =
  "On Discord the bot may not read what is not said to it: in its threads everybody has to mention it each time. Turn on Message Content Intent at discord.com/developers (Bot, Privileged Gateway Intents) and start the bot again.";

function isDisallowedIntent(error: unknown): boolean {
  return error instanceof Error && /disallowed intents/i.test(error.message);
}

/** What the operator has to do where it cannot begin. */
function startError(error: unknown): Error {
  const isToken =
    error instanceof DiscordjsError && error.code === DiscordjsErrorCodes.TokenInvalid;
  const why = isToken
    ? "Its token is not valid. Copy DISCORD_BOT_TOKEN anew from Bot, Reset Token at discord.com/developers."
    : "Discord cannot be reached.";
  return new Error(`The bot cannot join Discord. ${why}`, { cause: error });
}
