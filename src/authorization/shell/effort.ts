/** More than people write in one command: statements, and what launchers and functions add to them. */
const MAXIMUM_STEPS = 1_000;
/** A call with many words is more work than one step. */
const WORDS_PER_STEP = 8;
/** What is read again after the first reading: texts inside texts, repairs, parts and guesses. */
const MAXIMUM_CHARS = 5_000;
/** A short text costs the parser something, too. */
const CHARS_PER_READING = 30;
/** How many words are tried as commands, and what each try costs besides. */
const MAXIMUM_GUESSED_WORDS = 1_500;
const WORDS_PER_GUESS = 10;

/** How much work one decision may cost. All who read parts of the same command share it, so that it grows with the text alone. */
export class Effort {
  #steps = MAXIMUM_STEPS;
  #chars = MAXIMUM_CHARS;
  #guesses = MAXIMUM_GUESSED_WORDS;
  #hasRead = false;
  #isExhausted = false;

  /** Nothing more is looked at: the command has the highest level already. */
  get isExhausted(): boolean {
    return this.#isExhausted;
  }

  exhaust(): void {
    this.#isExhausted = true;
    this.#steps = -1;
    this.#chars = -1;
    this.#guesses = -1;
  }

  /** One more statement, or a call with so many words. */
  takesStep(words = 0): boolean {
    this.#steps -= 1 + Math.floor(words / WORDS_PER_STEP);
    return this.#steps >= 0;
  }

  /** Whether a text can still be read; looking costs nothing. */
  canRead(text: string): boolean {
    return !this.#hasRead || this.#chars >= text.length + CHARS_PER_READING;
  }

  /** One more reading of a text. The first one is the command itself, whose length is bounded elsewhere. */
  reads(text: string): boolean {
    if (!this.#hasRead) {
      this.#hasRead = true;
      return true;
    }
    this.#chars -= text.length + CHARS_PER_READING;
    return this.#chars >= 0;
  }

  /** One more guess that so many words may be a command. */
  guesses(words: number): boolean {
    this.#guesses -= words + WORDS_PER_GUESS;
    return this.#guesses >= 0;
  }
}
