import { randomUUID } from "node:crypto";
import { alarmsIn } from "./alarms.ts";
import { bare, fileOf, type GivenFile, quoted, richText } from "./compose.ts";
import { deleteMessage } from "./deletion.ts";
import type { Deliveries, Delivery } from "./deliveries.ts";
import {
  clickPayload,
  closingPayload,
  commandPayload,
  shortcutPayload,
  submissionPayload,
} from "./interactions.ts";
import { buttonsIn, readableText, type SlackButton } from "./screen.ts";
import type { SlackServices } from "./services.ts";
import type { Receipt } from "./socket-mode.ts";
import { escaped, type Fields, stringIn } from "./values.ts";
import { answerSubmission, stateOf } from "./window.ts";
import type { SlackChannel, SlackMessage, SlackUser, SlackView } from "./world.ts";

export interface Said {
  readonly message: SlackMessage;
  readonly deliveries: readonly Delivery[];
}

export interface SayOptions {
  /** The root of the thread; without it a message of its own. */
  readonly thread?: string;
  /** Calls the bot by its name. */
  readonly mention?: boolean;
  readonly files?: readonly GivenFile[];
  readonly quoting?: string;
  readonly broadcast?: boolean;
  /** The text is Slack's own markup already. */
  readonly isMarkup?: boolean;
}

/** A message on somebody's screen. */
export interface Seen {
  readonly message: SlackMessage;
  readonly text: string;
  readonly buttons: readonly SlackButton[];
  readonly files: readonly GivenFile[];
  readonly isWhisper: boolean;
  readonly alarms: readonly string[];
}

/** Somebody with a Slack client. Nothing here goes through the app. */
export class Human {
  readonly user: SlackUser;
  /** Actions after which Slack showed a warning sign, because the app did not answer in time. */
  readonly failures: string[] = [];
  readonly #slack: SlackServices;
  readonly #deliveries: Deliveries;

  constructor(slack: SlackServices, deliveries: Deliveries, user: SlackUser) {
    this.#slack = slack;
    this.#deliveries = deliveries;
    this.user = user;
  }

  says(channel: SlackChannel, text: string, options: SayOptions = {}): Said {
    const { world, app, events } = this.#slack;
    this.#mustBeIn(channel);
    const { thread, mention = false, files = [], quoting, isMarkup = false } = options;
    const subtype = options.broadcast ? "thread_broadcast" : files.length > 0 && "file_share";
    const words = isMarkup ? text : escaped(text);
    const whole = `${mention ? `<@${app.user.id}> ` : ""}${quoted(quoting)}${words}`;
    const ts = world.clock.nextTs();
    const message: SlackMessage = {
      ts,
      channel: channel.id,
      user: this.user.id,
      ...(this.user.botId && { botId: this.user.botId, appId: this.user.appId ?? "" }),
      text: whole,
      blocks: [richText(text, { bot: mention ? app.user.id : undefined, quoting })],
      files: files.map((file) => this.#file(file, { channel, ts, thread })),
      reactions: new Map(),
      unfurls: {},
      parsesNames: false,
      ...(subtype && { subtype }),
      ...(thread !== undefined && { threadTs: thread }),
    };
    world.messages(channel.id).push(message);
    return { message, deliveries: events.posted(message) };
  }

  /** Slack writes it into the channel in their name. */
  joins(channel: SlackChannel): Said {
    const { world, events } = this.#slack;
    channel.members.add(this.user.id);
    const said = { user: this.user.id, text: "has joined the channel", subtype: "channel_join" };
    const message = { ...said, channel: channel.id, ts: world.clock.nextTs(), ...bare() };
    world.messages(channel.id).push(message);
    return { message, deliveries: events.posted(message) };
  }

  edits(message: SlackMessage, text: string): Delivery[] {
    const before = this.#slack.events.wire(message);
    message.text = escaped(text);
    message.blocks = [richText(text, {})];
    message.edited = { user: this.user.id, ts: this.#slack.world.clock.nextTs() };
    return this.#slack.events.changed(message, before);
  }

  deletes(message: SlackMessage): Delivery[] {
    return deleteMessage(this.#slack, message);
  }

  reacts(message: SlackMessage, name: string): Delivery[] {
    const users = message.reactions.get(name) ?? new Set<string>();
    message.reactions.set(name, users.add(this.user.id));
    const item = { type: "message", channel: message.channel, ts: message.ts };
    const event = { user: this.user.id, reaction: name, item, item_user: message.user };
    const channel = this.#slack.world.channels.get(message.channel);
    return this.#slack.events.happened("reaction_added", event, channel);
  }

  /** Clicks what they see; where a list is offered, this option of it. */
  async clicks(message: SlackMessage, value: string): Promise<Delivery> {
    const channel = this.#slack.world.channels.get(message.channel);
    const seen =
      channel && this.sees(channel, message.threadTs).find((one) => one.message === message);
    const button = seen?.buttons.find((one) => one.value === value);
    if (!button) throw new Error(`${this.user.name} sees no button ${value}`);
    const payload = clickPayload(this.#slack, this.user, button, { message });
    return (await this.#act("interactive", payload)).delivery;
  }

  /** The topmost window in front of them. */
  get window(): SlackView | undefined {
    return this.#slack.world.windows.get(this.user.id)?.at(-1);
  }

  /** Fills in the topmost window, by the ids of its fields or blocks, and sends it. */
  async submits(typed: Readonly<Record<string, string>>): Promise<Delivery> {
    const { window } = this;
    if (!window) throw new Error(`${this.user.name} has no window open`);
    const payload = submissionPayload(this.#slack, this.user, window, stateOf(window, typed));
    const { delivery, receipt } = await this.#act("interactive", payload);
    if (receipt.isAcknowledged) answerSubmission(this.#slack, window, receipt.response);
    return delivery;
  }

  async closes(): Promise<void> {
    const { window } = this;
    if (!window) throw new Error(`${this.user.name} has no window open`);
    const stack = this.#slack.world.windows.get(this.user.id) ?? [];
    this.#slack.world.windows.set(this.user.id, stack.slice(0, -1));
    if (window.content.notify_on_close === true)
      await this.#act("interactive", closingPayload(this.#slack, this.user, window));
  }

  /** A slash command. In threads Slack has none of apps. */
  async runs(channel: SlackChannel, command: string, text = ""): Promise<Delivery> {
    this.#mustBeIn(channel);
    if (!this.#slack.app.commands.has(command)) throw new Error(`Slack knows no ${command}.`);
    const payload = commandPayload(this.#slack, this.user, channel, { command, text });
    const { delivery, receipt } = await this.#act("slash_commands", payload);
    const answer = receipt.isAcknowledged ? stringIn(receipt.response.text) : "";
    if (answer !== "") this.#whisperOf(channel, answer);
    return delivery;
  }

  async shortcut(id: string, message?: SlackMessage): Promise<Delivery> {
    const type = message ? "message" : "global";
    if (!this.#slack.app.shortcuts.some((one) => one.id === id && one.type === type))
      throw new Error(`There is no ${type} shortcut ${id}.`);
    const payload = shortcutPayload(this.#slack, this.user, id, message);
    return (await this.#act("interactive", payload)).delivery;
  }

  opensHome(tab: "home" | "messages" = "home"): Delivery[] {
    const { world, app, events } = this.#slack;
    const channel = world.directMessage(this.user.id, app.user.id);
    const event = { user: this.user.id, channel: channel.id, tab };
    return events.happened("app_home_opened", event);
  }

  /** Slack's own stop button: there only while the session is processing. */
  stops(channel: SlackChannel, root: string): Delivery[] {
    const { world, events } = this.#slack;
    if (world.sessions.get(`${channel.id}:${root}`)?.status !== "processing")
      throw new Error("Slack shows no stop button here.");
    const open = world.thread(channel.id, root).filter(({ stream }) => stream === "open");
    for (const message of open) message.stream = "stopped-by-user";
    const event = { channel: channel.id, thread_ts: root, user: this.user.id };
    const streaming = open.map(({ ts }) => ts);
    return events.happened(
      "agent_session_stopped",
      { ...event, streaming_message_ts: streaming },
      channel,
    );
  }

  archives(channel: SlackChannel): Delivery[] {
    channel.isArchived = true;
    const type = channel.type === "group" ? "group_archive" : "channel_archive";
    return this.#slack.events.happened(type, { channel: channel.id, user: this.user.id }, channel);
  }

  /** What stands on their screen, in its order: a thread, or what a channel shows at its top level. */
  sees(channel: SlackChannel, thread?: string): Seen[] {
    if (!channel.members.has(this.user.id)) return [];
    return this.#slack.world
      .messages(channel.id)
      .filter(({ ts, threadTs }) =>
        thread === undefined ? threadTs === undefined : ts === thread || threadTs === thread,
      )
      .filter(({ onlyFor }) => (onlyFor ?? this.user.id) === this.user.id)
      .map((message) => ({
        message,
        text: readableText(message),
        buttons: buttonsIn(message.blocks),
        files: message.files.filter(({ isDeleted }) => !isDeleted),
        isWhisper: message.onlyFor !== undefined,
        alarms: alarmsIn(message),
      }));
  }

  async #act(
    type: "interactive" | "slash_commands",
    payload: Fields,
  ): Promise<{ delivery: Delivery; receipt: Receipt }> {
    const done = await this.#deliveries.action(randomUUID(), type, payload);
    if (!done.receipt.isAcknowledged)
      this.failures.push(`${String(payload.type ?? payload.command)}: ${done.receipt.reason}`);
    return done;
  }

  #whisperOf(channel: SlackChannel, text: string): void {
    const { world, app } = this.#slack;
    const bot = { user: app.user.id, botId: app.botId, appId: app.id, onlyFor: this.user.id };
    const message = { ...bot, ...bare(), text, ts: world.clock.nextTs(), channel: channel.id };
    world.messages(channel.id).push(message);
  }

  #file(
    given: GivenFile,
    place: { channel: SlackChannel; ts: string; thread: string | undefined },
  ) {
    const file = fileOf(given, this.user.id, place);
    this.#slack.world.files.set(file.id, file);
    return file;
  }

  #mustBeIn(channel: SlackChannel): void {
    if (!channel.members.has(this.user.id))
      throw new Error(`${this.user.name} is not in ${channel.name}`);
  }
}
