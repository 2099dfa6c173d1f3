/** Lets those who write one and the same file do so one after the other. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  /** Runs `work` when nobody else is busy with any of the paths. All are taken at once, so nobody waits in a circle. */
  async take<T>(paths: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = paths.map((path) => this.#last.get(path));
    const { promise: done, resolve: finish } = Promise.withResolvers<void>();
    for (const path of paths) this.#last.set(path, done);
    try {
      await Promise.all(before);
      return await work();
    } finally {
      finish();
      for (const path of paths) {
        if (this.#last.get(path) === done) this.#last.delete(path);
      }
    }
  }
}
