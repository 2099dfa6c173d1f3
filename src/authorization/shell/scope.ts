import { absoluteShapes } from "./paths.ts";
import type { SyntaxNode } from "./syntax-node.ts";
import { UNKNOWN, type Word } from "./word.ts";

/** What the text so far says about the shell that will run the rest. */
export class Scope {
  /** Where it may stand; UNKNOWN among them when nobody can tell. */
  directories: readonly string[];
  readonly functions: Map<string, SyntaxNode>;
  readonly #variables: Map<string, readonly string[]>;
  readonly #homeDir: string;
  /** The directories that the last `cd` leads to if it works. */
  #entered: readonly string[];
  /** Above 0, what happens may also not happen: in a branch, a loop, a subshell. */
  #uncertainty = 0;

  constructor(directories: readonly string[], homeDir: string) {
    this.directories = directories;
    this.functions = new Map();
    this.#variables = new Map();
    this.#homeDir = homeDir;
    this.#entered = directories;
  }

  lookup = (name: string): readonly string[] | undefined => {
    const known = this.#variables.get(name);
    if (known) return known;
    if (name === "HOME") return [this.#homeDir];
    return name === "PWD" ? this.directories : undefined;
  };

  assign(name: string, shape: string): void {
    const before = this.#variables.get(name) ?? [UNKNOWN];
    this.#variables.set(name, this.#uncertainty > 0 ? distinct([...before, shape]) : [shape]);
  }

  /** A loop's variable has exactly these values inside the loop. */
  assignAll(name: string, shapes: readonly string[]): void {
    this.#variables.set(name, distinct(shapes));
  }

  forget(name: string): void {
    this.#variables.set(name, [UNKNOWN]);
  }

  assigned(name: string): boolean {
    return this.#variables.has(name);
  }

  enter(directory: Word): void {
    this.#entered = absoluteShapes(directory.shape, this.directories);
    this.directories = distinct([...this.directories, ...this.#entered]);
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
    this.directories = distinct([...before, ...this.directories]);
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

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}
