import type { TreeCopy } from "./tree-copy.ts";

/** Remembers which tests pass without a fault: only those can kill a mutant. */
export class Health {
  readonly #passing = new Map<string, Promise<boolean>>();

  /** The copy must hold no fault. */
  isHealthy(copy: TreeCopy, test: string, projects?: readonly string[]): Promise<boolean> {
    const run = () => copy.runTests([test], projects && { projects });
    const passing = this.#passing.get(test) ?? run().then(({ kind }) => kind === "passed");
    this.#passing.set(test, passing);
    return passing;
  }
}
