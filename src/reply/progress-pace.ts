import type { Content } from "./parts.ts";
import { isProgress } from "./states.ts";

/** Pauses in gaps between two edits of one message: after the first sign of a turn, and later. */
const FIRST_GAPS = 5;
const GAPS = 8;

/**
 * How often the cards of a turn may say how far it is: a short turn needs no edit but its last, and a long one costs few
 * calls. The end of a turn waits for none of it, and the next turn starts afresh.
 */
export class ProgressPace {
  #sentAtMs = Number.NEGATIVE_INFINITY;
  #sent = 0;

  /** When the next one may be shown. */
  nextMs(gapMs: number): number {
    return this.#sentAtMs + gapMs * (this.#sent > 1 ? GAPS : FIRST_GAPS);
  }

  sent(content: Content): void {
    if (isProgress(content)) {
      this.#sentAtMs = performance.now();
      this.#sent += 1;
    } else if ("view" in content && content.view.kind === "activity") this.#sent = 0;
  }
}
