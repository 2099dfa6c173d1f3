/** A program of an external server, wherever it runs. */
export interface ServerProcess {
  /** Never throws: what no one reads any more is lost. */
  write(text: string): void;
  /** Ends it with everything that it has started. Resolves once nothing of it is left. */
  stop(): Promise<void>;
}

/** Called as things happen; none of these may throw. */
export interface ServerProcessHooks {
  readonly onStdout: (chunk: Buffer) => void;
  readonly onStderr: (chunk: Buffer) => void;
  /** Once, with how it ended: "exit code 1". */
  readonly onEnd: (how: string) => void;
}

/** What runs in a container of its own: no secret of the bot, no workspace, and no network unless one is named. */
export interface ServerContainer {
  /** The server's name. */
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Copied to its working directory. */
  readonly files: Readonly<Record<string, Uint8Array>>;
  readonly network: string | undefined;
  readonly memoryBytes: number;
}

/** Where servers run that the operator does not run on the bot's machine. */
export interface ServerContainers {
  start(container: ServerContainer, hooks: ServerProcessHooks): Promise<ServerProcess>;
  /** Removes what an earlier run of this bot has left. */
  removeLeft(): Promise<void>;
}
