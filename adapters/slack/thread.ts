import { DeliveryError } from "../../src/contract/platform/adapter.ts";
import type { ThreadId } from "../../src/contract/platform/incoming.ts";

export class MalformedThreadError extends Error {
  override readonly name = "MalformedThreadError";
}

/** Where a thread is: its team, its channel, and the message that it hangs below. */
export interface SlackPlace {
  readonly team: string;
  readonly channel: string;
  readonly root: string;
}

const THREAD = /^slack:([A-Z0-9]{2,30}):([CDG][A-Z0-9]{2,30}):(\d{1,20}\.\d{6})$/;

export function encodeThread({ team, channel, root }: SlackPlace): ThreadId {
  const thread = `slack:${team}:${channel}:${root}`;
  if (THREAD.test(thread)) return thread;
  throw new MalformedThreadError(
    "A Slack thread id needs a team, a channel and the timestamp of its first message.",
  );
}

/** Throws for what it did not encode. */
export function decodeThread(thread: string): SlackPlace {
  const [, team, channel, root] = THREAD.exec(thread) ?? [];
  if (team && channel && root) return { team, channel, root };
  throw new MalformedThreadError("This is not a Slack thread.");
}

/** The same for what is to be shown there. */
export function placeIn(thread: ThreadId): SlackPlace {
  try {
    return decodeThread(thread);
  } catch (cause) {
    const foreign = new DeliveryError("never", "This is not a Slack thread.", { cause });
    throw foreign;
  }
}

/** No message has this time: it stands for a channel itself. */
export const NO_ROOT = "0000000000.000000";

/** A conversation of two. */
export function isDirect(channel: string): boolean {
  return channel.startsWith("D");
}
