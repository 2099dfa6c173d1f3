import { verbs } from "../intake/commands/verbs.ts";

/** One way to say a command. */
interface CommandHelp {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
}

/** All that can be said, for platforms that complete what people type. */
export function commandHelp(): CommandHelp[] {
  return verbs.flatMap(({ name, forms }) =>
    forms.map(({ usage, summary }) => ({ name, usage, summary })),
  );
}
