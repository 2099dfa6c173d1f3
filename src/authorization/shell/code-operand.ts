import type { Word } from "./word.ts";

/** One word of a call that names a file which is executed, or whose content decides what happens. */
export interface CodeOperand {
  readonly kind: "run" | "read";
  readonly word: Word;
  /** The paths that the program tries in turn, where the word itself is none. */
  readonly candidates?: readonly string[];
  /** Words that must stand before the file, behind `word`. */
  readonly before?: string;
  readonly alsoMissing?: boolean;
  /** The kernel starts it. */
  readonly isProgram?: boolean;
  /** It is only a part of a word. */
  readonly isMentioned?: boolean;
  /** Root gives it to a program that is not known only to read it. */
  readonly isPossible?: boolean;
  /** A verified copy can stand in its place. */
  readonly isData?: boolean;
}
