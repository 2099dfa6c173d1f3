import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { DiscordApp, type DiscordAppOptions } from "./app.ts";
import { DiscordClock } from "./clock.ts";
import { Commands } from "./commands.ts";
import { type Delivery, DiscordEvents } from "./events.ts";
import { DiscordFaults } from "./faults.ts";
import { serveFile } from "./file-server.ts";
import { Gateway } from "./gateway.ts";
import { greeting } from "./greeting.ts";
import { Human } from "./human.ts";
import { Interactions } from "./interactions.ts";
import { bitsOf, type Permission } from "./permissions.ts";
import { DiscordRates } from "./rates.ts";
import { type CallRecord, Rest } from "./rest.ts";
import type { DiscordServices } from "./services.ts";
import type { Session } from "./session.ts";
import { Wire } from "./wire.ts";
import {
  CHANNEL,
  type DiscordChannel,
  type DiscordGuild,
  type DiscordMember,
  type DiscordMessage,
  type DiscordUser,
  DiscordWorld,
} from "./world.ts";

export interface DiscordServerOptions extends DiscordAppOptions {
  /** Its own clock, which tests may move. */
  readonly clock?: DiscordClock;
  /** How often a client must show that it lives. Discord: about 41 seconds. */
  readonly heartbeatMs?: number;
  /** How many times faster than Discord's the rate limits pass. */
  readonly rateSpeed?: number;
}

/**
 * Discord, as an app meets it: the REST API, the gateway, the files, and the people in front of it. It listens on
 * loopback and refuses what the real one refuses.
 *
 *   await using discord = await DiscordServer.start();
 *   const client = new Client({ intents, rest: { api: discord.apiUrl } });
 *   await client.login(discord.app.token);
 */
export class DiscordServer implements DiscordServices, AsyncDisposable {
  readonly world: DiscordWorld;
  readonly app: DiscordApp;
  readonly wire: Wire;
  readonly faults = new DiscordFaults();
  readonly rates: DiscordRates;
  readonly events: DiscordEvents;
  readonly interactions: Interactions;
  readonly commands: Commands;
  readonly gateway: Gateway;
  /** The guild that the app is in from the start. */
  readonly guild: DiscordGuild;
  /** Errors of the double itself. A test that ends with some has found a fault in it. */
  readonly problems: unknown[] = [];
  readonly #rest: Rest;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #humans = new Map<string, Human>();

  private constructor(options: DiscordServerOptions) {
    const { clock = new DiscordClock(), heartbeatMs = 41_250, rateSpeed = 1 } = options;
    this.world = new DiscordWorld(clock);
    this.app = new DiscordApp(this.world, options);
    this.guild = this.world.addGuild();
    this.world.join(this.guild, this.app.user.id);
    this.wire = new Wire(this);
    this.rates = new DiscordRates(clock);
    this.rates.speed = rateSpeed;
    this.events = new DiscordEvents(this);
    this.interactions = new Interactions(this);
    this.commands = new Commands(clock, this.app.id);
    const { app, faults } = this;
    const greets = (session: Session) => greeting(this, session);
    this.gateway = new Gateway({ app, faults, heartbeatMs, greeting: greets });
    clock.onAdvance.add(() => this.#putThreadsToSleep());
    this.#rest = new Rest(this, this.rates);
  }

  static async start(options: DiscordServerOptions = {}): Promise<DiscordServer> {
    const discord = new DiscordServer(options);
    const server = discord.#server;
    server.on("upgrade", (request, socket, head) => {
      if (discord.faults.isReachable) discord.gateway.upgrade(request, socket, head);
      else socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return discord;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** For discord.js, which adds the version itself. */
  get apiUrl(): string {
    return `${this.origin}/api`;
  }

  /** Every call of the REST API, in its order. */
  get calls(): readonly CallRecord[] {
    return this.#rest.calls;
  }

  /** Somebody new in the guild, or a user who is there. */
  human(user: Partial<DiscordUser> = {}, member?: Partial<DiscordMember> | "outside"): Human {
    const known = user.id === undefined ? undefined : this.#humans.get(user.id);
    if (known) return known;
    const whole = this.world.users.get(user.id ?? "") ?? this.world.addUser(user);
    if (member !== "outside" && !this.guild.members.has(whole.id))
      this.world.join(this.guild, whole.id, member);
    const human = new Human(this, whole);
    this.#humans.set(whole.id, human);
    return human;
  }

  /** A channel of the guild. An app that is connected is told. */
  channel(options: Partial<DiscordChannel> = {}): DiscordChannel {
    const channel = this.world.addChannel({
      type: CHANNEL.text,
      guildId: this.guild.id,
      ...options,
    });
    this.events.channel("CHANNEL_CREATE", channel);
    return channel;
  }

  /** The bot may not do this here. */
  deny(channel: DiscordChannel, ...permissions: Permission[]): void {
    this.#overwrite(channel, { allow: 0n, deny: bitsOf(permissions) });
  }

  /** The bot may do this here. */
  allow(channel: DiscordChannel, ...permissions: Permission[]): void {
    this.#overwrite(channel, { allow: bitsOf(permissions), deny: 0n });
  }

  /** Discord looks up the addresses in a message, and tells of it as if it were edited. */
  unfurl(message: DiscordMessage): Delivery[] {
    const urls = message.content.match(/https?:\/\/[^\s<>]+/g) ?? [];
    message.embeds = urls.map((url) => ({ type: "link", url, title: url }));
    return this.events.edited(message);
  }

  /** Nothing goes in or out until `reconnect`. */
  disconnect(): void {
    this.faults.isReachable = false;
    this.gateway.drop();
    this.#server.closeAllConnections();
  }

  reconnect(): void {
    this.faults.isReachable = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.gateway.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Threads in which nothing happens are archived by Discord itself. */
  #putThreadsToSleep(): void {
    const { world, events } = this;
    for (const channel of world.channels.values()) {
      const { thread, id } = channel;
      if (!thread || thread.isArchived) continue;
      const last = Date.parse(world.messages(id).at(-1)?.timestamp ?? thread.archivedAt);
      if (last + thread.archiveMinutes * 60_000 > world.clock.nowMs()) continue;
      Object.assign(thread, { isArchived: true, archivedAt: world.clock.iso() });
      events.thread("THREAD_UPDATE", channel);
    }
  }

  #overwrite(channel: DiscordChannel, bits: { allow: bigint; deny: bigint }): void {
    const ruling =
      this.world.channels.get(channel.thread ? (channel.parentId ?? "") : "") ?? channel;
    const before = ruling.overwrites.filter(({ id }) => id !== this.app.user.id);
    ruling.overwrites = [...before, { id: this.app.user.id, kind: "member", ...bits }];
    this.events.channel("CHANNEL_UPDATE", ruling);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.faults.isReachable) {
      request.socket.destroy();
      return;
    }
    try {
      if (request.url?.startsWith("/attachments/")) serveFile(this, request, response);
      else await this.#rest.handle(request, response);
    } catch (error) {
      // Whoever hangs up in the middle of a request is no fault of ours.
      if (request.socket.destroyed) return;
      this.problems.push(error);
      if (!response.headersSent) response.writeHead(500).end();
    }
  }
}
