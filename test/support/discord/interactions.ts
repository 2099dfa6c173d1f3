import { randomBytes } from "node:crypto";
import { permissionsIn } from "./access.ts";
import type { DiscordApp } from "./app.ts";
import { sizeLimit } from "./attachments.ts";
import type { Delivery, DiscordEvents } from "./events.ts";

import { refusal } from "./refusals.ts";
import type { Fields } from "./values.ts";
import type { Wire } from "./wire.ts";
import type { DiscordChannel, DiscordMessage, DiscordWorld } from "./world.ts";

export const INTERACTION = { command: 2, component: 3, autocomplete: 4, modal: 5 } as const;

const RESPONSE_MS = 3_000;
const TOKEN_MS = 15 * 60_000;

/** Somebody used a command, a button or a window, and what the app has made of it. */
export interface Interaction {
  readonly id: string;
  readonly token: string;
  readonly type: number;
  readonly userId: string;
  readonly channel: DiscordChannel;
  readonly createdMs: number;
  /** The same by the clock that the app's patience is measured with. */
  readonly askedMs: number;
  /** The message with the button. */
  readonly source?: DiscordMessage;
  delivery: Delivery | undefined;
  /** How it was answered first; undefined: not yet. */
  response: number | undefined;
  /** What `@original` means. */
  original?: DiscordMessage;
  /** The window that was opened. */
  modal?: Fields;
  /** What was suggested for what somebody is typing. */
  choices?: readonly Fields[];
  readonly followUps: DiscordMessage[];
}

interface Opening {
  readonly type: number;
  readonly userId: string;
  readonly channel: DiscordChannel;
  readonly data: Fields;
  readonly source?: DiscordMessage | undefined;
}

interface Surroundings {
  readonly world: DiscordWorld;
  readonly app: DiscordApp;
  readonly wire: Wire;
  readonly events: DiscordEvents;
}

/** docs.discord.com/developers/interactions/receiving-and-responding */
export class Interactions {
  readonly all: Interaction[] = [];
  readonly #discord: Surroundings;

  constructor(discord: Surroundings) {
    this.#discord = discord;
  }

  open({ type, userId, channel, data, source }: Opening): Interaction {
    const { world, events } = this.#discord;
    const interaction: Interaction = {
      id: world.clock.nextId(),
      token: randomBytes(60).toString("base64url"),
      type,
      userId,
      channel,
      createdMs: world.clock.nowMs(),
      askedMs: world.clock.patienceMs(),
      ...(source && { source }),
      delivery: undefined,
      response: undefined,
      followUps: [],
    };
    this.all.push(interaction);
    [interaction.delivery] = events.interaction(this.#payload(interaction, data));
    return interaction;
  }

  /** Waits until the app has answered or has no time left. True: it has answered. */
  async settled(interaction: Interaction): Promise<boolean> {
    while (interaction.response === undefined && !this.isTooLate(interaction))
      await new Promise((resolve) => setTimeout(resolve, 5));
    return interaction.response !== undefined;
  }

  /** Nobody has answered within three seconds: the person is told that the app did not respond. */
  isTooLate({ response, askedMs }: Interaction): boolean {
    return response === undefined && this.#discord.world.clock.patienceMs() > askedMs + RESPONSE_MS;
  }

  /** For the first answer. */
  waiting(id: string, token: string): Interaction {
    const interaction = this.all.find((one) => one.id === id && one.token === token);
    if (!interaction || this.isTooLate(interaction)) throw refusal(10062);
    if (interaction.response !== undefined) throw refusal(40060);
    return interaction;
  }

  /** For everything after it. */
  answered(token: string): Interaction {
    const interaction = this.all.find((one) => one.token === token);
    if (!interaction || interaction.response === undefined) throw refusal(10015);
    if (this.#discord.world.clock.nowMs() > interaction.createdMs + TOKEN_MS) throw refusal(50027);
    return interaction;
  }

  #payload(interaction: Interaction, data: Fields): Fields {
    const { app, world, wire } = this.#discord;
    const { id, token, type, userId, channel, source } = interaction;
    const guild = world.guildOf(channel);
    const member = guild?.members.get(userId);
    const inGuild = guild && {
      guild_id: guild.id,
      guild: { id: guild.id, locale: "en-US", features: [] },
      guild_locale: "en-US",
      ...(member && {
        member: {
          ...wire.member(member),
          user: wire.user(userId),
          permissions: String(permissionsIn(world, channel, userId)),
        },
      }),
      app_permissions: String(permissionsIn(world, channel, app.user.id)),
    };
    return {
      id,
      application_id: app.id,
      type,
      token,
      version: 1,
      data,
      channel: wire.channel(channel),
      channel_id: channel.id,
      ...(inGuild ?? { user: wire.user(userId), app_permissions: "442368" }),
      ...(source && { message: wire.message(source) }),
      locale: "en-US",
      entitlements: [],
      authorizing_integration_owners: { 0: guild?.id ?? "0" },
      context: guild ? 0 : 1,
      attachment_size_limit: sizeLimit(world, channel),
    };
  }
}
