/** Work that belongs together by its key runs one after another; different keys never wait for each other. */
export class Serial {
  readonly #last = new Map<string, Promise<void>>();

  /** Whoever gives up while waiting has not begun. */
  async run<Result>(
    key: string,
    signal: AbortSignal,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const mine = before.then(() => done);
    this.#last.set(key, mine);
    try {
      await orAborted(before, signal);
      return await work();
    } finally {
      resolve();
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}

/** Rejects with the signal's reason as soon as it aborts, whatever becomes of the promise. */
export async function orAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal,
  { graceMs = 0 }: { readonly graceMs?: number } = {},
): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(() => reject(signal.reason), graceMs);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}
