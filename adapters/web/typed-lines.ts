import type { ThreadId } from "../../src/contract/platform/incoming.ts";
import type { View } from "../../src/contract/platform/view.ts";

/** What has no answer by then has become a turn, and its answer is for the talk. */
const ANSWERED_WITHIN_MS = 90_000;
/** How the bot tells that a line was typed; failures are told in other words, and always shown. */
const TYPED = /^✅ terminal_operations\.send_input /;

/**
 * Lines that people have typed into the terminal beside the talk. What comes of them they see on its screen, so the
 * answer need not stand in the talk as well.
 */
export class TypedLines {
  readonly #sentAt = new Map<string, number[]>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  note(thread: ThreadId, person: string): void {
    const key = `${thread} ${person}`;
    this.#sentAt.set(key, [...this.#unanswered(key), this.#now()]);
  }

  /** Whether this is the answer to such a line; each is answered once. */
  isAnswer(thread: ThreadId, person: string, view: View): boolean {
    if (view.kind !== "terminal" || !TYPED.test(view.title)) return false;
    const key = `${thread} ${person}`;
    const [first, ...others] = this.#unanswered(key);
    if (others.length > 0) this.#sentAt.set(key, others);
    else this.#sentAt.delete(key);
    return first !== undefined;
  }

  #unanswered(key: string): number[] {
    const since = this.#now() - ANSWERED_WITHIN_MS;
    return (this.#sentAt.get(key) ?? []).filter((at) => at > since);
  }
}
