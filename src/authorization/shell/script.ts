import type { Call } from "./rule.ts";
import { exactly, type Word } from "./word.ts";

/** A file that a command executes or reads, by the absolute paths that are tried in order. */
export interface CodeUse {
  /** "run": it is code; "read": its content decides what the command does. */
  readonly kind: "run" | "read";
  /** Empty when the text does not tell which file it is. */
  readonly paths: readonly string[];
  /** As written in the command. */
  readonly written: string;
  /** A file that appears later would be obeyed as well. */
  readonly alsoMissing: boolean;
  /** The kernel starts it: its first line may name an interpreter. */
  readonly isProgram?: boolean;
  /** A part of a word names it. */
  readonly isMentioned?: boolean;
  /** Root gives it to a program that is not known only to read it. */
  readonly isPossible?: boolean;
  /** The call that only reads it, and would do the same with a copy. */
  readonly reader?: Call;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  /** What stands before the file's new name. */
  readonly before: string;
  readonly content: CodeUse | Script;
  /** Other uses of the same file at the same place. */
  readonly others: CodeUse[];
}

/** The text of a command, with the places where files are named that it executes. */
export class Script {
  readonly text: string;
  /** Where the text that was parsed begins: blanks before it are dropped. */
  readonly #offset: number;
  readonly #edits = new Map<string, Edit>();

  constructor(text: string, offset: number) {
    this.text = text;
    this.#offset = offset;
  }

  /** Notes that this word names the file. False when the word cannot be replaced. */
  replaces(word: Word, content: CodeUse | Script): boolean {
    const range = this.#rangeOf(word);
    return range !== undefined && this.#add({ ...range, before: "", content, others: [] });
  }

  /** Notes that the file would have to be named behind this word. */
  addsBehind(word: Word, before: string, content: CodeUse): boolean {
    const range = this.#rangeOf(word);
    if (range === undefined) return false;
    return this.#add({ start: range.end, end: range.end, before, content, others: [] });
  }

  /** Whether this text, or one inside it, names the file at a place that can be replaced. */
  holds(use: CodeUse): boolean {
    return [...this.#edits.values()].some(({ content, others }) =>
      content instanceof Script ? content.holds(use) : content === use || others.includes(use),
    );
  }

  get isEmpty(): boolean {
    return this.#edits.size === 0;
  }

  /** The text with each file that has a copy replaced by it. */
  render(copyOf: (use: CodeUse) => string | undefined): string {
    const edits = [...this.#edits.values()].sort((one, other) => other.start - one.start);
    let text = this.text;
    for (const { start, end, before, content, others } of edits) {
      const value =
        content instanceof Script
          ? content.render(copyOf)
          : [content, ...others].map(copyOf).find((copy) => copy !== undefined);
      const isChanged = content instanceof Script ? value !== content.text : value !== undefined;
      if (!isChanged || value === undefined) continue;
      text = `${text.slice(0, start)}${before}${quoted(value)}${text.slice(end)}`;
    }
    return text;
  }

  #rangeOf(word: Word): { start: number; end: number } | undefined {
    if (!word.range) return undefined;
    if (exactly(word) === undefined) return undefined;
    const start = word.range.start + this.#offset;
    const end = word.range.end + this.#offset;
    return this.text.slice(start, end) === word.text ? { start, end } : undefined;
  }

  /** The second round of a loop may name another file at the same place: then neither can be replaced. */
  #add(edit: Edit): boolean {
    const key = `${edit.start}:${edit.end}`;
    const known = this.#edits.get(key);
    if (known && !isSame(known.content, edit.content)) {
      this.#edits.delete(key);
      return false;
    }
    if (known && !(edit.content instanceof Script)) known.others.push(edit.content);
    else this.#edits.set(key, edit);
    return true;
  }
}

function isSame(one: CodeUse | Script, other: CodeUse | Script): boolean {
  if (one instanceof Script || other instanceof Script) {
    return one instanceof Script && other instanceof Script && one.text === other.text;
  }
  return one.paths.join("\0") === other.paths.join("\0");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
