import { createHash, randomUUID } from "node:crypto";
import type { Presence } from "../../src/contract/platform/actor.ts";
import {
  DeliveryError,
  type EarlierMessage,
  type PostId,
} from "../../src/contract/platform/adapter.ts";
import type { ThreadId } from "../../src/contract/platform/incoming.ts";
import type { FileShare, View } from "../../src/contract/platform/view.ts";
import { retriedLater } from "../shared/store-outage.ts";
import type { Files } from "./files.ts";
import { spokenText, viewContent } from "./format.ts";
import type { People } from "./people.ts";
import type { Item, ItemContent, Sign } from "./protocol.ts";
import type { Threads } from "./threads.ts";
import type { TypedLines } from "./typed-lines.ts";

export const FILE_BYTES = 25 * 1024 * 1024;

interface OutboundParts {
  readonly threads: Threads;
  readonly files: Files;
  readonly people: People;
  readonly typedLines: TypedLines;
}

/** Puts what the bot has to say where the pages see it. */
export class Outbound {
  readonly #threads: Threads;
  readonly #files: Files;
  readonly #people: People;
  readonly #typedLines: TypedLines;

  constructor({ threads, files, people, typedLines }: OutboundParts) {
    this.#threads = threads;
    this.#files = files;
    this.#people = people;
    this.#typedLines = typedLines;
  }

  post(thread: ThreadId, view: View, key: string): Promise<PostId> {
    return this.#add(thread, postId(thread, key), viewContent(view));
  }

  async edit(thread: ThreadId, post: PostId, view: View): Promise<"edited" | "gone"> {
    const item = await this.#put(thread, post, (there) =>
      there?.content.kind === "view" ? viewContent(view) : undefined,
    );
    return item?.content.kind === "view" ? "edited" : "gone";
  }

  async remove(thread: ThreadId, post: PostId): Promise<void> {
    await this.#put(thread, post, (there) => there && { kind: "removed" });
  }

  async whisper(thread: ThreadId, actorId: string, view: View): Promise<void> {
    if (this.#typedLines.isAnswer(thread, actorId, view)) return;
    const id = `w${randomUUID()}`;
    await this.#put(thread, id, () => viewContent(view), { to: actorId });
  }

  /** The same key writes the same file again: a crash in between leaves no second one. */
  async upload(thread: ThreadId, file: FileShare, key: string): Promise<PostId> {
    if (file.bytes.byteLength > FILE_BYTES) {
      throw new DeliveryError("never", `The file is larger than ${FILE_BYTES} bytes.`);
    }
    const id = fileId(thread, key);
    await this.#files.write(file.bytes, id);
    const { name, mimeType, comment } = file;
    const content = { kind: "file", name, mimeType, bytes: file.bytes.byteLength } as const;
    return this.#add(thread, id, { ...content, ...(comment === undefined ? {} : { comment }) });
  }

  async mark(thread: ThreadId, messageId: string, sign: Sign): Promise<void> {
    await this.#put(thread, messageId, (there) =>
      there?.content.kind === "message" ? { ...there.content, sign } : undefined,
    );
  }

  async earlier(thread: ThreadId, before: string, limit: number): Promise<EarlierMessage[]> {
    const items = await retriedLater(this.#threads.items(thread));
    const end = items.findIndex(({ id }) => id === before);
    const spoken = items
      .slice(0, end === -1 ? items.length : end)
      .flatMap((item) => this.#asEarlier(item));
    return limit > 0 ? spoken.slice(-limit) : [];
  }

  async fetchAttachment(thread: ThreadId, id: string): Promise<Uint8Array> {
    const attachment = await retriedLater(this.#files.attachment(thread, id));
    if (attachment) return new Uint8Array(await this.#files.read(id));
    throw new DeliveryError("never", "This file is not attached to this thread.");
  }

  /** Asks the store and not the memory: whether somebody belongs to a thread must be sure. */
  async presence(thread: ThreadId, actorId: string): Promise<Presence | undefined> {
    const isThere = await retriedLater(this.#threads.exists(thread));
    return isThere ? this.#people.byId(actorId)?.presence : undefined;
  }

  /** Shown again under the same key, it is the same post with the newer contents. */
  async #add(thread: ThreadId, id: string, content: ItemContent): Promise<PostId> {
    await this.#put(thread, id, (there) =>
      there?.content.kind === "removed" ? undefined : content,
    );
    return id;
  }

  async #put(
    ...[thread, id, content, options]: Parameters<Threads["put"]>
  ): Promise<Item | undefined> {
    if (this.#threads.get(thread))
      return retriedLater(this.#threads.put(thread, id, content, options));
    throw new DeliveryError("never", `The web chat has no thread ${thread}.`);
  }

  #asEarlier({ at, to, content }: Item): EarlierMessage[] {
    if (to !== undefined) return [];
    if (content.kind === "message") {
      const { name, isBot } = this.#people.byId(content.author)?.info ?? {
        name: content.author,
        isBot: false,
      };
      return [{ author: name, isBot, text: content.text, at }];
    }
    const text = content.kind === "view" ? spokenText(content.view) : undefined;
    return text === undefined ? [] : [{ author: "deckhand", isBot: true, text, at }];
  }
}

function postId(thread: ThreadId, key: string): PostId {
  return `p${digest(thread, key)}`;
}

function fileId(thread: ThreadId, key: string): PostId {
  return `f${digest(thread, key)}`;
}

function digest(thread: ThreadId, key: string): string {
  return createHash("sha256").update(`${thread}\n${key}`).digest("hex").slice(0, 32);
}
