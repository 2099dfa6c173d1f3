import { OperatorError } from "../../lib/operator-error.ts";
import type { PlatformRole, Presence } from "./actor.ts";
import type { Attachment, Incoming, ThreadId } from "./incoming.ts";
import type { FileShare, View } from "./view.ts";

/** What a platform can take. */
export interface AdapterLimits {
  /** Characters of one reply; longer ones are split. */
  readonly replyChars: number;
  /** Characters of one card. */
  readonly cardChars: number;
  /** The least time between two edits of one message. */
  readonly editEveryMs: number;
  /** True: a reply that is still being written grows by whole lines. */
  readonly growsByLines?: boolean;
  readonly fileBytes: number;
}

/** The platform's own name of something that was posted. */
export type PostId = string;

/** A platform that does not take it now. */
export class DeliveryError extends OperatorError {
  override readonly name = "DeliveryError";
  /** "later": try again, after `retryAfterMs`. "never": what was sent cannot be shown there, or we may not. */
  readonly when: "later" | "never";
  readonly retryAfterMs: number | undefined;

  constructor(
    when: "later" | "never",
    message: string,
    options: ErrorOptions & { readonly retryAfterMs?: number } = {},
  ) {
    super(message, options);
    this.when = when;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** What somebody wrote in a thread before we were asked. */
export interface EarlierMessage {
  readonly author: string;
  readonly isBot: boolean;
  readonly text: string;
  readonly at: string;
}

/** One platform. It translates and delivers; it decides nothing. */
export interface Adapter extends AsyncDisposable {
  readonly platform: string;
  readonly limits: AdapterLimits;
  /**
   * Begins to listen. `receive` resolves once the event is kept for good: only then is the platform told that it has
   * arrived. A refusal is said to its doer alone.
   *
   * `onReconnected` is called each time the connection is there again after it was lost, and not for the first one: what
   * goes on is then shown anew, since edits may have been lost and messages deleted meanwhile.
   */
  start(
    receive: (incoming: Incoming) => Promise<Receipt>,
    onReconnected?: () => void,
  ): Promise<void>;
  /** Whether events arrive now. Absent: nothing can come in between. */
  isConnected?(): boolean;
  /**
   * Shows something new. `key` is ours and unique: where the answer to an earlier attempt with the same key was lost, what
   * it posted is found again and not posted twice. It shows this view then, even if the earlier attempt had another.
   */
  post(thread: ThreadId, view: View, key: string): Promise<PostId>;
  /** "gone": somebody has deleted it. */
  edit(thread: ThreadId, post: PostId, view: View): Promise<"edited" | "gone">;
  /** The same for two views that look the same here, so that no edit is made between them. Absent: all views differ. */
  appearance?(thread: ThreadId, view: View): string;
  remove(thread: ThreadId, post: PostId): Promise<void>;
  /** For one person alone. `about` is the `id` of the event that it answers: it stands there, and nowhere else. */
  whisper(thread: ThreadId, actorId: string, view: View, about?: string): Promise<void>;
  /** A file for one person alone. Absent: the platform shows files to everybody or not at all. */
  whisperFile?(thread: ThreadId, actorId: string, file: FileShare, about?: string): Promise<void>;
  upload(thread: ThreadId, file: FileShare, key: string): Promise<PostId>;
  fetchAttachment(thread: ThreadId, attachment: Attachment): Promise<Uint8Array>;
  /** Oldest first, at most `limit` of the newest before the given message. */
  earlier(thread: ThreadId, beforeMessage: string, limit: number): Promise<EarlierMessage[]>;
  /** A sign at the message itself. "seen" stays; the signs of an outcome replace each other. */
  mark(
    thread: ThreadId,
    messageId: string,
    sign: "seen" | "done" | "failed" | "stopped",
  ): Promise<void>;
  /** Whether this person belongs to the thread's channel now, and what they are there. Throws when it cannot know. */
  presence(thread: ThreadId, actorId: string): Promise<Presence | undefined>;
  /** Ids of the people who have a right on the platform, whether or not they are in the thread's channel. Absent: cannot be listed. */
  holders?(thread: ThreadId, role: PlatformRole): Promise<HolderIds | undefined>;
  /** The words for the people who own the team: "the owners and admins of this Slack workspace". */
  readonly ownersName?: string;
  link(thread: ThreadId, post?: PostId): Promise<string | undefined>;
}

export interface HolderIds {
  readonly ids: readonly string[];
  /** False: there may be more people than the platform lists. */
  readonly isComplete: boolean;
}

/** What became of an event. */
export type Receipt =
  | { readonly outcome: "accepted" | "known" }
  /** `reason` is for the doer's eyes; absent where silence is right. */
  | { readonly outcome: "ignored"; readonly reason?: string };
