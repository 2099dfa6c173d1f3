/** One way to say a command. */
export interface CommandHelp {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
}

/** What this platform asks the bot about, beside handing over what happens. */
export interface DiscordHooks {
  /** For the completion of slash commands. */
  commands?(): readonly CommandHelp[];
}
