/** One for which somebody waits here. */
interface Attended extends Disposable {
  /** It waits for people. */
  isWaiting: boolean;
}

/** Those for which somebody waits in this process, by who gave them their work. */
export class Attendance {
  readonly #attended = new Map<string, Set<Attended>>();

  begin(parent: string): Attended {
    const siblings = this.#attended.get(parent) ?? new Set<Attended>();
    this.#attended.set(parent, siblings);
    const attended: Attended = {
      isWaiting: false,
      [Symbol.dispose]: () => {
        siblings.delete(attended);
        if (siblings.size === 0) this.#attended.delete(parent);
      },
    };
    siblings.add(attended);
    return attended;
  }

  /** As long as one of them works, the others' answers are waited for here; then the journal waits. */
  allWait(parent: string): boolean {
    return [...(this.#attended.get(parent) ?? [])].every(({ isWaiting }) => isWaiting);
  }
}
