import type { PostId } from "../../../src/contract/platform/adapter.ts";
import type { Attempt } from "../../shared/attempts.ts";
import type { SlackCalls } from "../connection/calls.ts";
import { readThread } from "../places/history.ts";
import type { SlackPlace } from "../thread.ts";
import { readMetadata } from "./metadata.ts";
import type { StreamNotes } from "./stream-notes.ts";

/** Slack's clock and ours may differ, and an answer may have been lost for long. */
const CLOCK_SECONDS = 3_600;

interface LostParts {
  readonly calls: SlackCalls;
  readonly streamNotes: StreamNotes;
  /** The bot's own id. */
  readonly self: string;
}

/** Where a message whose answer was lost stands, if it does. */
export async function findLost(
  { calls, streamNotes, self }: LostParts,
  place: SlackPlace,
  attempt: Attempt,
): Promise<PostId | undefined> {
  const oldest = Math.floor(attempt.atMs / 1000) - CLOCK_SECONDS;
  const messages = await readThread(calls, place, { oldest: String(oldest) });
  const ours = messages.filter(({ user, ts }) => user === self && Number(ts) >= oldest);
  const found = ours.find(({ metadata }) => readMetadata(metadata)?.key === attempt.digest);
  if (found) return found.ts;
  // A message that is still being written carries no key: whoever began it has noted that, or was cut off before.
  const keyless = ours.filter(
    ({ metadata, files }) => readMetadata(metadata) === undefined && files.length === 0,
  );
  for (const { ts } of keyless) {
    const digest = await streamNotes.find(place.channel, ts);
    if (digest !== undefined && digest !== attempt.digest) continue;
    await streamNotes.add(attempt, place.channel, ts);
    return ts;
  }
  return undefined;
}
