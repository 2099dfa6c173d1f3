import type { CommandHelp } from "../contract/platform/platform.ts";
import { parseCommand } from "../intake/commands/grammar.ts";
import type { Form } from "../intake/commands/verb.ts";
import { verbs } from "../intake/commands/verbs.ts";

/** All that can be said, for platforms that complete what people type. */
export function commandHelp(): CommandHelp[] {
  return verbs.flatMap(({ name, forms }) =>
    forms.map(({ usage, summary }) => ({ name, usage, summary })),
  );
}

/** Whether these words are about a thread. What is only corrected, such as a misspelt verb, is about none. */
export function needsThread(words: string): boolean {
  const command = parseCommand<Form>(words, VERBS_ONLY, { isCommand: true });
  if (command.kind === "verb") return command.form.needsThread !== false;
  return command.kind !== "malformed";
}

const VERBS_ONLY = {
  verbs: new Map(verbs.map(({ name, forms }) => [name, forms])),
  isOperation: () => false,
  operations: () => [],
  typeOf: () => undefined,
};
