/** Spreads bytes over time. Everybody who shares it gets as much as the others. */
export class Pace {
  readonly #bytesPerMs: number;
  readonly #burstMs: number;
  #freeAt = 0;

  constructor({ bytesPerSecond, burstMs = 100 }: { bytesPerSecond: number; burstMs?: number }) {
    this.#bytesPerMs = bytesPerSecond / 1000;
    this.#burstMs = burstMs;
  }

  /** Counts bytes that were carried just now. Returns for how many ms to carry no more. */
  take(bytes: number, nowMs = performance.now()): number {
    this.#freeAt = Math.max(this.#freeAt, nowMs - this.#burstMs) + bytes / this.#bytesPerMs;
    return Math.max(0, this.#freeAt - nowMs);
  }
}
