import type { Content } from "./parts.ts";
import { isProgress } from "./states.ts";

/** The longest pause, in gaps between two edits of one message: with more, a long command looks dead. */
const MOST_GAPS = 8;

/**
 * How often the cards of a turn may say how far it is: each edit doubles the pause before the next one, so that a long turn
 * costs few calls. The end of a turn waits for none of it, and the next turn starts afresh.
 */
export class ProgressPace {
  #sentAtMs = 0;
  #sent = 0;

  /** When the next one may be shown. */
  nextMs(gapMs: number): number {
    return this.#sentAtMs + gapMs * Math.min(MOST_GAPS, 2 ** (this.#sent - 1));
  }

  sent(content: Content): void {
    if (isProgress(content)) {
      this.#sentAtMs = performance.now();
      this.#sent += 1;
    } else if ("view" in content && content.view.kind === "activity") this.#sent = 0;
  }
}
