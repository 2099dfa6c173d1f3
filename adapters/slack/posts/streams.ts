import { z } from "zod";
import type { View } from "../../../src/contract/platform/view.ts";
import { hasWebLink } from "../../../src/lib/text/links.ts";
import type { Attempt } from "../../shared/attempts.ts";
import { isRefusal, type SlackCalls, SlackError } from "../connection/calls.ts";
import { footerBlocks } from "../format.ts";
import type { Listener } from "../places/whereabouts.ts";
import { isStreamable, streamMarkdown } from "../rendering/markdown.ts";
import { isDirect, type SlackPlace } from "../thread.ts";
import { keyMetadata } from "./metadata.ts";
import type { StreamNotes } from "./stream-notes.ts";

type Reply = Extract<View, { kind: "reply" }>;

/** A message that grows while people look at it. */
interface OpenStream {
  readonly digest: string;
  /** What Slack has got so far. */
  shown: string;
  /** An answer was lost: nobody knows what it shows. */
  isDoubtful: boolean;
}

const Posted = z.object({ ts: z.string() });

/** A workspace that has said one of these has no streams, now and later. */
const LACKS_STREAMS = [
  ...["unknown_method", "missing_scope", "not_allowed", "feature_not_enabled", "access_denied"],
  ...["not_allowed_token_type", "method_deprecated", "team_access_not_granted"],
];

/**
 * Replies as Slack streams them. One writer each: the reply hands its edits over one after the other. What cannot be
 * streamed is posted and edited instead.
 */
export class SlackStreams {
  readonly #calls: SlackCalls;
  readonly #notes: StreamNotes;
  readonly #open = new Map<string, OpenStream>();
  #isRefused = false;

  constructor(calls: SlackCalls, notes: StreamNotes) {
    this.#calls = calls;
    this.#notes = notes;
  }

  /** Begins a stream; undefined where there can be none. */
  async begin(
    place: SlackPlace,
    view: View,
    { attempt, recipient }: { attempt: Attempt; recipient: Listener | undefined },
  ): Promise<string | undefined> {
    if (view.kind !== "reply" || view.isFinal || this.#isRefused) return undefined;
    if (!isStreamable(view.text)) return undefined;
    if (recipient === undefined && !isDirect(place.channel)) return undefined;
    const shown = streamMarkdown(steadyPart(view.text));
    if (shown.trim() === "") return undefined;
    const args = { ...whereAndForWhom(place, recipient), markdown_text: shown };
    try {
      const { ts } = Posted.parse(await this.#calls.call("chat.startStream", args));
      this.#open.set(nameOf(place, ts), { digest: attempt.digest, shown, isDoubtful: false });
      // It stands there from now on, whatever becomes of the note about it.
      attempt.post = ts;
      await this.#notes.add(attempt, place.channel, ts);
      return ts;
    } catch (error) {
      if (!(error instanceof SlackError) || error.isInDoubt) throw error;
      if (LACKS_STREAMS.includes(error.code)) this.#isRefused = true;
      // Posted at once instead: also where too many streams were begun.
      return undefined;
    }
  }

  /** Goes on with a stream. "not streaming": it has to be edited like any other message. */
  async grow(place: SlackPlace, ts: string, view: View): Promise<"grown" | "not streaming"> {
    const stream = this.#open.get(nameOf(place, ts));
    if (!stream) return "not streaming";
    const more = view.kind === "reply" ? moreOf(stream, view) : undefined;
    if (more === undefined || view.kind !== "reply") {
      await this.end(place, ts);
      return "not streaming";
    }
    if (more === "" && !view.isFinal) return "grown";
    const text = more === "" ? {} : { markdown_text: more };
    const where = { channel: place.channel, ts };
    const last = {
      blocks: footerBlocks(view.footer),
      metadata: keyMetadata(stream.digest, "reply"),
    };
    try {
      if (view.isFinal) await this.#calls.call("chat.stopStream", { ...where, ...text, ...last });
      else await this.#calls.call("chat.appendStream", { ...where, ...text });
    } catch (error) {
      return await this.#afterFailure(place, ts, error);
    }
    stream.shown += more;
    if (view.isFinal) this.#open.delete(nameOf(place, ts));
    return "grown";
  }

  /**
   * Takes a streamed message away whose text now has a link; true where it did. It has to be posted anew: Slack fetches what
   * links of a streamed message lead to, and no argument forbids that.
   */
  async removeForLink(place: SlackPlace, ts: string, view: View): Promise<boolean> {
    if (view.kind !== "reply" || !hasWebLink(view.text)) return false;
    const isStreamed =
      this.#open.has(nameOf(place, ts)) ||
      (await this.#notes.find(place.channel, ts)) !== undefined;
    if (isStreamed) await this.#remove(place, ts);
    return isStreamed;
  }

  /** Slack documents no refusal to delete an open stream; where it refuses, the stream is ended first. */
  async #remove(place: SlackPlace, ts: string): Promise<void> {
    const remove = () => this.#calls.call("chat.delete", { channel: place.channel, ts });
    try {
      await remove();
    } catch (error) {
      if (!(error instanceof SlackError) || error.when === "later") throw error;
      if (error.code !== "message_not_found") {
        await this.end(place, ts);
        await remove();
      }
    }
    this.#open.delete(nameOf(place, ts));
  }

  /** Ends a stream of ours, whoever began it. From then on it is edited. */
  async end(place: SlackPlace, ts: string): Promise<void> {
    const digest =
      this.#open.get(nameOf(place, ts))?.digest ?? (await this.#notes.find(place.channel, ts));
    const metadata = digest === undefined ? {} : { metadata: keyMetadata(digest, "reply") };
    try {
      await this.#calls.call("chat.stopStream", { channel: place.channel, ts, ...metadata });
    } catch (error) {
      if (!isRefusal(error, ...OVER)) throw error;
    }
    this.#open.delete(nameOf(place, ts));
  }

  /** What Slack takes no more of is edited from then on, as a whole. */
  async #afterFailure(place: SlackPlace, ts: string, error: unknown): Promise<"not streaming"> {
    if (!(error instanceof SlackError) || error.when === "later") {
      const stream = this.#open.get(nameOf(place, ts));
      if (stream && error instanceof SlackError && error.isInDoubt) stream.isDoubtful = true;
      throw error;
    }
    // Slack's own stop button, or somebody who deleted it: an edit finds out what is the case.
    if (isRefusal(error, ...OVER)) this.#open.delete(nameOf(place, ts));
    else await this.end(place, ts);
    return "not streaming";
  }
}

const OVER = ["stopped_by_user", "message_not_in_streaming_state", "message_not_found"];

/** Outside of conversations of two, Slack has to know for whom it is. */
function whereAndForWhom({ team, channel, root }: SlackPlace, recipient: Listener | undefined) {
  const where = { channel, thread_ts: root };
  if (!recipient) return where;
  return {
    ...where,
    recipient_user_id: recipient.id,
    recipient_team_id: recipient.team ?? team,
  };
}

function nameOf({ channel }: SlackPlace, ts: string): string {
  return `${channel}:${ts}`;
}

/** What has to be added; undefined where it does not go on from what was shown. */
function moreOf({ shown, isDoubtful }: OpenStream, { text, isFinal }: Reply): string | undefined {
  if (isDoubtful || !isStreamable(text)) return undefined;
  const wanted = streamMarkdown(isFinal ? text : steadyPart(text));
  return wanted.startsWith(shown) ? wanted.slice(shown.length) : undefined;
}

/** Whole lines without an open fence: what comes later changes nothing about how they read. */
function steadyPart(text: string): string {
  const lines = text.slice(0, text.lastIndexOf("\n") + 1);
  const fences = [...lines.matchAll(/```/g)];
  return fences.length % 2 === 0 ? lines : lines.slice(0, fences.at(-1)?.index);
}
