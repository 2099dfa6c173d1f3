import type { ThreadId } from "../../../src/contract/platform/incoming.ts";
import { BoundedMap, BoundedSet } from "../../../src/lib/bounded.ts";
import { encodeThread, type SlackPlace } from "../thread.ts";

/** How long an answer to a command is looked for where it was typed. */
const OUTSIDE_MS = 60_000;
const MOST_KNOWN = 5_000;

/** Somebody for whom an answer is written. */
export interface Listener {
  readonly id: string;
  readonly team?: string | undefined;
}

/** What is known of threads and people by what has happened since the start. All of it can be missing. */
export class Whereabouts {
  readonly #heard = new BoundedMap<ThreadId, Listener>(MOST_KNOWN);
  readonly #replied = new BoundedSet<ThreadId>(MOST_KNOWN);
  readonly #outside = new BoundedMap<
    string,
    { readonly channel: string; readonly untilMs: number }
  >(MOST_KNOWN);

  /** Somebody has spoken in a thread. */
  heard(thread: ThreadId, person: Listener): void {
    this.#heard.set(thread, person);
  }

  /** For whom an answer is written. */
  lastHeard(place: SlackPlace): Listener | undefined {
    return this.#heard.get(encodeThread(place));
  }

  hasReplies(thread: ThreadId): void {
    this.#replied.add(thread);
  }

  isKnownToHaveReplies(place: SlackPlace): boolean {
    return this.#replied.has(encodeThread(place));
  }

  /** Somebody has typed a command about this thread in a channel, and does not look at the thread. */
  askedFromOutside(thread: ThreadId, person: string, channel: string): void {
    const untilMs = performance.now() + OUTSIDE_MS;
    this.#outside.set(`${thread} ${person}`, { channel, untilMs });
  }

  askedInside(thread: ThreadId, person: string): void {
    this.#outside.delete(`${thread} ${person}`);
  }

  /** The channel at which they look instead; undefined where they look at the thread. */
  outside(thread: ThreadId, person: string): string | undefined {
    const asked = this.#outside.get(`${thread} ${person}`);
    return asked && asked.untilMs > performance.now() ? asked.channel : undefined;
  }
}
