import type { ThreadId } from "../../../src/contract/platform/incoming.ts";
import type {
  Faults,
  People,
  Person,
  Said,
  SayOptions,
  VisiblePost,
} from "../../contracts/adapter/rig.ts";
import { until } from "../until.ts";
import type { DiscordNames } from "./contract-names.ts";
import type { Delivery } from "./events.ts";
import type { Human } from "./human.ts";
import type { Interaction } from "./interactions.ts";
import { addMessage } from "./posting.ts";
import type { Seen } from "./screen.ts";
import type { DiscordServer } from "./server.ts";
import { fieldsOfModal } from "./slash.ts";
import type { DiscordChannel, DiscordMessage } from "./world.ts";

const IS_GUEST = 1 << 4;
const SHOW_SOMETHING = [
  "POST /channels/:channel/messages",
  "POST /webhooks/:application/:token",
  "POST /interactions/:interaction/:token/callback",
];

interface Deed {
  readonly deliveries: readonly Delivery[];
  readonly messageId: string;
  readonly interaction?: Interaction;
}

/** The people of the adapter contract, on the double. Nothing here goes through the adapter. */
export class DiscordContractPeople implements People {
  readonly faults: Faults;
  readonly #discord: DiscordServer;
  readonly #names: DiscordNames;
  readonly #humans = new Map<string, Human>();
  readonly #channel: DiscordChannel;
  readonly #deeds = new Map<string, Deed>();

  /** Make them before the adapter starts, so that the channel is among what it is told first. */
  constructor(discord: DiscordServer, names: DiscordNames) {
    this.#discord = discord;
    this.#names = names;
    this.#channel = discord.channel({ name: "general" });
    this.faults = {
      loseNextAnswer: () => discord.faults.loseNextAnswer(SHOW_SOMETHING),
      refuseNext: (retryAfterMs) => discord.faults.refuseNext(retryAfterMs),
      disconnect: async () => discord.disconnect(),
      reconnect: async () => discord.reconnect(),
      deletePost: async (thread, post) => {
        this.#anybody().deletes(this.#message(thread, post));
      },
    };
  }

  /** A thread that begins at no message: there is nothing in it. */
  async newThread(kind: "channel" | "direct" = "channel"): Promise<ThreadId> {
    const anybody = this.#anybody();
    if (kind === "direct") return this.#names.encode({ guild: "@me", channel: anybody.direct.id });
    const { id } = anybody.startsThread(this.#channel, "A thread");
    const guild = this.#discord.guild.id;
    return this.#names.encode({ guild, channel: id, parent: this.#channel.id });
  }

  person({ kind = "member", isOutside = false }: Parameters<People["person"]>[0] = {}): Person {
    const username = `person${this.#humans.size + 1}`;
    const guest = this.#names.guest ?? { flags: IS_GUEST };
    const self = { id: this.#discord.app.user.id };
    const user = kind === "self" ? self : { username, isBot: kind === "bot" };
    const member = kind === "guest" ? guest : {};
    const human = this.#discord.human(user, isOutside ? "outside" : member);
    if (kind === "owner") this.#discord.guild.ownerId = human.user.id;
    this.#humans.set(human.user.id, human);
    return { id: human.user.id, name: human.user.username, kind };
  }

  async say(person: Person, thread: ThreadId, text: string, options: SayOptions = {}) {
    const channel = this.#place(thread);
    const { mention = true, files = [], quoting } = options;
    const replyTo = quoting === undefined ? undefined : this.#earlier(channel, quoting);
    const { message, deliveries } = this.#human(person).says(channel, text, {
      mention,
      files,
      ...(replyTo && { replyTo }),
    });
    return this.#deed({ deliveries, messageId: message.id });
  }

  async edit(person: Person, thread: ThreadId, messageId: string, text: string): Promise<Said> {
    const deliveries = this.#human(person).edits(this.#message(thread, messageId), text);
    return this.#deed({ deliveries, messageId: "" });
  }

  async remove(person: Person, thread: ThreadId, messageId: string): Promise<Said> {
    const deliveries = this.#human(person).deletes(this.#message(thread, messageId));
    return this.#deed({ deliveries, messageId: "" });
  }

  async click(
    person: Person,
    thread: ThreadId,
    button: { post: string; action: string; typed?: string },
  ): Promise<Said> {
    const human = this.#human(person);
    const seen = this.#onScreen(human, thread).find(
      ({ message }) => this.#name(message) === button.post,
    );
    const value = seen?.buttons.find((one) => this.#action(one.value) === button.action)?.value;
    if (!seen || value === undefined)
      throw new Error(`${person.name} sees no ${button.action} at ${button.post}`);
    const clicked = await human.clicks(seen.message, value);
    if (button.typed === undefined) return this.#interactionDeed(clicked);
    await until(() => human.window !== undefined, "a window");
    const [field = ""] = fieldsOfModal(human.window ?? {});
    return this.#interactionDeed(await human.submits({ [field]: button.typed }));
  }

  async command(person: Person, thread: ThreadId, text: string): Promise<Said> {
    const { words, options } = this.#names.command(text);
    const place = this.#place(thread);
    return this.#interactionDeed(await this.#human(person).runs(place, words, options));
  }

  async stop(): Promise<Said> {
    throw new Error("Discord has no stop of its own.");
  }

  async archive(person: Person, thread: ThreadId): Promise<Said> {
    const deliveries = this.#human(person).archives(this.#place(thread));
    return this.#deed({ deliveries, messageId: "" });
  }

  async redeliver({ event }: Said): Promise<void> {
    for (const delivery of this.#deeds.get(event)?.deliveries ?? [])
      this.#discord.events.again(delivery);
  }

  async isAcknowledged({ event }: Said): Promise<boolean> {
    const deed = this.#deeds.get(event);
    if (deed?.interaction) return deed.interaction.response !== undefined;
    return deed !== undefined && (this.#names.hasKept?.(deed.messageId) ?? false);
  }

  async visible(thread: ThreadId, person?: Person): Promise<VisiblePost[]> {
    const human = person ? this.#human(person) : this.#anybody();
    return this.#ofBot(human.sees(this.#place(thread)))
      .filter(({ isWhisper }) => !isWhisper)
      .map((seen) => this.#post(seen));
  }

  /** Where no interaction is open, an app can speak to one person alone only in their conversation of two. */
  async whispers(thread: ThreadId, person: Person): Promise<VisiblePost[]> {
    const human = this.#human(person);
    const place = this.#place(thread);
    const here = human.sees(place).filter(({ isWhisper }) => isWhisper);
    const beside = human.direct.id === place.id ? [] : human.sees(human.direct);
    return this.#ofBot([...here, ...beside]).map((seen) => this.#post(seen));
  }

  async marks(thread: ThreadId, messageId: string): Promise<string[]> {
    const { reactions } = this.#message(thread, messageId);
    const bot = this.#discord.app.user.id;
    const names = [...reactions].filter(([, users]) => users.has(bot)).map(([name]) => name);
    const signs = Object.entries(this.#names.signs);
    return names.map((name) => signs.find(([, emoji]) => emoji === name)?.[0] ?? name);
  }

  async alarms(thread: ThreadId): Promise<string[]> {
    const seen = this.#onScreen(this.#anybody(), thread);
    return this.#ofBot(seen).flatMap(({ alarms }) => alarms);
  }

  #ofBot(seen: readonly Seen[]): Seen[] {
    return seen.filter(({ message }) => message.authorId === this.#discord.app.user.id);
  }

  /** A thread, and beside it the conversation with the bot. */
  #onScreen(human: Human, thread: ThreadId): Seen[] {
    const place = this.#place(thread);
    const isDirect = place.id === human.direct.id;
    return [...human.sees(place), ...(isDirect ? [] : human.sees(human.direct))];
  }

  #post({ message, text, buttons, files }: Seen): VisiblePost {
    return {
      post: this.#name(message),
      text,
      // Whether a click opens a window is known to nobody before it.
      buttons: buttons.map(({ value, label }) => ({
        action: this.#action(value),
        label,
        asksText: false,
      })),
      files: files.map(({ filename, bytes }) => ({ name: filename, bytes })),
    };
  }

  #name({ id, channelId }: DiscordMessage): string {
    return this.#names.post?.({ channel: channelId, id }) ?? id;
  }

  #action(value: string): string {
    return this.#names.action?.(value) ?? value;
  }

  #place(thread: ThreadId): DiscordChannel {
    const { channel: id } = this.#names.decode(thread);
    const channel = this.#discord.world.channels.get(id);
    if (!channel) throw new Error(`Discord has no channel ${id}.`);
    return channel;
  }

  #message(thread: ThreadId, id: string): DiscordMessage {
    const messages = this.#discord.world.messages(this.#place(thread).id);
    const message = messages.find((one) => one.id === id || this.#name(one) === id);
    if (!message) throw new Error(`There is no message ${id}.`);
    return message;
  }

  /** Said by somebody at a time when the bot was not there. */
  #earlier(channel: DiscordChannel, content: string): DiscordMessage {
    const authorId = this.#discord.guild.ownerId;
    return addMessage(this.#discord.world, { channel, authorId, content });
  }

  #human({ id }: Person): Human {
    return this.#humans.get(id) ?? this.#discord.human({ id });
  }

  /** Whoever came last. */
  #anybody(): Human {
    const { members } = this.#discord.guild;
    const isHere = ({ user }: Human) => members.has(user.id) && !user.isBot;
    return [...this.#humans.values()].findLast(isHere) ?? this.#human(this.person());
  }

  #interactionDeed(interaction: Interaction): Said {
    const deliveries = interaction.delivery ? [interaction.delivery] : [];
    return this.#deed({ deliveries, messageId: "", interaction });
  }

  #deed(deed: Deed): Said {
    const event = `deed-${this.#deeds.size}`;
    this.#deeds.set(event, deed);
    return { event, messageId: deed.messageId };
  }
}
