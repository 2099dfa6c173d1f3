import type { Word } from "./word.ts";

/** What a program finds on its standard input. */
export interface Input {
  /** The programs whose output it is, nearest first; empty when nothing is piped into it. */
  readonly upstream: readonly Call[];
  /** A here-document or here-string. */
  readonly text?: Word;
  /** `< file`. */
  readonly file?: Word;
}

/** The output of something that the text does not put before a program, e.g. of all that writes to a coprocess. */
export const SOME_OUTPUT: Input = {
  upstream: [
    {
      program: "",
      written: "",
      args: [],
      input: { upstream: [] },
      directories: [],
      segment: "",
    },
  ],
};

/** One program that would be started, with its words. */
export interface Call {
  /** The last part of its name, for looking rules up: `rm` for `/bin/rm`. */
  readonly program: string;
  readonly written: string;
  readonly args: readonly Word[];
  readonly input: Input;
  /** Where the shell may stand when it runs; absolute, or UNKNOWN. */
  readonly directories: readonly string[];
  readonly segment: string;
}

/** What a rule can say about a call. */
export interface Inspector {
  readonly workspaceDir: string;
  readonly homeDir: string;
  /** True while what is judged runs as root. */
  readonly asRoot: boolean;
  /** Worth a line on a card, and free. */
  notes(why: string): void;
  click(why: string): void;
  phrase(why: string): void;
  /** A click for something that runs without being written as a command. */
  hides(why: string): void;
  /** It discards work: free only where a checkpoint of the workspace brings it back. */
  discards(why: string, directories?: readonly string[]): void;
  /** The same for a program that works in these directories. */
  worksIn(directories: readonly string[]): Inspector;
  /** It reads credentials: a click, and a phrase where the same command sends something away. */
  credentials(why: string): void;
  /** It sends something to another machine. */
  sends(): void;
  /** It hands whatever it is given to a service as it is. */
  connects(): void;
  /** It fetches a file of that name, or of an unknown one. */
  downloads(path: Word | undefined): void;
  /** These words may be a command: what asks for a phrase or for root in them counts. */
  mayRun(words: readonly Word[]): void;
  root(): void;
  /** It writes there. */
  writes(path: Word): void;
  /** It makes or changes that without giving it other contents: a mode, a directory, a copy of these files. */
  touches(path: Word, sources?: readonly Word[]): void;
  /** It may write there: a database, or a copy of a file if the place before its name is a directory. */
  mayWrite(path: Word, source?: Word): void;
  /** From here on a path leads to another one. */
  links(path: Word, target: Word): void;
  /** It makes that file of others, as a compiler does. */
  outputs(path: Word): void;
  /** It makes that vanish. */
  deletes(path: Word, how: { recursive: boolean }): void;
  /** It starts this program. */
  runs(words: readonly Word[], input?: Input): void;
  /** It has a shell run this text. */
  runsCode(code: Word, what: string): void;
  /** It gives the program that it starts this variable. */
  assigns(name: string, value: Word): void;
  /** `cd`: from here on the shell may stand there. */
  enters(directory: Word): void;
  /** These variables are from here on what nobody knows. */
  forgets(names: readonly Word[]): void;
  /** Names that the command has given to commands of git, with the words that they stand for. */
  readonly gitAliases: Map<string, readonly Word[]>;
  /** Whether that file, or an unnamed one, came from another machine before. */
  cameFromElsewhere(path: Word): boolean;
  /** Whether the command itself has written that file. */
  wasWritten(path: Word): boolean;
}

/** Says what is more than reading about a call; a rule that says nothing means: only reads. */
export type Rule = (call: Call, inspect: Inspector) => void;
export type Rules = Readonly<Record<string, Rule>>;

export const onlyReads: Rule = () => {};

export function asks(why: string): Rule {
  return (_, inspect) => inspect.click(why);
}

export function asksPhrase(why: string): Rule {
  return (_, inspect) => inspect.phrase(why);
}

/** Reaches for credentials. */
export const credentials: Rule = (_, inspect) => inspect.credentials("reads or uses credentials");

export function changes(why: string): Rule {
  return ({ args }, inspect) => {
    inspect.notes(why);
    writesOutputs(args, inspect);
  };
}

/** Names that nearly all programs use for a file that they write. */
const OUTPUT =
  /^(?:-o|-O|--?out(?:put|file|dir|-file|-dir|put-file|put-dir|put-path|put-directory)?|--?(?:save|write|export|dest|destination|target-dir|report-file|log-file|to-file))(?:=(.+))?$/i;

/** Names of options for reports and the like, of which only those count that lead to a place of their own. */
const REPORT =
  /^--(?:[\w-]+-)?(?:xml|html|report|log|dump|trace|record|output|save|export|write)(?:-(?:file|path|dir|to))?(?:=(.+))?$/i;

/** Where the guard knows no better, the values of such options are files that the program writes. */
export function writesOutputs(args: readonly Word[], inspect: Inspector): void {
  for (const [index, { text, shape }] of args.entries()) {
    const next = args[index + 1];
    const [option, attached] = OUTPUT.exec(shape) ?? reportPlace(shape, next);
    if (option === undefined) continue;
    if (attached !== undefined) inspect.outputs({ text, shape: attached });
    else if (next && !next.shape.startsWith("-")) inspect.outputs(next);
  }
}

function reportPlace(shape: string, next: Word | undefined): readonly string[] {
  const match = REPORT.exec(shape);
  return match && /^(?:\/|~|\.\.)/.test(match[1] ?? next?.shape ?? "") ? match : [];
}

/** A tool that may start programs named by its words. */
export function tool(why: string): Rule {
  return ({ args }, inspect) => {
    inspect.notes(why);
    writesOutputs(args, inspect);
    inspect.mayRun(args);
  };
}

/** The same rule for many names. */
export function each(names: string, rule: Rule): Rules {
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, rule]));
}
