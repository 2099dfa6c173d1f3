import { z } from "zod";
import type { Presence } from "../../src/contract/platform/actor.ts";
import {
  DeliveryError,
  type EarlierMessage,
  type PostId,
} from "../../src/contract/platform/adapter.ts";
import type { ThreadId } from "../../src/contract/platform/incoming.ts";
import type { FileShare, View } from "../../src/contract/platform/view.ts";
import type { Log } from "../../src/lib/log.ts";
import type { Attempt, Attempts } from "../shared/attempts.ts";
import { isRefusal, type SlackCalls, SlackError } from "./connection/calls.ts";
import { earlier, hasReplies } from "./places/history.ts";
import type { Self, SlackPeople } from "./places/people.ts";
import type { SlackThreads } from "./places/threads.ts";
import type { Whereabouts } from "./places/whereabouts.ts";
import type { SlackFiles } from "./posts/files.ts";
import { findLost } from "./posts/lost-posts.ts";
import { keyMetadata } from "./posts/metadata.ts";
import { Plans } from "./posts/plans.ts";
import { type Sign, SlackSigns } from "./posts/signs.ts";
import type { AgentStatus } from "./posts/status.ts";
import type { StreamNotes } from "./posts/stream-notes.ts";
import type { SlackStreams } from "./posts/streams.ts";
import type { Anchor } from "./rendering/buttons.ts";
import { NO_ROOT, placeIn, type SlackPlace } from "./thread.ts";

export interface OutboundParts {
  readonly calls: SlackCalls;
  readonly attempts: Attempts;
  readonly streamNotes: StreamNotes;
  readonly streams: SlackStreams;
  readonly files: SlackFiles;
  readonly people: SlackPeople;
  readonly threads: SlackThreads;
  readonly status: AgentStatus;
  readonly whereabouts: Whereabouts;
  readonly self: () => Self;
  readonly log: Log;
}

const Posted = z.object({
  ts: z.string(),
  message: z.object({ thread_ts: z.string().optional() }).optional(),
});
/** What Slack says of channels in which we, or those who are meant, are not. */
const CLOSED = ["not_in_channel", "channel_not_found", "user_not_in_channel", "is_archived"];
/** Nobody waits for what is taken away again. */
const TIDYING_MS = 60_000;
const NO_UNFURLS = { unfurl_links: false, unfurl_media: false };

/** Puts what the bot has to say where people see it. */
export class Outbound {
  readonly #parts: OutboundParts;
  readonly #signs: SlackSigns;
  readonly #plans = new Plans();

  constructor(parts: OutboundParts) {
    this.#parts = parts;
    this.#signs = new SlackSigns(parts.calls);
  }

  async post(thread: ThreadId, view: View, key: string): Promise<PostId> {
    const place = this.#placeOf(thread);
    const attempt = await this.#parts.attempts.begin(thread, key);
    if (attempt.isInDoubt) {
      const { self } = this.#parts;
      attempt.post = await findLost({ ...this.#parts, self: self().user }, place, attempt);
      attempt.isInDoubt = false;
    }
    const known = attempt.post;
    if (known !== undefined && (await this.edit(thread, known, view)) === "edited") return known;
    const post = await this.#send(place, view, attempt);
    attempt.post = post;
    this.#parts.status.posted(place);
    this.#noteShown(thread, post, view);
    return post;
  }

  async edit(thread: ThreadId, post: PostId, view: View): Promise<"edited" | "gone"> {
    const place = this.#placeOf(thread);
    const isThere = await this.#change(place, post, view);
    if (isThere) this.#noteShown(thread, post, view);
    return isThere ? "edited" : "gone";
  }

  appearance(thread: ThreadId, view: View): string {
    // The end of a stream is a call of its own, also where no text is added.
    if (view.kind === "reply") return JSON.stringify(view);
    return JSON.stringify(this.#plans.render({ root: placeIn(thread).root }, view));
  }

  async remove(thread: ThreadId, post: PostId): Promise<void> {
    const { channel } = this.#placeOf(thread);
    try {
      await this.#parts.calls.call("chat.delete", { channel, ts: post });
    } catch (error) {
      if (!isRefusal(error, "message_not_found")) throw error;
    }
    this.#courtesy(this.#parts.threads.forgetWaiting(thread, post));
  }

  /** Where they look: in the thread, or in the channel in which they have asked about it. */
  async whisper(thread: ThreadId, actorId: string, view: View): Promise<void> {
    const place = this.#placeOf(thread);
    const outside = this.#parts.whereabouts.outside(thread, actorId);
    if (outside !== undefined && outside !== place.channel) {
      const anchor = { root: place.root, channel: place.channel };
      try {
        return await this.#whisperAt({ channel: outside, user: actorId }, view, anchor);
      } catch (error) {
        // Commands can be typed in channels that we are not in.
        if (!isRefusal(error, ...CLOSED)) throw error;
      }
    }
    const { channel, root } = place;
    // Below a message without replies Slack shows whispers to nobody: then it stands beside it.
    const isBeside = outside !== undefined || root === NO_ROOT || !(await this.#hasReplies(place));
    const where = { channel, user: actorId, ...(isBeside ? {} : { thread_ts: root }) };
    await this.#whisperAt(where, view, { root });
  }

  async #whisperAt(where: Record<string, unknown>, view: View, anchor: Anchor): Promise<void> {
    await this.#plans.show(anchor, view, ({ text, blocks }) =>
      this.#parts.calls.call("chat.postEphemeral", { ...where, text, blocks }),
    );
  }

  async upload(thread: ThreadId, file: FileShare, key: string): Promise<PostId> {
    const place = this.#placeOf(thread);
    const attempt = await this.#parts.attempts.begin(thread, `file\n${key}`);
    attempt.post ??= await this.#parts.files.upload(place, file, attempt);
    this.#parts.whereabouts.hasReplies(thread);
    return attempt.post;
  }

  fetchAttachment(thread: ThreadId, id: string): Promise<Uint8Array> {
    return this.#parts.files.fetch(this.#placeOf(thread), id);
  }

  async earlier(thread: ThreadId, before: string, limit: number): Promise<EarlierMessage[]> {
    return earlier(this.#parts, this.#placeOf(thread), { before, limit });
  }

  async mark(thread: ThreadId, messageId: string, sign: Sign): Promise<void> {
    const place = this.#placeOf(thread);
    const { status, threads } = this.#parts;
    if (sign === "seen") {
      // At once: the end of the turn before may be about to be sent.
      status.begin(place);
      const known = await threads.get(thread).catch(() => undefined);
      if (known?.title !== undefined) status.setTitle(place, known.title);
    } else status.end(place);
    await this.#signs.set(place.channel, messageId, sign);
  }

  async presence(thread: ThreadId, actorId: string): Promise<Presence | undefined> {
    return this.#parts.people.presence(this.#placeOf(thread), actorId);
  }

  async link(thread: ThreadId, post?: PostId): Promise<string | undefined> {
    const { channel, root } = this.#placeOf(thread);
    try {
      const args = { channel, message_ts: post ?? root };
      const answer = await this.#parts.calls.call("chat.getPermalink", args);
      return z.object({ permalink: z.string() }).parse(answer).permalink;
    } catch (error) {
      if (isRefusal(error, "message_not_found", "channel_not_found")) return undefined;
      throw error;
    }
  }

  #placeOf(thread: ThreadId): SlackPlace {
    const place = placeIn(thread);
    if (place.team === this.#parts.self().team) return place;
    throw new DeliveryError(
      "never",
      "This thread belongs to a Slack workspace where the bot is not installed.",
    );
  }

  /** A new message, or the beginning of one that grows. */
  async #send(place: SlackPlace, view: View, attempt: Attempt): Promise<PostId> {
    const { streams, whereabouts } = this.#parts;
    try {
      const recipient = whereabouts.lastHeard(place);
      const streamed = await streams.begin(place, view, { attempt, recipient });
      const post = streamed ?? (await this.#postMessage(place, view, attempt));
      attempt.isInDoubt = false;
      return post;
    } catch (error) {
      attempt.isInDoubt = error instanceof SlackError && error.isInDoubt;
      throw error;
    }
  }

  async #postMessage(place: SlackPlace, view: View, attempt: Attempt): Promise<PostId> {
    const { calls } = this.#parts;
    const { channel, root } = place;
    const metadata = keyMetadata(attempt.digest, view.kind);
    const where = { channel, thread_ts: root, metadata, ...NO_UNFURLS };
    const answer = await this.#plans.show({ root }, view, (content) =>
      calls.call("chat.postMessage", { ...where, ...content }),
    );
    const { ts, message } = Posted.parse(answer);
    if (message?.thread_ts === root) return ts;
    // Where the first message is gone, Slack puts replies into the channel, and says nothing.
    await calls.patiently(() => calls.call("chat.delete", { channel, ts }), TIDYING_MS);
    throw new DeliveryError("never", "The first message of this thread was deleted.");
  }

  /** False: it is gone. */
  async #change(place: SlackPlace, ts: PostId, view: View): Promise<boolean> {
    const { streams } = this.#parts;
    if (await streams.removeForLink(place, ts, view)) return false;
    if ((await streams.grow(place, ts, view)) === "grown") return true;
    try {
      await this.#update(place, ts, view);
      return true;
    } catch (error) {
      if (isRefusal(error, "message_not_found")) return false;
      if (!isRefusal(error, "streaming_state_conflict")) throw error;
      // Another process had begun to write it.
      await streams.end(place, ts);
      await this.#update(place, ts, view);
      return true;
    }
  }

  async #update(place: SlackPlace, ts: PostId, view: View): Promise<void> {
    await this.#plans.show({ root: place.root }, view, (content) =>
      this.#parts.calls.call("chat.update", { channel: place.channel, ts, ...content }),
    );
  }

  async #hasReplies(place: SlackPlace): Promise<boolean> {
    const { whereabouts, calls } = this.#parts;
    if (whereabouts.isKnownToHaveReplies(place)) return true;
    return hasReplies(calls, place);
  }

  #noteShown(thread: ThreadId, post: PostId, view: View): void {
    const { threads, status, whereabouts } = this.#parts;
    whereabouts.hasReplies(thread);
    status.follow(placeIn(thread), view);
    this.#courtesy(threads.noteWaiting(thread, post, view));
    this.#courtesy(threads.used(thread));
  }

  /** What is only for lists and the home tab must not keep anything else from happening. */
  #courtesy(work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.#parts.log("warn", "Failed to add a Slack thread to the recent threads.", { error });
    });
  }
}
