import {
  type APIMessage,
  type GatewayMessageCreateDispatchData,
  type GatewayMessageDeleteBulkDispatchData,
  type GatewayMessageDeleteDispatchData,
  MessageFlags,
  MessageType,
} from "discord.js";
import type { Incoming, ThreadId } from "../../src/contract/platform/incoming.ts";
import { BoundedMap } from "../../src/lib/bounded.ts";
import type { Log } from "../../src/lib/log.ts";
import { CODE, type DiscordCalls, DiscordError, isRefusal } from "./connection/calls.ts";
import type { DiscordConnection } from "./connection/connection.ts";
import type { Cursor } from "./connection/cursor.ts";
import type { Receiving } from "./connection/receiving.ts";
import type { Outbound } from "./outbound.ts";
import type { Directs } from "./places/directs.ts";
import type { Explaining } from "./places/explaining.ts";
import type { DiscordPeople, DiscordPerson } from "./places/people.ts";
import type { DiscordPlaces } from "./places/places.ts";
import { attachmentsOf } from "./posts/files.ts";
import { allWords, isMentioned, pointedAtIn, type SelfMention } from "./rendering/text.ts";
import { type DiscordPlace, encodeThread, isDirect, timeOf } from "./thread.ts";

export interface InboundParts {
  readonly connection: DiscordConnection;
  readonly calls: DiscordCalls;
  readonly people: DiscordPeople;
  readonly places: DiscordPlaces;
  readonly receiving: Receiving;
  readonly outbound: Outbound;
  readonly cursor: Cursor;
  readonly directs: Directs;
  readonly explaining: Explaining;
  readonly log: Log;
}

/** A message as the gateway tells it, or as it is read later: then without its author's part in the server. */
export type HeardMessage = APIMessage &
  Partial<Pick<GatewayMessageCreateDispatchData, "member" | "guild_id">>;

/** What people write; the rest tells of joins, pins and names. */
const SPOKEN: readonly MessageType[] = [MessageType.Default, MessageType.Reply];
const MOST_HEARD = 20_000;

/** What another message says that is answered or passed on. */
type Quoted = Parameters<typeof allWords>[0] & { readonly mentions?: APIMessage["mentions"] };

interface Heard {
  readonly thread: ThreadId;
  readonly place: DiscordPlace;
  readonly person: DiscordPerson;
}

/** Understands what people say, and what becomes of it. */
export class Inbound {
  readonly #parts: InboundParts;
  /** Discord does not say whose message was deleted, nor which thread begins at it. */
  readonly #heard = new BoundedMap<string, Heard>(MOST_HEARD);

  constructor(parts: InboundParts) {
    this.#parts = parts;
  }

  async onMessage(message: HeardMessage): Promise<void> {
    const { cursor, receiving, log } = this.#parts;
    const { id, channel_id: channel } = message;
    cursor.begin(id);
    try {
      if (this.#concerns(message)) {
        const taken: { thread?: ThreadId } = {};
        const lane = this.#isThread(channel) ? channel : id;
        const receipt = await receiving.take(lane, `message:${id}`, async () => {
          const incoming = await this.#read(message);
          if (incoming) taken.thread = incoming.thread;
          return incoming;
        });
        const { thread } = taken;
        if (thread !== undefined && receipt?.outcome === "accepted")
          void this.#open(thread, message);
        if (thread !== undefined && receipt?.outcome === "ignored" && receipt.reason)
          this.#refuse(thread, message.author.id, receipt.reason);
      }
      cursor.end(id);
    } catch (error) {
      // It stays before the cursor, and is read again when the line is next lost or the bot starts anew.
      if (receiving.isClosed) return;
      log("error", "Failed to store a Discord message.", { message: id, error });
    }
  }

  async onEdit(message: HeardMessage): Promise<void> {
    const { id, channel_id: channel, author, edited_timestamp: edited } = message;
    // Discord also tells of an edit when it shows what is behind a link.
    if (!edited || !author || author.bot || !SPOKEN.includes(message.type)) return;
    const { people, connection } = this.#parts;
    const event = `edit:${id}:${Date.parse(edited)}`;
    await this.#take(channel, event, async () => {
      const place = this.#heard.get(id)?.place ?? (await this.#placeOfMessage(channel, id));
      if (!place) return undefined;
      const person = await people.doer(place, author, message.member);
      const text = this.#wordsOf(message, this.#self(message.guild_id));
      if (!connection.seesContent && text === "") return undefined;
      const at = new Date(edited).toISOString();
      return { ...common(place, person), id: event, at, type: "edit", messageId: id, text };
    });
  }

  /** Discord does not say who has deleted it. */
  async onDeletion({ id, channel_id: channel }: GatewayMessageDeleteDispatchData): Promise<void> {
    const event = `deletion:${id}`;
    await this.#take(channel, event, async () => {
      const heard = this.#heard.get(id);
      if (!heard) return undefined;
      const at = new Date().toISOString();
      const { place, person } = heard;
      return { ...common(place, person), id: event, at, type: "deletion", messageId: id };
    });
  }

  async onDeletions({ ids, ...place }: GatewayMessageDeleteBulkDispatchData): Promise<void> {
    await Promise.all(ids.map((id) => this.onDeletion({ ...place, id })));
  }

  async #take(lane: string, id: string, read: () => Promise<Incoming | undefined>) {
    try {
      await this.#parts.receiving.take(lane, id, read);
    } catch (error) {
      const { receiving, log } = this.#parts;
      if (!receiving.isClosed) log("error", "Failed to store a Discord event.", { id, error });
    }
  }

  #concerns({ author, type, webhook_id, channel_id, ...message }: HeardMessage): boolean {
    if (author.bot || webhook_id !== undefined || !SPOKEN.includes(type)) return false;
    const channel = this.#parts.connection.client.channels.cache.get(channel_id);
    // In a channel the bot listens to its name; what it does not know is looked up.
    if (!channel || channel.isThread() || channel.isDMBased()) return true;
    return isMentioned(message, this.#self(channel.guildId));
  }

  async #read(message: HeardMessage): Promise<Incoming | undefined> {
    const { connection, people, places, directs, explaining } = this.#parts;
    const { id, channel_id: channel } = message;
    const place = await places.placeOf(channel, id);
    if (!place) {
      if (isMentioned(message, this.#self(message.guild_id))) explaining.noThreads(message);
      return undefined;
    }
    const self = this.#self(isDirect(place) ? undefined : place.guild);
    const isMention = isMentioned(message, self);
    const isStarter = !isDirect(place) && place.channel === id;
    if (isStarter && !isMention && !this.#isThread(channel)) return undefined;
    if (!connection.seesContent && !isMention && !isDirect(place) && isBlank(message)) {
      explaining.noContent(encodeThread(place));
      return undefined;
    }
    if (isDirect(place)) await directs.add(channel);
    const person = await people.doer(place, message.author, message.member);
    const thread = encodeThread(place);
    this.#heard.set(id, { thread, place, person });
    const text = this.#wordsOf(message, self);
    if (isStarter && !this.#isThread(channel)) places.beginsWith(id, text);
    const pointedAt = (await this.#repliedTo(message)) ?? pointedAtIn(text);
    return {
      ...common(place, person),
      ...{ id: `message:${id}`, at: timeOf(id), type: "message", messageId: id },
      ...{ text, isMention, isDirect: isDirect(place) },
      attachments: attachmentsOf(channel, message),
      ...(pointedAt === undefined ? {} : { pointedAt }),
    };
  }

  /** Once it is kept, its thread is made; whoever wants to write there sooner makes it, too. */
  async #open(thread: ThreadId, message: HeardMessage): Promise<void> {
    const { connection, places, explaining, log } = this.#parts;
    try {
      await places.opened(thread);
      const missing = connection.lacking(message.channel_id);
      if (missing.some((one) => NEEDED_IN_THREADS.includes(one)))
        await explaining.noThread(thread, message);
    } catch (error) {
      log("warn", "Failed to create a Discord thread.", { thread, error });
      if (isRefusal(error, CODE.missingPermissions, CODE.missingAccess))
        await explaining.noThread(thread, message);
      if (isRefusal(error, CODE.tooManyThreads, CODE.tooManyAnnouncementThreads))
        await explaining.noMoreThreads(thread, message);
    }
  }

  #refuse(thread: ThreadId, person: string, text: string): void {
    const { outbound, log } = this.#parts;
    outbound.whisper(thread, person, { kind: "notice", level: "warning", text }).catch((error) => {
      log("warn", "Failed to tell a person why their message was refused.", { thread, error });
    });
  }

  async #repliedTo(message: HeardMessage): Promise<string | undefined> {
    const { message_reference: reference, referenced_message: known } = message;
    const [snapshot] = message.message_snapshots ?? [];
    const { channel_id: channel } = message;
    const named = (quoted: Quoted) =>
      this.#parts.connection.wordsOf({ ...quoted, content: allWords(quoted), channel }) ||
      undefined;
    if (snapshot) return named({ components: [], ...snapshot.message });
    if (message.type !== MessageType.Reply || known === null) return undefined;
    if (known) return named(known);
    if (!reference?.message_id) return undefined;
    const found = await this.#messageAt(reference.channel_id, reference.message_id);
    return found && named(found);
  }

  async #messageAt(channel: string, message: string): Promise<APIMessage | undefined> {
    try {
      const route = `/channels/${channel}/messages/${message}` as const;
      return (await this.#parts.calls.call("get", route)) as APIMessage;
    } catch (error) {
      if (error instanceof DiscordError && error.when === "never") return undefined;
      throw error;
    }
  }

  async #placeOfMessage(channel: string, id: string): Promise<DiscordPlace | undefined> {
    const { connection, places } = this.#parts;
    const place = await places.placeOf(channel, id);
    const isStarter = place && !isDirect(place) && place.channel === id && place.parent === channel;
    return isStarter && !connection.client.channels.cache.has(id) ? undefined : place;
  }

  #isThread(channel: string): boolean {
    const found = this.#parts.connection.client.channels.cache.get(channel);
    return !found || found.isThread() || found.isDMBased();
  }

  #wordsOf(
    { content, mentions, channel_id: channel }: HeardMessage,
    { role }: SelfMention,
  ): string {
    return this.#parts.connection.wordsOf({ content, mentions, channel, role });
  }

  #self(guild: string | undefined): SelfMention {
    const { client, self } = this.#parts.connection;
    const me = client.guilds.cache.get(guild ?? "")?.members.me;
    return { user: self, role: me?.roles.botRole?.id };
  }
}

/** What is the same in everything that somebody does. */
export function common(place: DiscordPlace, { actor, name }: DiscordPerson) {
  const channel = isDirect(place) ? place.channel : place.parent;
  return { thread: encodeThread(place), actor, actorName: name, channel, isChannelMember: true };
}

function isBlank({ content, attachments, components, flags }: HeardMessage): boolean {
  const isVoice = ((flags ?? 0) & MessageFlags.IsVoiceMessage) !== 0;
  return content === "" && !attachments?.length && !components?.length && !isVoice;
}

/** Without these a thread can be made, but not worked in. */
const NEEDED_IN_THREADS = ["Send Messages in Threads", "Read Message History"];
