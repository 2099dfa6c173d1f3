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
  #variables: Map<string, readonly string[]>;
  /** Programs that the shell starts see these variables, and no others. */
  readonly #exported = new Set<string>();
  /** An assignment to one of these may fail. */
  readonly #readonly = new Set<string>();
  /** Names that the functions that run now have declared for themselves. */
  #locals: Set<string> | undefined;
  /** A variable may be another name of any other one, so that nothing is known about any. */
  #hasReferences = false;
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
    if (this.#hasReferences || (this.hasOtherSplitting && !isQuoted)) return undefined;
    const known = this.#variables.get(name);
    if (known) return known;
    if (name === "HOME") return [this.#homeDir];
    return name === "PWD" ? this.directories : undefined;
  };

  assign(name: string, shape: string): void {
    if (name === "IFS") this.hasOtherSplitting = true;
    const before = this.#variables.get(name) ?? [UNKNOWN];
    const isUncertain = this.#uncertainty > 0 || this.#readonly.has(name);
    const values = isUncertain ? distinct([...before, shape]) : [shape];
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

  /** After a script that was read into this shell, every variable may have another value. */
  forgetAll(): void {
    for (const name of this.#variables.keys()) this.forget(name);
  }

  /** `declare`, `export` and their like give a variable properties. */
  declare(
    names: readonly string[],
    how: { isLocal: boolean; isExported: boolean; isReadonly: boolean; isReference: boolean },
  ): void {
    if (how.isReference) this.#hasReferences = true;
    for (const name of names) {
      if (how.isExported) this.#exported.add(name);
      if (how.isReadonly) this.#readonly.add(name);
      if (how.isLocal && this.#locals && !this.#locals.has(name)) {
        this.#locals.add(name);
        this.forget(name);
      }
    }
  }

  /** Runs a function: variables that it declares for itself have their former values afterwards. */
  call<Result>(work: () => Result): Result {
    const [outer, before] = [this.#locals, new Map(this.#variables)];
    this.#locals = new Set();
    const result = work();
    for (const name of this.#locals) {
      const value = before.get(name);
      if (value) this.#variables.set(name, value);
      else this.#variables.delete(name);
    }
    this.#locals = outer;
    return result;
  }

  /** Runs another shell, which has the exported variables only, and whose own do not come back. */
  foreign<Result>(work: () => Result): Result {
    const own = this.#variables;
    this.#variables = new Map([...own].filter(([name]) => this.#exported.has(name)));
    const result = this.apart(work);
    this.#variables = own;
    return result;
  }

  /** Runs a command with variables of its own, whose values are not looked at. */
  withPrefix<Result>(names: readonly string[], work: () => Result): Result {
    if (names.length === 0) return work();
    const before = names.map((name) => [name, this.#variables.get(name)] as const);
    for (const name of names) this.#variables.delete(name);
    const result = work();
    for (const [name, value] of before)
      if (value && !this.#variables.has(name)) this.#variables.set(name, value);
    return result;
  }

  /** Whether programs see it. */
  isExported(name: string): boolean {
    return this.#exported.has(name);
  }

  assigned(name: string): boolean {
    return this.#variables.has(name);
  }

  enter(directory: Word): void {
    this.#entered = distinct(absoluteShapes(directory.shape, this.directories));
    const possible = distinct([...this.directories, ...this.#entered]);
    if (possible.length > MAXIMUM_DIRECTORIES)
      this.#entered = absoluteShapes(directory.shape, [UNKNOWN]);
    this.directories = this.#bounded(possible);
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
    if (this.directories !== before)
      this.directories = this.#bounded(distinct([...before, ...this.directories]));
    return result;
  }

  /** Of too many directories only the last one stays known. */
  #bounded(directories: string[]): string[] {
    if (directories.length <= MAXIMUM_DIRECTORIES) return directories;
    return distinct([UNKNOWN, ...(this.#entered.length === 1 ? this.#entered : [])]);
  }

  /** Runs what cannot move this shell: a subshell, a substitution. */
  apart<Result>(work: () => Result): Result {
    const before = this.directories;
    const result = this.uncertain(work);
    this.directories = before;
    return result;
  }
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}
