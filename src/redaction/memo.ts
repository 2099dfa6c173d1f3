/** So many characters are remembered twice: those of late, and those of before. */
const KEPT_CHARS = 2_000_000;
const LONGEST_CHARS = 500_000;
/** What is shorter is quicker looked at than looked up. */
const SHORTEST_CHARS = 40;

/**
 * Remembers what became of texts. A conversation sends its whole past to the model again with every step, and what has
 * not changed need not be looked at again.
 */
export class Memo {
  #late = new Map<string, string>();
  #before = new Map<string, string>();
  #chars = 0;

  recall(text: string, make: (text: string) => string): string {
    if (text.length < SHORTEST_CHARS || text.length > LONGEST_CHARS) return make(text);
    const late = this.#late.get(text);
    if (late !== undefined) return late;
    const made = this.#before.get(text) ?? make(text);
    this.#keep(text, made);
    return made;
  }

  #keep(text: string, made: string): void {
    if (this.#chars + text.length > KEPT_CHARS) {
      this.#before = this.#late;
      this.#late = new Map();
      this.#chars = 0;
    }
    this.#late.set(text, made);
    this.#chars += text.length;
  }
}
