import { closest } from "../../lib/edit-distance.ts";
import { type DirectCall, MalformedCommandError, readArguments, unfenced } from "./arguments.ts";
import { type Args, matchForm, type Usage } from "./forms.ts";

/** What somebody has said to the bot. */
export type Command<Form extends Usage = Usage> =
  | { readonly kind: "call"; readonly call: DirectCall }
  | { readonly kind: "verb"; readonly verb: string; readonly form: Form; readonly args: Args }
  /** Something for a turn of its own. */
  | { readonly kind: "queue"; readonly text: string }
  /** Meant as a command without doubt, and wrong. */
  | { readonly kind: "malformed"; readonly problem: string }
  /** No command. `hint` is what comes next to it. */
  | { readonly kind: "talk"; readonly hint?: string };

/** Everything that can be said. */
export interface Vocabulary<Form extends Usage = Usage> {
  readonly verbs: ReadonlyMap<string, readonly Form[]>;
  /** Canonical or not: whether a call of this name would find its operation. */
  isOperation(name: string): boolean;
  operations(): readonly string[];
  typeOf(operation: string, parameter: string): string | undefined;
}

const RUN_COMMAND = "terminal_operations.run_command";
const LONGEST_CHARS = 100_000;

export interface ParseOptions {
  /** It came as a slash command or a button: it cannot be anything but a command. */
  readonly isCommand?: boolean;
}

/** Reads what somebody has said; never throws, whatever it is. */
export function parseCommand<Form extends Usage>(
  said: string,
  vocabulary: Vocabulary<Form>,
  { isCommand = false }: ParseOptions = {},
): Command<Form> {
  const text = said.trim();
  const shell = /^\$(?:\s+|(?=```)|$)/.exec(text);
  try {
    if (shell) return { kind: "call", call: shellCall(text.slice(shell[0].length)) };
    if (text.length > LONGEST_CHARS) return { kind: "talk" };
    const queued = /^[/!]?queue\s+(\S[\s\S]*)$/i.exec(text)?.[1];
    if (queued !== undefined) return { kind: "queue", text: queued };
    return toolCall(text, vocabulary) ?? verbCommand(text, vocabulary, isCommand);
  } catch (error) {
    if (!(error instanceof MalformedCommandError)) throw error;
    return { kind: "malformed", problem: error.message };
  }
}

function shellCall(rest: string): DirectCall {
  const command = unfenced(rest.trim()).replaceAll("\r\n", "\n");
  if (command === "")
    throw new MalformedCommandError("Write a command after $, for example `$ npm test`.");
  if (command.includes("\0"))
    throw new MalformedCommandError("A command cannot contain a NUL character.");
  if (command.length > LONGEST_CHARS) {
    throw new MalformedCommandError(
      `A command can have at most ${LONGEST_CHARS} characters. Attach it as a file and run that.`,
    );
  }
  return { name: RUN_COMMAND, arguments: { command } };
}

/** Names with a dot also stand in ordinary sentences: without arguments it has to be one that exists. */
function toolCall(text: string, vocabulary: Vocabulary): Command<never> | undefined {
  const found = /^([a-z][\w-]*(?:\.[a-z][\w-]*)*)(?:\s+|(?=\{)|$)/i.exec(text);
  const name = found?.[1];
  if (!found || name === undefined || vocabulary.verbs.has(name.toLowerCase())) return undefined;
  const rest = text.slice(found[0].length).trim();
  const hasArguments = /^(\{|```|[A-Za-z_][\w-]*=)/.test(rest);
  if (vocabulary.isOperation(name)) {
    if (rest !== "" && !hasArguments && !name.includes(".")) return undefined;
    const args = readArguments(rest, (parameter) => vocabulary.typeOf(name, parameter));
    return { kind: "call", call: { name, arguments: args } };
  }
  if (!hasArguments || !name.includes(".")) return undefined;
  const near = closest(name, vocabulary.operations(), 4);
  const instead = near === undefined ? "`tools` lists them." : `Did you mean \`${near}\`?`;
  throw new MalformedCommandError(`There is no operation ${name}. ${instead}`);
}

/** With `/` or `!` before it a verb is meant; without, only what is said exactly as the verb wants it. */
function verbCommand<Form extends Usage>(
  text: string,
  { verbs }: Vocabulary<Form>,
  isCommand: boolean,
): Command<Form> {
  const [, mark, word = "", rest = ""] = /^([/!]?)([a-z]+)(?![\w/.:])([\s\S]*)$/i.exec(text) ?? [];
  const verb = word.toLowerCase();
  const isMeant = isCommand || (mark !== undefined && mark !== "");
  const forms = verbs.get(verb);
  if (!forms) return unknownVerb(verb, [...verbs.keys()], isMeant);
  // "stop!" and "status?" mean the same without.
  const said = rest.replace(/^[.!?]+$/, "");
  for (const form of forms) {
    const args = matchForm(form, said);
    if (args) return { kind: "verb", verb, form, args };
  }
  const usages = `Say ${forms.map(({ usage }) => `\`${usage}\``).join(" or ")}.`;
  if (isMeant) throw new MalformedCommandError(usages);
  return { kind: "talk", hint: usages };
}

function unknownVerb(verb: string, verbs: readonly string[], isMeant: boolean): Command<never> {
  const near = verb.length < 3 ? undefined : closest(verb, verbs, verb.length < 5 ? 1 : 2);
  if (near === undefined) return { kind: "talk" };
  const hint = `Did you mean \`${near}\`?`;
  return isMeant ? { kind: "malformed", problem: hint } : { kind: "talk", hint };
}
