import type { ModelError, ModelErrorKind } from "../../contract/model.ts";
import type { ModelSettings } from "../settings.ts";

/** How often each kind is worth another try; the others never are. */
const TRIES: Partial<Record<ModelErrorKind, "all" | "once">> = {
  rateLimited: "all",
  unavailable: "all",
  cutStream: "all",
  emptyReply: "once",
};

type Patience = Pick<ModelSettings, "retries" | "retryBaseMs" | "retryMaxMs">;

/** How long one step may still be tried. */
export class Retries {
  readonly #patience: Patience;
  readonly #random: () => number;
  #made = 0;
  #restarted = false;

  constructor(patience: Patience, random: () => number = Math.random) {
    this.#patience = patience;
    this.#random = random;
  }

  /** How long to wait before the next try; undefined when there is none. */
  next(error: ModelError, restarts: boolean): number | undefined {
    const tries = TRIES[error.kind];
    if (!tries || this.#made >= this.#patience.retries) return undefined;
    // People have seen the beginning of a reply: it may vanish once, not again and again.
    if (restarts || tries === "once") {
      if (this.#restarted) return undefined;
      this.#restarted = true;
    }
    const waitMs = this.#waitMs(error.retryAfterMs);
    this.#made += 1;
    return waitMs;
  }

  #waitMs(askedMs: number | undefined): number | undefined {
    const { retryBaseMs, retryMaxMs } = this.#patience;
    if (askedMs !== undefined) return askedMs > retryMaxMs ? undefined : askedMs;
    const steps = Math.min(retryBaseMs * 2 ** this.#made, retryMaxMs);
    // Half of it is chance, so that many conversations do not come back at the same moment.
    return Math.round(steps * (0.5 + this.#random() / 2));
  }
}

/** What the server asks for: in milliseconds, in seconds, or until a date. */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const exact = Number.parseFloat(headers.get("retry-after-ms") ?? "");
  if (exact >= 0) return exact;
  const given = headers.get("retry-after")?.trim();
  if (!given) return undefined;
  const waitMs = /^\d+(\.\d+)?$/.test(given) ? Number(given) * 1000 : Date.parse(given) - now;
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}
