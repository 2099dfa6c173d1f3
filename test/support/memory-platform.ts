import type { AdapterLimits, PostId } from "../../src/contract/platform/adapter.ts";
import { DeliveryError } from "../../src/contract/platform/adapter.ts";
import type { ThreadId } from "../../src/contract/platform/incoming.ts";
import type { View, ViewButton } from "../../src/contract/platform/view.ts";
import type { VisiblePost } from "../contracts/adapter/rig.ts";

/** One message of the bot, as the platform keeps it. */
export interface KeptPost extends VisiblePost {
  readonly key: string;
  readonly view: View | undefined;
  /** The one person who sees it; everybody where it is absent. */
  readonly only?: string;
}

type Draft = Omit<KeptPost, "post">;

/** What was done to the platform, in order: for tests that count. */
export interface Deed {
  readonly what: "post" | "edit" | "remove" | "upload" | "whisper";
  readonly thread: ThreadId;
  readonly post: PostId;
  readonly text: string;
  readonly atMs: number;
}

/**
 * A chat platform in memory, as strict as real ones: it refuses what is too long, forgets nothing, and acts on everything
 * in a message that looks like a mention or a link.
 */
export class MemoryPlatform {
  readonly limits: AdapterLimits;
  readonly deeds: Deed[] = [];
  readonly #threads = new Map<ThreadId, KeptPost[]>();
  #numbers = 0;
  #lost = 0;
  #refusals: number[] = [];
  isConnected = true;

  constructor(limits: Partial<AdapterLimits> = {}) {
    this.limits = {
      replyChars: 4_000,
      cardChars: 3_000,
      editEveryMs: 0,
      fileBytes: 1_000_000,
      ...limits,
    };
  }

  posts(thread: ThreadId): KeptPost[] {
    const known = this.#threads.get(thread) ?? [];
    this.#threads.set(thread, known);
    return known;
  }

  /** As platforms with a nonce do it: a key that is known gives the message that it made. */
  add(thread: ThreadId, draft: Draft, what: Deed["what"]): PostId {
    this.#answer(draft.text);
    const known = this.posts(thread).find(({ key }) => key === draft.key);
    const post = known?.post ?? this.newId("post");
    if (!known) {
      this.posts(thread).push({ ...draft, post });
      this.#note(what, thread, post, draft.text);
    }
    this.#giveAnswer();
    return post;
  }

  /** False: there is no such message. */
  change(thread: ThreadId, post: PostId, draft: Draft): boolean {
    this.#answer(draft.text);
    const posts = this.posts(thread);
    const at = posts.findIndex((one) => one.post === post);
    const known = posts[at];
    if (!known) return false;
    posts[at] = { ...draft, post, key: known.key };
    this.#note("edit", thread, post, draft.text);
    return true;
  }

  drop(thread: ThreadId, post: PostId): void {
    this.#answer("");
    this.delete(thread, post);
    this.#note("remove", thread, post, "");
  }

  /** By a human's hand. */
  delete(thread: ThreadId, post: PostId): void {
    const kept = this.posts(thread).filter((one) => one.post !== post);
    this.#threads.set(thread, kept);
  }

  loseNextAnswer(): void {
    this.#lost += 1;
  }

  refuseNext(retryAfterMs: number): void {
    this.#refusals.push(retryAfterMs);
  }

  newId(what: string): string {
    this.#numbers += 1;
    return `${what}-${this.#numbers}`;
  }

  /** Everything that a careless message would have set off. */
  alarms(thread: ThreadId): string[] {
    return this.posts(thread).flatMap(({ text }) => {
      const words = text.replace(/```[\s\S]*?```|`[^`\n]+`/g, " ");
      const called = text.match(/@(?:everyone|here|channel)|<[!@#][^>]*>/gi) ?? [];
      const fetched = words.match(/[a-z][a-z0-9+.-]*:\/\/\S+|\]\([^)]+\)/gi) ?? [];
      const hidden = text.match(/[\u200b\u202e\u2066-\u2069\ufeff]|(?![\n\t])\p{Cc}/gu) ?? [];
      return [...called, ...fetched, ...hidden];
    });
  }

  #answer(text: string): void {
    if (!this.isConnected) throw new DeliveryError("later", "The platform cannot be reached.");
    const retryAfterMs = this.#refusals.shift();
    if (retryAfterMs !== undefined) {
      throw new DeliveryError("later", "Too many requests.", { retryAfterMs });
    }
    // Escaping makes texts longer; platforms have more room than an adapter promises.
    const most = 2 * Math.max(this.limits.replyChars, this.limits.cardChars);
    if (text.length > most) {
      throw new DeliveryError("never", `The message has ${text.length} characters of ${most}.`);
    }
  }

  #giveAnswer(): void {
    if (this.#lost === 0) return;
    this.#lost -= 1;
    throw new DeliveryError("later", "The connection broke before the answer came.");
  }

  #note(what: Deed["what"], thread: ThreadId, post: PostId, text: string): void {
    this.deeds.push({ what, thread, post, text, atMs: performance.now() });
  }
}

/** What a view's message offers to click. */
export function buttonsOf(view: View): VisiblePost["buttons"] {
  const buttons = clickable(view);
  return buttons.map(({ action, label, form }) => ({
    action,
    label,
    asksText: form !== undefined,
  }));
}

function clickable(view: View): readonly ViewButton[] {
  if (view.kind === "picker") return view.options;
  return "buttons" in view ? (view.buttons ?? []) : [];
}
