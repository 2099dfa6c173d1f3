/** Where external servers are configured. All of it is the operator's: nothing is read from a workspace or a repository. */
export interface McpSettings {
  /** The `mcpServers` file. Absent: `.mcp.json` in the data directory, where there is one. */
  readonly file: string | undefined;
  readonly dataDir: string;
  /** The image that servers run in, where their entries name none. */
  readonly image: string;
  /** The bot's own environment. An entry gets of it only what it lists, and never a secret of the bot. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The bot's own tokens and keys. */
  readonly ownSecrets: ReadonlySet<string>;
}
