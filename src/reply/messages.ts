import { createHash } from "node:crypto";
import { type Adapter, DeliveryError, type PostId } from "../contract/platform/adapter.ts";
import type { ThreadId } from "../contract/platform/incoming.ts";
import type { Journal } from "../journal/journal.ts";
import type { Line } from "../journal/lines.ts";
import { postedViews } from "../journal/posted-views.ts";
import type { Part } from "./parts.ts";

/** A message of ours, as far as we know it. */
interface KnownPost {
  readonly post: PostId;
  readonly copy: number;
  isRecorded: boolean;
  /** Digest of what it shows; undefined when we cannot know. */
  shows: string | undefined;
}

type KnownPosts = Map<string, KnownPost>;

interface UnconfirmedPost {
  readonly part: Part;
  readonly copy: number;
}

export interface MessageParts {
  readonly thread: ThreadId;
  readonly adapter: () => Adapter;
  readonly journal: Pick<Journal, "fold" | "append">;
  /** The fence of the lease that is held, where there can be another replica. */
  readonly fence: (() => number | undefined) | undefined;
}

/** The messages of one thread: which slot's parts stand where, and how to bring them to what they shall show. */
export class Messages {
  readonly #parts: MessageParts;
  readonly #slots = new Map<string, KnownPosts>();
  readonly #sentAtMs = new Map<string, number>();
  /** How many messages of a part were taken back or deleted, where it has none now. */
  readonly #lost = new Map<string, number>();
  /** Posts whose response was lost, by slot and part: the message may be there. */
  readonly #unconfirmed = new Map<string, Map<string, UnconfirmedPost>>();

  constructor(parts: MessageParts) {
    this.#parts = parts;
  }

  /** Takes over what was posted by whichever process, unless we know better. */
  async load(): Promise<void> {
    const { journal, thread } = this.#parts;
    const posted = await journal.fold(thread, postedViews);
    for (const { slot, part, post, copy } of posted.values()) {
      if (post === undefined) {
        this.#lost.set(nameOf(slot, part), copy);
        continue;
      }
      const posts = this.#posts(slot);
      const known = posts.get(part);
      if (known && known.copy >= copy) continue;
      posts.set(part, { post, copy, isRecorded: true, shows: undefined });
    }
  }

  /** The slots that have messages. */
  slots(): string[] {
    return [...this.#slots].filter(([, posts]) => posts.size > 0).map(([slot]) => slot);
  }

  /** From here on nobody knows what they show. */
  doubt(): void {
    for (const posts of this.#slots.values()) {
      for (const post of posts.values()) post.shows = undefined;
    }
  }

  /** When something of the slot last went out; undefined if nothing has, since we began. */
  sentAtMs(slot: string): number | undefined {
    return this.#sentAtMs.get(slot);
  }

  hasAny(slot: string): boolean {
    return this.#posts(slot).size > 0;
  }

  hasAll(slot: string, parts: readonly Part[]): boolean {
    return parts.every(({ name }) => this.#posts(slot).has(name));
  }

  /**
   * Posts and edits until the slot shows these parts, and takes back others once it is settled: an answer that is written
   * anew after a restart grows into the messages that it had. Can be repeated after any failure.
   */
  async bring(slot: string, parts: readonly Part[], isSettled: boolean): Promise<void> {
    for (const part of parts) await this.#bringPart(slot, part, isSettled);
    if (!isSettled) return;
    const names = new Set(parts.map(({ name }) => name));
    for (const [name, { part, copy }] of this.#unconfirmed.get(slot) ?? []) {
      // Posting under the same key again finds the message, so that it can be removed below.
      if (!names.has(name)) await this.#post(slot, part, copy);
    }
    const surplus = [...this.#posts(slot)].filter(([name]) => !names.has(name));
    for (const [name, known] of surplus) await this.#takeBack(slot, name, known);
  }

  async #bringPart(slot: string, part: Part, isSettled: boolean): Promise<void> {
    const known = this.#posts(slot).get(part.name);
    if (!known) return this.#post(slot, part, this.#lost.get(nameOf(slot, part.name)) ?? 0);
    if (!known.isRecorded) await this.#record(slot, part.name, known);
    const digest = this.#digestOf(part);
    if ("file" in part || known.shows === digest) return;
    this.#sentAtMs.set(slot, performance.now());
    const isThere = await this.#edit(known.post, part, isSettled);
    if (!isThere) return this.#post(slot, part, known.copy + 1);
    known.shows = digest;
  }

  /** False: the message is gone, or can no longer be changed although this must be seen. */
  async #edit(post: PostId, part: Extract<Part, { view: unknown }>, isSettled: boolean) {
    const { adapter, thread } = this.#parts;
    try {
      return (await adapter().edit(thread, post, part.view)) === "edited";
    } catch (error) {
      const isTooLate = error instanceof DeliveryError && error.when === "never";
      if (isTooLate && isSettled) return false;
      throw error;
    }
  }

  async #post(slot: string, part: Part, copy: number): Promise<void> {
    const { adapter, thread } = this.#parts;
    // The same for every attempt, before and after a restart; another one for each message that replaces a lost one.
    const key = [thread, slot, part.name, ...(copy === 0 ? [] : [copy])].join("/");
    this.#sentAtMs.set(slot, performance.now());
    const send = () =>
      "file" in part
        ? adapter().upload(thread, part.file, key)
        : adapter().post(thread, part.view, key);
    const post = await send().catch((error: unknown) => {
      if (mayHaveArrived(error)) this.#unconfirmedIn(slot).set(part.name, { part, copy });
      throw error;
    });
    this.#unconfirmed.get(slot)?.delete(part.name);
    const known: KnownPost = { post, copy, isRecorded: false, shows: this.#digestOf(part) };
    this.#posts(slot).set(part.name, known);
    await this.#record(slot, part.name, known);
  }

  async #record(slot: string, part: string, known: KnownPost): Promise<void> {
    const { post, copy } = known;
    await this.#write({ kind: "view.posted", data: { slot, part, post, copy } });
    known.isRecorded = true;
  }

  async #takeBack(slot: string, part: string, { post, copy }: KnownPost): Promise<void> {
    const { adapter, thread } = this.#parts;
    await adapter().remove(thread, post);
    await this.#write({ kind: "view.removed", data: { slot, part, copy: copy + 1 } });
    this.#lost.set(nameOf(slot, part), copy + 1);
    this.#posts(slot).delete(part);
  }

  /** Throws where another replica has the conversation now, and shows what there is to show. */
  #write(line: Line): Promise<void> {
    const { journal, thread, fence } = this.#parts;
    return journal.append(thread, [line], { fence: fence?.() });
  }

  #digestOf(part: Part): string {
    const { adapter, thread } = this.#parts;
    const shown =
      "file" in part
        ? part.file.name
        : (adapter().appearance?.(thread, part.view) ?? JSON.stringify(part.view));
    return createHash("sha256").update(shown).digest("base64url");
  }

  #unconfirmedIn(slot: string): Map<string, UnconfirmedPost> {
    const unconfirmed = this.#unconfirmed.get(slot) ?? new Map<string, UnconfirmedPost>();
    this.#unconfirmed.set(slot, unconfirmed);
    return unconfirmed;
  }

  #posts(slot: string): KnownPosts {
    const known = this.#slots.get(slot) ?? new Map<string, KnownPost>();
    this.#slots.set(slot, known);
    return known;
  }
}

/** A platform that rejects a post or asks to wait has not taken it. */
function mayHaveArrived(error: unknown): boolean {
  return !(
    error instanceof DeliveryError &&
    (error.when === "never" || error.retryAfterMs !== undefined)
  );
}

const nameOf = (slot: string, part: string) => JSON.stringify([slot, part]);
