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
import type { Delivery } from "./deliveries.ts";
import type { Human, Seen } from "./human.ts";
import type { SlackServer } from "./server.ts";
import type { SlackChannel, SlackMessage, UserKind } from "./world.ts";

/** Where a thread is on Slack. */
export interface SlackPlace {
  readonly team: string;
  readonly channel: string;
  readonly root: string;
}

interface AdapterNames {
  encode(place: SlackPlace): ThreadId;
  decode(thread: string): SlackPlace;
  /** The emoji of a sign at a message. */
  readonly signs: Readonly<Record<string, string>>;
  /** The adapter's command, for example "/deckhand". */
  readonly command: string;
  /** Where the thread of a command comes from: Slack's commands know no threads, its shortcuts do. */
  readonly commandBy: "slash" | "shortcut";
}

const SHOW_SOMETHING = ["chat.postMessage", "chat.startStream", "files.completeUploadExternal"];

/** The people of the adapter contract, on the double. Nothing here goes through the adapter. */
export class SlackContractPeople implements People {
  readonly faults: Faults;
  readonly #slack: SlackServer;
  readonly #names: AdapterNames;
  readonly #humans = new Map<string, Human>();
  readonly #channel: SlackChannel;
  readonly #deeds = new Map<string, readonly Delivery[]>();

  constructor(slack: SlackServer, names: AdapterNames) {
    this.#slack = slack;
    this.#names = names;
    this.#channel = slack.channel();
    this.faults = {
      loseNextAnswer: () => slack.faults.loseNextAnswer(...SHOW_SOMETHING),
      refuseNext: (retryAfterMs) => slack.faults.refuseNext(retryAfterMs),
      disconnect: async () => slack.disconnect(),
      reconnect: async () => slack.reconnect(),
      deletePost: async (thread, post) => {
        this.#anybody().deletes(this.#message(thread, post));
      },
    };
  }

  /** Below the line that says that somebody has joined: nobody has said anything in it. */
  async newThread(kind: "channel" | "direct" = "channel"): Promise<ThreadId> {
    const { world, app } = this.#slack;
    const user = this.#anybody().user.id;
    const isDirect = kind === "direct";
    const channel = isDirect ? world.directMessage(app.user.id, user) : this.#channel;
    const ts = world.clock.nextTs();
    world.messages(channel.id).push({
      ts,
      channel: channel.id,
      user,
      subtype: "channel_join",
      text: `<@${user}> has joined the channel`,
      blocks: [],
      files: [],
      reactions: new Map(),
      unfurls: {},
      parsesNames: false,
    });
    return this.#names.encode({ team: world.team.id, channel: channel.id, root: ts });
  }

  person({ kind = "member", isOutside = false }: Parameters<People["person"]>[0] = {}): Person {
    const self = this.#slack.app.user;
    const bot = kind === "bot" ? { botId: `B${self.botId}`, appId: "A0OTHER" } : {};
    const name = `person-${this.#humans.size + 1}`;
    const other = { kind: userKind(kind), name, realName: name, ...bot };
    const human = this.#slack.human(kind === "self" ? self : other);
    this.#humans.set(human.user.id, human);
    if (!isOutside) this.#channel.members.add(human.user.id);
    return { id: human.user.id, name: human.user.name, kind };
  }

  async say(
    person: Person,
    thread: ThreadId,
    text: string,
    options: SayOptions = {},
  ): Promise<Said> {
    const { channel, root } = this.#place(thread);
    const { mention = true, files = [], quoting } = options;
    const { message, deliveries } = this.#human(person).says(channel, text, {
      thread: root,
      mention,
      files,
      ...(quoting !== undefined && { quoting }),
    });
    return this.#deed(message.ts, deliveries);
  }

  async edit(person: Person, thread: ThreadId, messageId: string, text: string): Promise<Said> {
    return this.#deed("", this.#human(person).edits(this.#message(thread, messageId), text));
  }

  async remove(person: Person, thread: ThreadId, messageId: string): Promise<Said> {
    return this.#deed("", this.#human(person).deletes(this.#message(thread, messageId)));
  }

  async click(
    person: Person,
    thread: ThreadId,
    button: { post: string; action: string; typed?: string },
  ): Promise<Said> {
    const human = this.#human(person);
    const { channel, root } = this.#place(thread);
    const seen = onScreen(human, channel, root).find(({ message }) => message.ts === button.post);
    if (!seen) throw new Error(`${person.name} sees no message ${button.post}`);
    const clicking = human.clicks(seen.message, button.action);
    if (button.typed === undefined) return this.#deed("", [await clicking]);
    await clicking;
    await until(() => human.window !== undefined, "a window");
    const [input] = inputsOf(human);
    return this.#deed("", [await human.submits({ [input ?? ""]: button.typed })]);
  }

  async command(person: Person, thread: ThreadId, text: string): Promise<Said> {
    const { channel, root } = this.#place(thread);
    const human = this.#human(person);
    const { command, commandBy } = this.#names;
    if (commandBy === "slash") return this.#deed("", [await human.runs(channel, command, text)]);
    return this.#deed("", [await human.shortcut(text, this.#message(thread, root))]);
  }

  async stop(person: Person, thread: ThreadId): Promise<Said> {
    const { channel, root } = this.#place(thread);
    this.#slack.world.sessions.set(`${channel.id}:${root}`, { status: "processing", title: "" });
    return this.#deed("", this.#human(person).stops(channel, root));
  }

  async archive(person: Person, thread: ThreadId): Promise<Said> {
    return this.#deed("", this.#human(person).archives(this.#place(thread).channel));
  }

  async redeliver({ event }: Said): Promise<void> {
    for (const delivery of this.#deeds.get(event) ?? [])
      await this.#slack.deliveries.again(delivery);
  }

  async isAcknowledged({ event }: Said): Promise<boolean> {
    return (this.#deeds.get(event) ?? []).every((delivery) => delivery.isAcknowledged);
  }

  async visible(thread: ThreadId, person?: Person): Promise<VisiblePost[]> {
    return this.#seen(thread, person)
      .filter(({ isWhisper }) => !isWhisper)
      .map(postOf);
  }

  async whispers(thread: ThreadId, person: Person): Promise<VisiblePost[]> {
    return this.#seen(thread, person)
      .filter(({ isWhisper }) => isWhisper)
      .map(postOf);
  }

  async marks(thread: ThreadId, messageId: string): Promise<string[]> {
    const { reactions } = this.#message(thread, messageId);
    const bot = this.#slack.app.user.id;
    const names = [...reactions].filter(([, users]) => users.has(bot)).map(([name]) => name);
    const signs = Object.entries(this.#names.signs);
    return names.map((name) => signs.find(([, emoji]) => emoji === name)?.[0] ?? name);
  }

  async alarms(thread: ThreadId): Promise<string[]> {
    return this.#seen(thread).flatMap(({ alarms }) => alarms);
  }

  /** The bot's own messages in a thread. */
  #seen(thread: ThreadId, person?: Person): Seen[] {
    const human = person ? this.#human(person) : this.#anybody();
    const { channel, root } = this.#place(thread);
    const bot = this.#slack.app.user.id;
    return onScreen(human, channel, root).filter(({ message }) => message.user === bot);
  }

  #place(thread: ThreadId): { channel: SlackChannel; root: string } {
    const place = this.#names.decode(thread);
    const channel = this.#slack.world.channels.get(place.channel);
    if (!channel) throw new Error(`Slack has no channel ${place.channel}.`);
    return { channel, root: place.root };
  }

  #message(thread: ThreadId, ts: string): SlackMessage {
    const message = this.#slack.world.find(this.#place(thread).channel.id, ts);
    if (!message) throw new Error(`There is no message ${ts}.`);
    return message;
  }

  #human({ id }: Person): Human {
    return this.#humans.get(id) ?? this.#slack.human({ id });
  }

  /** Whoever came last. */
  #anybody(): Human {
    const members = [...this.#humans.values()].filter(
      ({ user }) => this.#channel.members.has(user.id) && user.kind !== "bot",
    );
    return members.at(-1) ?? this.#human(this.person());
  }

  #deed(messageId: string, deliveries: readonly Delivery[]): Said {
    const event = `deed-${this.#deeds.size}`;
    this.#deeds.set(event, deliveries);
    return { event, messageId };
  }
}

function userKind(kind: Person["kind"]): UserKind {
  if (kind === "self") return "bot";
  return kind === "owner" ? "admin" : kind;
}

/** A thread, and beside it what was whispered in its channel. */
function onScreen(human: Human, channel: SlackChannel, root: string): Seen[] {
  const beside = human.sees(channel).filter(({ isWhisper }) => isWhisper);
  return [...human.sees(channel, root), ...beside];
}

function inputsOf({ window }: Human): string[] {
  const blocks = (window?.content.blocks ?? []) as { type: string; block_id: string }[];
  return blocks.filter(({ type }) => type === "input").map(({ block_id }) => block_id);
}

/** Whether a click opens a window is known to nobody before it. */
function postOf({ message, text, buttons, files }: Seen): VisiblePost {
  return {
    post: message.ts,
    text,
    buttons: buttons.map(({ value, label }) => ({ action: value, label, asksText: false })),
    files: files.map(({ name, bytes }) => ({ name, bytes })),
  };
}
