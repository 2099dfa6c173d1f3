import type { Input } from "./rule.ts";
import type { Scope } from "./scope.ts";
import type { SyntaxNode } from "./syntax-node.ts";
import type { Word } from "./word.ts";

export interface Assignment {
  readonly name: string;
  readonly value: Word;
  /** It is for one command only. */
  readonly prefix: boolean;
}

/** A simple command as the tree has it, words expanded. */
export interface Simple {
  readonly words: readonly Word[];
  readonly input: Input;
  readonly segment: string;
}

/** What a walk over a tree meets, in the order in which a shell would. */
export interface Visitor {
  readonly scope: Scope;
  /** Whether the walk may go on with so many words; false once the command has cost too much. */
  proceeds(segment: string, words?: number): boolean;
  command(simple: Simple): ReturnedCalls;
  assignment(assignment: Assignment, segment: string): void;
  /** The variable's value is not known from here on. */
  forgets(name: Word): void;
  /** `input` is what the command finds on its input so far. */
  redirection(target: Word, operator: string, segment: string, input: Input): void;
  /** `3< file`: any program may read it there. */
  opens(file: Word): void;
  expansion(node: SyntaxNode): void;
  /** `[ … ]` and `[[ … ]]`. */
  test(node: SyntaxNode): void;
  defines(name: string, body: SyntaxNode): void;
  /** Something whose meaning the tree does not tell. */
  unreadable(why: string, segment: string): void;
  /** Backticks: bash takes one layer of backslashes away before it reads the inside. */
  backticks(inside: string, segment: string): void;
}

/** The calls whose output may be a statement's output. */
export type ReturnedCalls = Input["upstream"];
