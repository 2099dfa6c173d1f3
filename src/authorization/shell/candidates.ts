import { ruleFor } from "./programs.ts";
import { exactly, literalWord, readable, type Word } from "./word.ts";

/** More words behind each other, or longer ones, are no command that people write. */
const MAXIMUM_WORDS = 16;
const MAXIMUM_CHARS = 4_096;
const MAXIMUM_TEXTS = 12;

/** Something inside a command that may be a command itself. */
export interface Candidate {
  readonly words: readonly Word[];
  /** Where it is a text that a shell would read. */
  readonly text?: string;
}

export function candidateOf(text: string): Candidate {
  return { words: [literalWord(text)], text };
}

/** The texts inside of words, and the words from each name of a program on. */
export function* candidatesIn(words: readonly Word[]): Generator<Candidate> {
  for (const [index, word] of words.slice(0, MAXIMUM_WORDS).entries()) {
    for (const text of textsIn(word)) yield candidateOf(text);
    const name = exactly(word);
    if (name !== undefined && ruleFor(name.slice(name.lastIndexOf("/") + 1)))
      yield { words: words.slice(index) };
  }
}

/** Texts inside a word that may be commands: the word itself, what follows `=` or an editor's `!`, what is quoted in it. */
function textsIn({ shape }: Word): string[] {
  const text = readable(shape);
  if (!/\s/.test(text) || text.length > MAXIMUM_CHARS) return [];
  const quoted = [...text.matchAll(/"([^"]*)"|'([^']*)'|`([^`']*)[`']/g)].map(
    ([, one, other, third]) => one ?? other ?? third ?? "",
  );
  const behind = [
    /^[^\s=]*=(.*)$/s,
    /!\s*(.*)$/s,
    /\bexec=(.*)$/s,
    /^-[a-zA-Z](.*)$/s,
    // `$e COMMAND`, `shell-escape COMMAND`: a word of the program's own language stands before it.
    /^\s*(?:[^\w\s./\\]\S*|\w+-\w+)\s+(.*)$/s,
  ].map((pattern) => pattern.exec(text)?.[1] ?? "");
  const pieces = text.length < 300 ? text.split(/[;:|&!({]/) : [];
  const texts = [text, ...behind, ...quoted, ...pieces];
  return [...new Set(texts)]
    .filter((one) => /^\s*[\w./\\]+\s+\S/.test(one))
    .slice(0, MAXIMUM_TEXTS);
}
