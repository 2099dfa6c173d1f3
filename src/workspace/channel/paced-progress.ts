const LEAST_GAP_MS = 50;
const MESSAGE_CHARS = 16 * 1024;

/** Hands on the first message at once and then the latest of each short while: a flood costs no more than a trickle. */
export class PacedProgress {
  readonly #handOn: (message: string) => void;
  #latest: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(handOn: (message: string) => void) {
    this.#handOn = handOn;
  }

  tell(message: string): void {
    // A copy of its end: a slice of a long string would keep all of it in memory.
    this.#latest = Buffer.from(message.slice(-MESSAGE_CHARS)).toString();
    if (this.#timer === undefined) this.#deliver();
  }

  /** What waits is no progress any more once the call has ended. */
  end(): void {
    clearTimeout(this.#timer);
    this.#latest = undefined;
  }

  #deliver(): void {
    this.#timer = undefined;
    if (this.#latest === undefined) return;
    const message = this.#latest;
    this.#latest = undefined;
    this.#timer = setTimeout(() => this.#deliver(), LEAST_GAP_MS);
    this.#timer.unref();
    this.#handOn(message);
  }
}
