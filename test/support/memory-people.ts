import type { Actor, Presence } from "../../src/contract/platform/actor.ts";
import type { EarlierMessage } from "../../src/contract/platform/adapter.ts";
import { Incoming, type ThreadId } from "../../src/contract/platform/incoming.ts";
import type {
  Faults,
  People,
  Person,
  Said,
  SayOptions,
  VisiblePost,
} from "../contracts/adapter/rig.ts";
import type { MemoryPlatform } from "./memory-platform.ts";

interface Message extends EarlierMessage {
  readonly id: string;
}

type Deed = { readonly messageId?: string; readonly incoming: Incoming };
/** What is particular to an event; the rest is the same for all that a person does in a thread. */
type Particulars = { readonly type: Incoming["type"]; readonly [field: string]: unknown };

/** The people of a MemoryPlatform. What they do reaches the adapter once it listens, and again until it is kept. */
export class MemoryPeople implements People {
  readonly attachments = new Map<string, Uint8Array>();
  readonly faults: Faults;
  /** True: it was kept. */
  deliver: (incoming: Incoming) => Promise<boolean> = async () => false;
  /** The adapter has its connection again. */
  reconnected: () => void = () => undefined;
  readonly #platform: MemoryPlatform;
  readonly #persons = new Map<string, Person & { readonly isOutside: boolean }>();
  readonly #messages = new Map<ThreadId, Message[]>();
  readonly #marks = new Map<string, Set<string>>();
  readonly #events = new Map<string, Incoming>();
  readonly #acknowledged = new Set<string>();
  #undelivered: string[] = [];
  #underWay = 0;

  constructor(platform: MemoryPlatform) {
    this.#platform = platform;
    this.faults = {
      loseNextAnswer: () => platform.loseNextAnswer(),
      refuseNext: (retryAfterMs) => platform.refuseNext(retryAfterMs),
      disconnect: async () => {
        platform.isConnected = false;
      },
      reconnect: async () => {
        platform.isConnected = true;
        this.reconnected();
        await this.catchUp();
      },
      deletePost: async (thread, post) => platform.delete(thread, post),
    };
  }

  async newThread(kind: "channel" | "direct" = "channel"): Promise<ThreadId> {
    return `memory:${kind === "direct" ? "D" : "C"}1:${this.#platform.newId("thread")}`;
  }

  person({ kind = "member", isOutside = false }: Parameters<People["person"]>[0] = {}): Person {
    const id = this.#platform.newId("U");
    const person = { id, name: `Person ${id}`, kind, isOutside };
    this.#persons.set(id, person);
    return person;
  }

  async say(person: Person, thread: ThreadId, text: string, options: SayOptions = {}) {
    const { mention = true, files = [], quoting } = options;
    const messageId = this.#platform.newId("message");
    const isBot = person.kind === "bot" || person.kind === "self";
    const message = {
      id: messageId,
      author: person.name,
      isBot,
      text,
      at: new Date().toISOString(),
    };
    this.#messages.set(thread, [...(this.#messages.get(thread) ?? []), message]);
    const attachments = files.map(({ name, bytes }) => {
      const id = this.#platform.newId("file");
      this.attachments.set(id, bytes);
      return { id, name, mimeType: "application/octet-stream", bytes: bytes.length };
    });
    const isDirect = thread.startsWith("memory:D");
    const event = this.#event(person, thread, {
      type: "message",
      messageId,
      text,
      isMention: mention,
      isDirect,
      attachments,
      ...(quoting === undefined ? {} : { pointedAt: quoting }),
    });
    return this.#happen({ messageId, incoming: event });
  }

  edit(person: Person, thread: ThreadId, messageId: string, text: string): Promise<Said> {
    return this.#happen({
      incoming: this.#event(person, thread, { type: "edit", messageId, text }),
    });
  }

  remove(person: Person, thread: ThreadId, messageId: string): Promise<Said> {
    return this.#happen({ incoming: this.#event(person, thread, { type: "deletion", messageId }) });
  }

  async click(
    person: Person,
    thread: ThreadId,
    { post, action, typed }: { post: string; action: string; typed?: string },
  ): Promise<Said> {
    const seen = [
      ...(await this.visible(thread, person)),
      ...(await this.whispers(thread, person)),
    ];
    const button = seen
      .find((one) => one.post === post)
      ?.buttons.find((one) => one.action === action);
    if (!button) throw new Error(`${person.name} sees no button ${action}`);
    if (button.asksText !== (typed !== undefined)) {
      throw new Error(`${action} ${button.asksText ? "asks for" : "takes no"} text`);
    }
    const event = { type: "click", action, ...(typed === undefined ? {} : { typed }) } as const;
    return this.#happen({ incoming: this.#event(person, thread, event) });
  }

  command(person: Person, thread: ThreadId, text: string): Promise<Said> {
    return this.#happen({ incoming: this.#event(person, thread, { type: "command", text }) });
  }

  stop(person: Person, thread: ThreadId): Promise<Said> {
    return this.#happen({ incoming: this.#event(person, thread, { type: "stop" }) });
  }

  archive(person: Person, thread: ThreadId): Promise<Said> {
    return this.#happen({ incoming: this.#event(person, thread, { type: "archived" }) });
  }

  async redeliver({ event }: Said): Promise<void> {
    const incoming = this.#events.get(event);
    if (incoming) await this.#send(incoming);
  }

  /** Whether something that somebody did has not reached the bot yet. */
  get isSending(): boolean {
    return this.#underWay > 0;
  }

  async isAcknowledged({ event }: Said): Promise<boolean> {
    return this.#acknowledged.has(event);
  }

  async visible(thread: ThreadId, person?: Person): Promise<VisiblePost[]> {
    if (person && this.#persons.get(person.id)?.isOutside) return [];
    return this.#platform.posts(thread).filter(({ only }) => only === undefined);
  }

  async whispers(thread: ThreadId, { id }: Person): Promise<VisiblePost[]> {
    return this.#platform.posts(thread).filter(({ only }) => only === id);
  }

  async marks(_: ThreadId, messageId: string): Promise<string[]> {
    return [...(this.#marks.get(messageId) ?? [])];
  }

  async alarms(thread: ThreadId): Promise<string[]> {
    return this.#platform.alarms(thread);
  }

  /** What the adapter asks for. */
  presenceOf(thread: ThreadId, actorId: string): Presence | undefined {
    const person = this.#persons.get(actorId);
    if (!person || person.isOutside) return undefined;
    const channel = thread.split(":")[1] ?? "";
    return {
      actor: actorOf(person),
      place: { platform: "memory", channel, isChannelMember: true },
    };
  }

  messagesBefore(thread: ThreadId, messageId: string): EarlierMessage[] {
    const messages = this.#messages.get(thread) ?? [];
    const end = messages.findIndex(({ id }) => id === messageId);
    return messages
      .slice(0, end === -1 ? messages.length : end)
      .map(({ id: _, ...message }) => message);
  }

  /** One sign of how far we are replaces the one before. */
  setMark(messageId: string, sign: string): void {
    this.#marks.set(messageId, new Set([sign]));
  }

  /** What happened while nobody listened, in its order. */
  async catchUp(): Promise<void> {
    const waiting = this.#undelivered;
    this.#undelivered = [];
    for (const event of waiting) await this.redeliver({ event, messageId: "" });
  }

  #event(person: Person, thread: ThreadId, particulars: Particulars): Incoming {
    return Incoming.parse({
      id: this.#platform.newId("event"),
      thread,
      actor: actorOf(person),
      actorName: person.name,
      channel: thread.split(":")[1],
      isChannelMember: !this.#persons.get(person.id)?.isOutside,
      at: new Date().toISOString(),
      ...particulars,
    });
  }

  /** Does not wait for the bot: people do not, either. */
  async #happen({ messageId = "", incoming }: Deed): Promise<Said> {
    this.#events.set(incoming.id, incoming);
    void this.#send(incoming);
    return { event: incoming.id, messageId };
  }

  async #send(incoming: Incoming): Promise<void> {
    this.#underWay += 1;
    const isKept =
      this.#platform.isConnected &&
      // A bot that fails has not kept it; the platform does not mind.
      (await this.deliver(incoming).catch(() => false));
    this.#underWay -= 1;
    if (isKept) this.#acknowledged.add(incoming.id);
    else this.#undelivered.push(incoming.id);
  }
}

function actorOf({ id, kind }: Person): Actor {
  return { platform: "memory", id, kind, groups: [] };
}
