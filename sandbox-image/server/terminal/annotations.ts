import { BoundedSet } from "../../../src/lib/bounded.ts";

const MOST_CALLS = 1000;

/** What ran elsewhere and waits for a terminal to be shown in; remembers calls, so that each shows once. */
export class Annotations {
  readonly #calls = new BoundedSet<string>(MOST_CALLS);
  readonly #waiting = new Map<string, string[]>();

  isKnown(callId: string): boolean {
    if (this.#calls.has(callId)) return true;
    this.#calls.add(callId);
    return false;
  }

  keep(conversation: string, text: string): void {
    this.#waiting.set(conversation, [...(this.#waiting.get(conversation) ?? []), text]);
  }

  take(conversation: string): string[] {
    const texts = this.#waiting.get(conversation) ?? [];
    this.#waiting.delete(conversation);
    return texts;
  }
}
