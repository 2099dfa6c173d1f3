import { may } from "./access.ts";
import { newFile } from "./attachments.ts";
import type { Delivery } from "./events.ts";
import { INTERACTION, type Interaction } from "./interactions.ts";
import { EVERYBODY } from "./mentions.ts";
import type { Permission } from "./permissions.ts";
import { addMessage } from "./posting.ts";
import { startThread } from "./routes/threads.ts";
import type { Said, SayOptions } from "./saying.ts";
import { onScreen, type Seen } from "./screen.ts";
import type { DiscordServices } from "./services.ts";
import { commandData, type Given, modalData } from "./slash.ts";
import type { Fields } from "./values.ts";
import type { DiscordChannel, DiscordMessage, DiscordUser } from "./world.ts";

const MOST_CHARACTERS = 2_000;

/** Somebody with a Discord client. Nothing here goes through the app. */
export class Human {
  readonly user: DiscordUser;
  readonly #discord: DiscordServices;
  readonly #closed = new Set<string>();

  constructor(discord: DiscordServices, user: DiscordUser) {
    this.#discord = discord;
    this.user = user;
  }

  /** The channel of this person and the bot. */
  get direct(): DiscordChannel {
    return this.#discord.world.directMessage(this.user.id, this.#discord.app.user.id);
  }

  says(channel: DiscordChannel, text: string, options: SayOptions = {}): Said {
    this.#mustBeAble(channel, channel.thread ? "SEND_MESSAGES_IN_THREADS" : "SEND_MESSAGES");
    const { mention = false, files = [], replyTo } = options;
    const content = `${mention ? `<@${this.#discord.app.user.id}> ` : ""}${text}`;
    if (content.length > MOST_CHARACTERS) throw new Error("Discord takes 2000 characters.");
    this.#wake(channel);
    const reference = replyTo && { messageId: replyTo.id, channelId: replyTo.channelId };
    const message = addMessage(this.#discord.world, {
      channel,
      authorId: this.user.id,
      content,
      allowed: EVERYBODY,
      files: files.map((file) => newFile(this.#discord.world, channel, file)),
      ...(reference && { type: 19, reference }),
    });
    channel.thread?.members.add(this.user.id);
    return { message, deliveries: this.#discord.events.posted(message) };
  }

  mentions(channel: DiscordChannel, text: string): Said {
    return this.says(channel, text, { mention: true });
  }

  uploads(channel: DiscordChannel, name: string, bytes: Uint8Array): Said {
    return this.says(channel, "", { files: [{ name, bytes }] });
  }

  /** Hands a message on, as it is now. */
  forwards(original: DiscordMessage, channel: DiscordChannel): Said {
    this.#mustBeAble(channel, channel.thread ? "SEND_MESSAGES_IN_THREADS" : "SEND_MESSAGES");
    const message = addMessage(this.#discord.world, {
      channel,
      authorId: this.user.id,
      forwarded: { ...original },
      reference: { messageId: original.id, channelId: original.channelId },
    });
    return { message, deliveries: this.#discord.events.posted(message) };
  }

  edits(message: DiscordMessage, text: string): Delivery[] {
    if (message.authorId !== this.user.id) throw new Error("People edit their own messages only.");
    message.content = text;
    message.editedAt = this.#discord.world.clock.iso();
    return this.#discord.events.edited(message);
  }

  deletes(message: DiscordMessage): Delivery[] {
    this.#discord.world.remove(message);
    return this.#discord.events.deleted(message);
  }

  reacts(message: DiscordMessage, emoji: string): Delivery[] {
    const users = message.reactions.get(emoji) ?? new Set<string>();
    message.reactions.set(emoji, users.add(this.user.id));
    return this.#discord.events.reacted(message, { userId: this.user.id, emoji, isAdded: true });
  }

  types(channel: DiscordChannel): Delivery[] {
    return this.#discord.events.typing(channel.id, this.user.id);
  }

  startsThread(channel: DiscordChannel, name: string, message?: DiscordMessage): DiscordChannel {
    this.#mustBeAble(channel, "CREATE_PUBLIC_THREADS");
    const options = { name, archiveMinutes: 4_320, ownerId: this.user.id };
    return startThread(this.#discord, channel, { ...options, ...(message && { message }) });
  }

  /** A post in a forum: its first message has the id of its thread. */
  opensPost(forum: DiscordChannel, name: string, text: string): Said {
    const thread = this.startsThread(forum, name);
    const message = addMessage(this.#discord.world, {
      ...{ id: thread.id, channel: thread, authorId: this.user.id },
      content: `<@${this.#discord.app.user.id}> ${text}`,
      allowed: EVERYBODY,
    });
    return { message, deliveries: this.#discord.events.posted(message) };
  }

  archives(channel: DiscordChannel, { isLocked = false } = {}): Delivery[] {
    if (!channel.thread) throw new Error("Only threads can be archived.");
    Object.assign(channel.thread, { isArchived: true, isLocked });
    channel.thread.archivedAt = this.#discord.world.clock.iso();
    return this.#discord.events.thread("THREAD_UPDATE", channel);
  }

  /** Clicks what they see; where a list is offered, this option of it. Resolves when the app has answered or not. */
  async clicks(message: DiscordMessage, value: string): Promise<Interaction> {
    const channel = this.#channelOf(message);
    const seen = this.sees(channel).find((one) => one.message === message);
    const button = seen?.buttons.find((one) => one.value === value && !one.isDisabled);
    if (!button) throw new Error(`${this.user.username} sees no button ${value}`);
    const { component, isOption } = button;
    const data = {
      component_type: component.type,
      custom_id: component.custom_id,
      id: component.id,
      ...(isOption && { values: [value] }),
    };
    return this.#acts({ type: INTERACTION.component, channel, data, source: message });
  }

  /** The window in front of them. */
  get window(): Fields | undefined {
    return this.#opened()?.modal;
  }

  /** Fills in the window, by the custom_ids of its fields, and sends it. */
  async submits(typed: Readonly<Record<string, string>>): Promise<Interaction> {
    const opened = this.#opened();
    if (!opened?.modal) throw new Error(`${this.user.username} has no window open`);
    const data = modalData(opened.modal, typed);
    this.#closed.add(opened.id);
    const { channel, source } = opened;
    return this.#acts({ type: INTERACTION.modal, channel, data, source });
  }

  /** The app is not told. */
  closes(): void {
    const opened = this.#opened();
    if (opened) this.#closed.add(opened.id);
  }

  /** A slash command, with its subcommands: `runs(channel, "deckhand todos")`. */
  async runs(channel: DiscordChannel, words: string, given: Given = {}): Promise<Interaction> {
    const [name = "", ...path] = words.split(" ");
    const data = commandData(this.#command(channel, 1, name), path, given);
    return this.#acts({ type: INTERACTION.command, channel, data });
  }

  /** A command in the menu of a message or of a person. */
  async uses(name: string, target: DiscordMessage | { user: DiscordUser; in: DiscordChannel }) {
    const { wire } = this.#discord;
    const isMessage = "channelId" in target;
    const channel = isMessage ? this.#channelOf(target) : target.in;
    const id = isMessage ? target.id : target.user.id;
    const resolved = isMessage
      ? { messages: { [id]: wire.message(target) } }
      : { users: { [id]: wire.user(id) } };
    const command = this.#command(channel, isMessage ? 3 : 2, name);
    const data = { ...commandData(command, [], {}), target_id: id, resolved };
    return this.#acts({ type: INTERACTION.command, channel, data });
  }

  /** What the app suggests while they type into an option. */
  async completes(channel: DiscordChannel, words: string, option: string, typed: string) {
    const [name = "", ...path] = words.split(" ");
    const data = commandData(this.#command(channel, 1, name), path, { [option]: typed });
    const focused = JSON.parse(JSON.stringify(data), (_, value) =>
      value?.name === option ? { ...value, focused: true } : value,
    ) as Fields;
    const type = INTERACTION.autocomplete;
    return (await this.#acts({ type, channel, data: focused })).choices ?? [];
  }

  /** Actions after which Discord said that the app did not respond. */
  get failures(): string[] {
    const { interactions } = this.#discord;
    return interactions.all
      .filter((one) => one.userId === this.user.id && interactions.isTooLate(one))
      .map(({ id }) => id);
  }

  /** What stands on their screen, in its order. */
  sees(channel: DiscordChannel): Seen[] {
    if (!this.#may(channel, "VIEW_CHANNEL")) return [];
    return this.#discord.world
      .messages(channel.id)
      .filter(({ onlyFor }) => (onlyFor ?? this.user.id) === this.user.id)
      .map(onScreen);
  }

  /** Who is typing, as they see it. */
  seesTyping(channel: DiscordChannel): string[] {
    const { world } = this.#discord;
    const now = world.clock.nowMs();
    const active = world.typing.filter((one) => one.channelId === channel.id && one.untilMs > now);
    return [...new Set(active.map(({ userId }) => userId))];
  }

  async #acts(doing: Doing): Promise<Interaction> {
    const { interactions } = this.#discord;
    if (doing.channel.thread?.isArchived) throw new Error("Not in an archived thread.");
    const interaction = interactions.open({ ...doing, userId: this.user.id });
    await interactions.settled(interaction);
    return interaction;
  }

  #command(channel: DiscordChannel, type: number, name: string) {
    this.#mustBeAble(channel, "USE_APPLICATION_COMMANDS");
    const command = this.#discord.commands.usable(channel.guildId, type, name);
    if (!command) throw new Error(`Discord offers no command ${name} here.`);
    return command;
  }

  #opened(): Interaction | undefined {
    const { interactions } = this.#discord;
    return interactions.all.findLast(
      ({ id, userId, modal }) => userId === this.user.id && modal && !this.#closed.has(id),
    );
  }

  #channelOf({ channelId }: DiscordMessage): DiscordChannel {
    const channel = this.#discord.world.channels.get(channelId);
    if (!channel) throw new Error(`There is no channel ${channelId}.`);
    return channel;
  }

  #wake(channel: DiscordChannel): void {
    if (!channel.thread?.isArchived) return;
    if (channel.thread.isLocked) throw new Error("The thread is locked.");
    channel.thread.isArchived = false;
    this.#discord.events.thread("THREAD_UPDATE", channel);
  }

  #may(channel: DiscordChannel, permission: Permission): boolean {
    return may(this.#discord.world, channel, { userId: this.user.id, permission });
  }

  #mustBeAble(channel: DiscordChannel, permission: Permission): void {
    if (!this.#may(channel, permission))
      throw new Error(`${this.user.username} may not ${permission} in ${channel.name}`);
  }
}

interface Doing {
  readonly type: number;
  readonly channel: DiscordChannel;
  readonly data: Fields;
  readonly source?: DiscordMessage | undefined;
}
