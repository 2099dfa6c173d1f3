/** A host that a command names, in the spelling of the command. */
export interface SeenHost {
  readonly host: string;
  readonly port: number;
}

/** A remote of a repository, whose address only the repository knows. */
export interface SeenRemote {
  readonly directory: string;
  readonly remote: string;
}
