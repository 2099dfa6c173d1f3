import { BoundedMap } from "../lib/bounded.ts";
import type { CommandClass, ShellPlace } from "./shell/command-class.ts";
import { classifyInput, type Foreground } from "./shell/input.ts";
import { LineAssembler } from "./shell/line-assembler.ts";
import type { ShellParser } from "./shell/parser.ts";

const KEPT_TERMINALS = 500;

/** A terminal, by its conversation and its session id. */
export interface TerminalName {
  readonly conversation: string;
  readonly session: string;
}

/** What stands half typed on the line of each terminal, so that a command in pieces is judged as a whole. */
export class Keyboards {
  readonly #parser: ShellParser;
  readonly #lines = new BoundedMap<string, Map<string, LineAssembler>>(KEPT_TERMINALS);

  constructor(parser: ShellParser) {
    this.#parser = parser;
  }

  /** What this input would make the terminal do. Nothing is remembered: it may not be allowed. */
  judge(
    terminal: TerminalName,
    { input, foreground }: { readonly input: string; readonly foreground: Foreground },
    place: ShellPlace,
  ): { readonly text: string; readonly class: CommandClass } {
    const submissions = this.#line(terminal, place).look(input);
    const lines = submissions.flatMap((one) => (one.kind === "line" ? [one.text] : []));
    return {
      text: lines.length > 0 ? lines.join("\n") : input,
      class: classifyInput(this.#parser, { input, submissions, foreground }, place),
    };
  }

  /** The input was allowed and is typed. */
  typed(terminal: TerminalName, input: string, place: ShellPlace): void {
    this.#line(terminal, place).take(input);
  }

  /** A command was started in the conversation's terminal, which empties its line first. */
  cleared(conversation: string): void {
    for (const line of this.#lines.get(conversation)?.values() ?? []) line.cleared();
  }

  #line({ conversation, session }: TerminalName, place: ShellPlace): LineAssembler {
    const lines = this.#lines.get(conversation) ?? new Map<string, LineAssembler>();
    this.#lines.set(conversation, lines);
    const inBash: ShellPlace = { ...place, shell: "bash" };
    const isComplete = (text: string) => this.#parser.classify(text, inBash).unparsed === undefined;
    const line = lines.get(session) ?? new LineAssembler(isComplete);
    lines.set(session, line);
    return line;
  }
}
