import { Client, Events, GatewayIntentBits, Partials } from "discord.js";
import type { Human } from "./human.ts";
import { DiscordServer, type DiscordServerOptions } from "./server.ts";
import type { DiscordChannel } from "./world.ts";

/** The double with the real discord.js, logged in. */
export class ClientLab implements AsyncDisposable {
  readonly discord: DiscordServer;
  readonly client: Client;
  readonly ada: Human;
  readonly channel: DiscordChannel;
  /** What discord.js says it could not do. */
  readonly errors: Error[] = [];

  private constructor(discord: DiscordServer) {
    this.discord = discord;
    this.ada = discord.human({ username: "ada" });
    this.channel = discord.channel();
    this.client = new Client({
      intents: [
        GatewayIntentBits.Guilds,
        GatewayIntentBits.GuildMessages,
        GatewayIntentBits.GuildMessageReactions,
        GatewayIntentBits.DirectMessages,
        GatewayIntentBits.MessageContent,
      ],
      partials: [Partials.Channel, Partials.Message, Partials.Reaction],
      rest: { api: discord.apiUrl },
    });
    this.client.on(Events.Error, (error) => this.errors.push(error));
  }

  static async start(options: DiscordServerOptions = {}): Promise<ClientLab> {
    const lab = new ClientLab(await DiscordServer.start({ rateSpeed: 20, ...options }));
    const ready = new Promise((resolve) => lab.client.once(Events.ClientReady, resolve));
    await lab.client.login(lab.discord.app.token);
    await ready;
    return lab;
  }

  /** The lab's channel, as discord.js has it. */
  async text(channel = this.channel) {
    const found = await this.client.channels.fetch(channel.id);
    if (!found?.isTextBased() || !found.isSendable()) throw new Error("not a text channel");
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.destroy();
    await this.discord[Symbol.asyncDispose]();
    if (this.discord.problems.length > 0)
      throw new AggregateError(this.discord.problems, "the double broke");
  }
}
