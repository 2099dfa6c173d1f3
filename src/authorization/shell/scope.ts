import type { Lookup } from "./expand.ts";
import { absoluteShapes } from "./paths.ts";
import type { SyntaxNode } from "./syntax-node.ts";
import { UNKNOWN, type Word } from "./word.ts";

/** More directories, values or text than that become unknown: that is never judged more mildly. */
const MAXIMUM_DIRECTORIES = 32;
const MAXIMUM_VALUES = 64;
const MAXIMUM_REMEMBERED_CHARS = 30_000;

/** What the text so far says about the shell that will run the rest. */
export class Scope {
  /** Where it may stand; UNKNOWN among them when nobody can tell. */
  directories: readonly string[];
  readonly functions: Map<string, SyntaxNode>;
  readonly #variables: Map<string, readonly string[]>;
  readonly #homeDir: string;
  /** The directories that the last `cd` leads to if it works. */
  #entered: readonly string[];
  #remembered = 0;
  /** Above 0, what happens may also not happen: in a branch, a loop, a subshell. */
  #uncertainty = 0;

  constructor(directories: readonly string[], homeDir: string) {
    this.directories = directories;
    this.functions = new Map();
    this.#variables = new Map();
    this.#homeDir = homeDir;
    this.#entered = directories;
  }

  /** From here on words split elsewhere than at blanks, so that nothing is known about unquoted values. */
  hasOtherSplitting = false;

  lookup: Lookup = (name, isQuoted) => {
    if (this.hasOtherSplitting && !isQuoted) return undefined;
    const known = this.#variables.get(name);
    if (known) return known;
    if (name === "HOME") return [this.#homeDir];
    return name === "PWD" ? this.directories : undefined;
  };

  assign(name: string, shape: string): void {
    if (name === "IFS") this.hasOtherSplitting = true;
    const before = this.#variables.get(name) ?? [UNKNOWN];
    const values = this.#uncertainty > 0 ? distinct([...before, shape]) : [shape];
    this.#variables.set(name, this.#isTooMuch(values) ? [UNKNOWN] : values);
  }

  /** A loop's variable has exactly these values inside the loop. */
  assignAll(name: string, shapes: readonly string[]): void {
    if (name === "IFS") this.hasOtherSplitting = true;
    const values = distinct(shapes);
    this.#variables.set(name, this.#isTooMuch(values) ? [UNKNOWN] : values);
  }

  /** Values made of values grow without end, and so do values that come one by one. */
  #isTooMuch(values: readonly string[]): boolean {
    this.#remembered += values.reduce((sum, { length }) => sum + length, 0);
    return values.length > MAXIMUM_VALUES || this.#remembered > MAXIMUM_REMEMBERED_CHARS;
  }

  forget(name: string): void {
    if (name === "IFS") this.hasOtherSplitting = true;
    this.#variables.set(name, [UNKNOWN]);
  }

  assigned(name: string): boolean {
    return this.#variables.has(name);
  }

  enter(directory: Word): void {
    this.#entered = absoluteShapes(directory.shape, this.directories);
    this.directories = bounded(distinct([...this.directories, ...this.#entered]));
  }

  /** Only where the last `cd` worked: behind `&&`, or behind `|| exit`. */
  commitToEntered(): void {
    this.directories = this.#entered;
  }

  /** Runs what may not happen; afterwards both is possible. */
  uncertain<Result>(work: () => Result): Result {
    const before = this.directories;
    this.#uncertainty++;
    const result = work();
    this.#uncertainty--;
    this.directories = bounded(distinct([...before, ...this.directories]));
    return result;
  }

  /** Runs what cannot move this shell: a subshell, a substitution. */
  apart<Result>(work: () => Result): Result {
    const before = this.directories;
    const result = this.uncertain(work);
    this.directories = before;
    return result;
  }
}

function bounded(directories: string[]): string[] {
  return directories.length > MAXIMUM_DIRECTORIES ? [UNKNOWN] : directories;
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}
