/** A wait that can be ended early. */
export class Pause {
  #end: (() => void) | undefined;

  async wait(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#end = resolve;
      // Timers count whole milliseconds and may come a little early.
      timer = setTimeout(resolve, Math.ceil(ms));
    });
    clearTimeout(timer);
    this.#end = undefined;
  }

  /** Nothing happens where nobody waits. */
  end(): void {
    this.#end?.();
  }
}
