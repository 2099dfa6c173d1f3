import type { OpenForm } from "../../src/contract/platform/form-click.ts";

/** One way to say a command. */
export interface CommandHelp {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
}

/** What this platform asks the bot about, beside handing over what happens. */
export interface DiscordHooks {
  /** Asked before a button's form opens. Without it, every form opens. */
  readonly openForm?: OpenForm;
  /** For the completion of slash commands. */
  commands?(): readonly CommandHelp[];
}
