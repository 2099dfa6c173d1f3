import {
  type APIMessage,
  type APIMessageTopLevelComponent,
  ComponentType,
  MessageFlags,
} from "discord.js";
import type { PlatformRole, Presence } from "../../src/contract/platform/actor.ts";
import {
  DeliveryError,
  type EarlierMessage,
  type HolderIds,
  type PostId,
} from "../../src/contract/platform/adapter.ts";
import type { Attachment, ThreadId } from "../../src/contract/platform/incoming.ts";
import type { FileShare, View } from "../../src/contract/platform/view.ts";
import { BoundedMap } from "../../src/lib/bounded.ts";
import { plain } from "../../src/lib/text/write-markdown.ts";
import type { Attempt, Attempts } from "../shared/attempts.ts";
import {
  CODE,
  createMessage,
  type DiscordCalls,
  DiscordError,
  isRefusal,
} from "./connection/calls.ts";
import type { DiscordConnection } from "./connection/connection.ts";
import type { Content } from "./entry-points/answers.ts";
import type { KeptForms } from "./entry-points/kept.ts";
import { render } from "./format.ts";
import { earlier, findMarked } from "./places/history.ts";
import type { DiscordPeople } from "./places/people.ts";
import { type DiscordPlaces, placeIn } from "./places/places.ts";
import { type DiscordFiles, fileBytesAt, fileName } from "./posts/files.ts";
import { Marks, markOf, nonceOf } from "./posts/marks.ts";
import type { Whispers } from "./posts/whispers.ts";
import { discordText } from "./rendering/markdown.ts";
import { isMessageId, snowflakeIn } from "./thread.ts";

export interface OutboundParts {
  readonly connection: DiscordConnection;
  readonly calls: DiscordCalls;
  readonly attempts: Attempts;
  readonly files: DiscordFiles;
  readonly people: DiscordPeople;
  readonly places: DiscordPlaces;
  readonly kept: KeptForms;
  readonly whispers: Whispers;
}

type Sign = "seen" | "done" | "failed" | "stopped";

/**
 * The emoji of each sign.
 * @internal for tests
 */
export const SIGNS: Readonly<Record<Sign, string>> = {
  seen: "👀",
  done: "✅",
  failed: "❌",
  stopped: "🛑",
};

const MOST_SIGNS = 2_000;
const NOBODY = { parse: [] };

type Components = readonly APIMessageTopLevelComponent[];

/** Puts what the bot has to say where people see it, by the bot's own token: that one lasts. */
export class Outbound {
  readonly #parts: OutboundParts;
  /** The outcomes that stand at messages. Signs that a message was seen stay. */
  readonly #marks = new Marks();
  readonly #outcomes = new BoundedMap<string, Sign>(MOST_SIGNS);

  constructor(parts: OutboundParts) {
    this.#parts = parts;
  }

  async post(thread: ThreadId, view: View, key: string): Promise<PostId> {
    placeIn(thread);
    const { attempts, kept } = this.#parts;
    await kept.keep(view);
    const attempt = await attempts.begin(thread, key);
    const known = attempt.post ?? (await this.#found(thread, attempt));
    if (known !== undefined) {
      this.#marks.posted(attempt, known);
      if ((await this.edit(thread, known, view)) === "edited") return known;
      delete attempt.post;
      attempt.deletions += 1;
    }
    const components = render(view, { thread, mark: markOf(attempt) });
    return this.#send(thread, attempt, { components });
  }

  async edit(thread: ThreadId, post: PostId, view: View): Promise<"edited" | "gone"> {
    const { channel } = placeIn(thread);
    await this.#parts.kept.keep(view);
    const components = render(view, { thread, mark: this.#marks.of(post) });
    try {
      await this.#changing(channel, () => this.#patch(channel, post, components));
      return "edited";
    } catch (error) {
      if (isRefusal(error, CODE.unknownMessage)) return "gone";
      throw error;
    }
  }

  async remove(thread: ThreadId, post: PostId): Promise<void> {
    const { channel } = placeIn(thread);
    const route = `/channels/${channel}/messages/${post}` as const;
    try {
      await this.#changing(channel, () => this.#parts.calls.call("delete", route));
    } catch (error) {
      if (!isRefusal(error, CODE.unknownMessage, CODE.unknownChannel)) throw error;
    }
  }

  async whisper(thread: ThreadId, actorId: string, view: View, about?: string): Promise<void> {
    placeIn(thread);
    const { kept, whispers } = this.#parts;
    await kept.keepWhisper(thread, view);
    const components = render(view, { thread, isWhisper: true });
    await whispers.say({ thread, person: actorId, about }, { components });
  }

  async whisperFile(
    thread: ThreadId,
    actorId: string,
    file: FileShare,
    about?: string,
  ): Promise<void> {
    this.#assertFits(thread, file);
    await this.#parts.whispers.say({ thread, person: actorId, about }, fileContent(file));
  }

  async upload(thread: ThreadId, file: FileShare, key: string): Promise<PostId> {
    this.#assertFits(thread, file);
    const { attempts } = this.#parts;
    const attempt = await attempts.begin(thread, `file\n${key}`);
    const known = attempt.post ?? (await this.#found(thread, attempt));
    if (known !== undefined) {
      this.#marks.posted(attempt, known);
      return known;
    }
    return this.#send(thread, attempt, fileContent(file, markOf(attempt)));
  }

  #assertFits(thread: ThreadId, { bytes }: FileShare): void {
    const most = this.fileBytes(thread);
    if (bytes.length > most)
      throw new DeliveryError(
        "never",
        `The file is too large: Discord accepts at most ${most} bytes here.`,
      );
  }

  /** By the level of the thread's server. */
  fileBytes(thread: ThreadId): number {
    const place = placeIn(thread);
    const guild = this.#parts.connection.client.guilds.cache.get(place.guild);
    return fileBytesAt(guild?.premiumTier ?? 0);
  }

  fetchAttachment(thread: ThreadId, { id }: Attachment): Promise<Uint8Array> {
    placeIn(thread);
    return this.#parts.files.fetch(id);
  }

  async earlier(thread: ThreadId, before: string, limit: number): Promise<EarlierMessage[]> {
    return earlier(this.#parts, placeIn(thread), { before: snowflakeIn(before), limit });
  }

  async mark(thread: ThreadId, messageId: string, sign: Sign): Promise<void> {
    // A command or a window is no message: there is nothing to react to.
    if (!isMessageId(messageId)) return;
    const channel = this.#parts.places.channelOf(thread, messageId);
    const before = this.#outcomes.get(messageId);
    await this.#react("put", channel, messageId, sign);
    if (before !== undefined && before !== sign)
      await this.#react("delete", channel, messageId, before);
    if (sign === "seen") this.#outcomes.delete(messageId);
    else this.#outcomes.set(messageId, sign);
  }

  presence(thread: ThreadId, actorId: string): Promise<Presence | undefined> {
    return this.#parts.people.presence(placeIn(thread), actorId);
  }

  holders(thread: ThreadId, role: PlatformRole): Promise<HolderIds | undefined> {
    return this.#parts.people.holders(placeIn(thread), role);
  }

  async link(thread: ThreadId, post?: PostId): Promise<string | undefined> {
    const { guild, channel } = placeIn(thread);
    return `https://discord.com/channels/${guild}/${channel}${post ? `/${post}` : ""}`;
  }

  async #send(thread: ThreadId, attempt: Attempt, content: Content): Promise<PostId> {
    const channel = await this.#parts.places.opened(thread);
    try {
      const { id } = await this.#create(channel, attempt, content);
      // What Discord has found by its nonce may show something older.
      if (attempt.isInDoubt && !content.files) await this.#patch(channel, id, content.components);
      this.#marks.posted(attempt, id);
      return id;
    } catch (error) {
      attempt.isInDoubt ||= error instanceof DiscordError && error.isInDoubt;
      throw error;
    }
  }

  async #create(channel: string, attempt: Attempt, content: Content): Promise<APIMessage> {
    const { components, files } = content;
    const message = { body: v2(components), nonce: nonceOf(attempt), ...(files ? { files } : {}) };
    try {
      return await createMessage(this.#parts.calls, channel, message);
    } catch (error) {
      if (!isRefusal(error, CODE.unknownMessage) || attempt.deletions > 3) throw error;
      // The nonce is that of a message which somebody has deleted.
      attempt.deletions += 1;
      return this.#create(channel, attempt, content);
    }
  }

  async #patch(channel: string, post: PostId, components: Components): Promise<void> {
    const body = { ...v2(components), allowed_mentions: NOBODY };
    await this.#parts.calls.call("patch", `/channels/${channel}/messages/${post}`, { body });
  }

  /** In a thread that was put away nothing can be changed. */
  async #changing(channel: string, change: () => Promise<unknown>): Promise<void> {
    try {
      await change();
    } catch (error) {
      if (!isRefusal(error, CODE.archived)) throw error;
      await this.#parts.places.wake(channel);
      await change();
    }
  }

  /** Where a message whose answer was lost stands, if it does. */
  async #found(thread: ThreadId, attempt: Attempt): Promise<PostId | undefined> {
    if (!attempt.isInDoubt) return undefined;
    const { calls, connection } = this.#parts;
    return findMarked({ calls, self: connection.self }, placeIn(thread).channel, attempt);
  }

  async #react(method: "put" | "delete", channel: string, message: string, sign: Sign) {
    const emoji = encodeURIComponent(SIGNS[sign]);
    const route = `/channels/${channel}/messages/${message}/reactions/${emoji}/@me` as const;
    try {
      await this.#parts.calls.call(method, route);
    } catch (error) {
      // People delete messages, and what was put away stays as it is.
      const { unknownMessage, unknownChannel, archived } = CODE;
      if (!isRefusal(error, unknownMessage, unknownChannel, archived, UNKNOWN_EMOJI)) throw error;
    }
  }
}

const UNKNOWN_EMOJI = 10_014;
const COMMENT_CHARS = 1_500;
const SHOWN_COMMENT_CHARS = 3_500;

function fileContent({ name, comment, bytes, mimeType }: FileShare, mark?: number): Content {
  const plainName = fileName(name);
  const said = plain((comment ?? "").slice(0, COMMENT_CHARS).toWellFormed());
  const words = discordText(said, { mostChars: SHOWN_COMMENT_CHARS });
  return {
    components: [
      ...(words.trim() === ""
        ? []
        : [{ type: ComponentType.TextDisplay as const, content: words }]),
      {
        type: ComponentType.File,
        ...(mark === undefined ? {} : { id: mark }),
        file: { url: `attachment://${plainName}` },
      },
    ],
    files: [{ data: bytes, name: plainName, contentType: mimeType }],
  };
}

function v2(components: Components) {
  return { components, flags: MessageFlags.IsComponentsV2 };
}
