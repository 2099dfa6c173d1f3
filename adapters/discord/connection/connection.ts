import { setTimeout as sleep } from "node:timers/promises";
import {
  Client,
  Events,
  GatewayIntentBits,
  Options,
  Partials,
  PermissionFlagsBits,
  type REST,
  type RESTOptions,
} from "discord.js";
import type { Log } from "../../../src/lib/log.ts";
import type { DiscordSettings } from "../config.ts";
import { withoutSelf } from "../rendering/text.ts";
import { CarefulShards } from "./careful-shards.ts";
import { type Mentioned, withNames } from "./names.ts";
import type { ReadEvent } from "./packets.ts";
import { endedWith, isDisallowedIntent, NO_CONTENT, startError } from "./remedies.ts";

const CALL_MS = 20_000;
const CLOSE_MS = 5_000;
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

/**
 * What the bot needs in each channel, as Discord's settings call it.
 * @internal for tests
 */
export const NEEDED_PERMISSIONS = {
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
  /** How long Discord may take to tell of its servers. */
  readonly firstAnswerMs?: number;
}

/** Something that was said, and where. */
interface SaidWords {
  readonly content: string;
  readonly channel: string;
  readonly mentions?: readonly Mentioned[] | undefined;
  /** The bot's own role on that server. */
  readonly role?: string | undefined;
}

type Handler = (data: unknown) => void;

/** What becomes of the line of a shard after it was there for the first time. */
export interface LineListener {
  onAway(shard: number): void;
  /** With a lost session, what was said meanwhile does not come by itself. */
  onBack(shard: number, session: "resumed" | "lost"): void;
}

/** The line to Discord: what comes over it, and the client whose line it is. */
export class DiscordConnection implements AsyncDisposable {
  readonly #parts: ConnectionParts;
  readonly #handlers = new Map<ReadEvent, Handler>();
  #client: Client;
  #seesContent = true;
  #isClosed = false;
  /** Shards that have been there before. */
  readonly #known = new Set<number>();

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    this.#client = this.#newClient();
  }

  /** The words of a message without the mention of the bot, and with everything else that it names by its name. */
  wordsOf({ content, channel, mentions, role }: SaidWords): string {
    const words = withoutSelf(content, { user: this.self, role });
    return withNames(this.#client, words, { channel, mentions });
  }

  get client(): Client {
    return this.#client;
  }

  /** Whether the gateway tells of what happens now. */
  get isReady(): boolean {
    return this.#client.isReady();
  }

  get rest(): REST {
    return this.#client.rest;
  }

  get self(): string {
    const { user } = this.#client;
    if (!user)
      throw new Error("The Discord user of this bot is unknown until the connection has started.");
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
  on(event: ReadEvent, handler: Handler): void {
    this.#handlers.set(event, handler);
  }

  async start(listener: LineListener): Promise<void> {
    try {
      await this.#connect(listener);
    } catch (error) {
      if (!isDisallowedIntent(error)) throw startError(error);
      this.#parts.log("warn", NO_CONTENT);
      this.#seesContent = false;
      await this.#client.destroy();
      this.#client = this.#newClient();
      try {
        await this.#connect(listener);
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
    const { log, config } = this.#parts;
    const timeout = new AbortController();
    const destroyed = this.#client.destroy().then(() => {
      // It has taken the token away, but the bot still shows the end of its turns.
      this.#client.rest.setToken(config.botToken);
      return true;
    });
    // A line that is just being dropped or opened may never report its close.
    const isClosed = await Promise.race([
      destroyed,
      sleep(CLOSE_MS, false, { signal: timeout.signal }),
    ]);
    timeout.abort();
    if (!isClosed) log("info", "Discord did not confirm that the connection is closed.");
  }

  async #connect(listener: LineListener): Promise<void> {
    const client = this.#client;
    const ready = Promise.withResolvers<void>();
    ready.promise.catch(() => undefined);
    client.once(Events.ClientReady, () => ready.resolve());
    for (const [event, handler] of this.#handlers)
      client.ws.on(event, (data: unknown) => {
        if (!this.#isClosed) handler(data);
      });
    const isWatched = (shard: number) => this.#known.has(shard) && !this.#isClosed;
    client.on(Events.ShardReconnecting, (shard) => {
      if (isWatched(shard)) listener.onAway(shard);
    });
    client.on(Events.ShardResume, (shard) => {
      if (isWatched(shard)) listener.onBack(shard, "resumed");
    });
    client.on(Events.ShardReady, (shard) => {
      if (isWatched(shard)) listener.onBack(shard, "lost");
      this.#known.add(shard);
    });
    const { config, log, firstAnswerMs = FIRST_ANSWER_MS } = this.#parts;
    client.on(Events.ShardDisconnect, ({ code }, shard) => {
      if (isWatched(shard)) log("error", endedWith(code), { shard, code });
    });
    // Each shard may have to wait for its turn: only then the time counts.
    await client.login(config.botToken);
    const late = () => ready.reject(new Error("Discord did not report ready in time."));
    setTimeout(late, firstAnswerMs).unref();
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
      ws: { buildStrategy: (manager) => new CarefulShards(manager, log) },
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
    client.on(Events.Error, (error) => log("error", "Discord client error.", { error }));
    client.on(Events.ShardError, (error, shard) => {
      if (!this.#isClosed) log("warn", "Discord connection error.", { shard, error });
    });
    client.on(Events.Warn, (message) => log("warn", `Discord client warning: ${message}`));
    dropUnreadable(client, log);
    return client;
  }
}

/** Packets that came before the client was ready are read in a timer, where an error ends the process. */
function dropUnreadable({ ws }: Client, log: Log): void {
  const read = ws["handlePacket"].bind(ws);
  ws["handlePacket"] = (packet, shard) => {
    try {
      return read(packet, shard);
    } catch (error) {
      const event = (packet as { readonly t?: string } | undefined)?.t;
      log("warn", "Dropped a Discord event that the client could not parse.", { event, error });
      return false;
    }
  };
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
