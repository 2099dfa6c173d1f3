import { WorkspaceError } from "../contract/workspace/workspace.ts";

/**
 * Why: "away" could not be reached at all, which passes when it is restarted; "unwell" failed on its own
 * side, as it does while it shuts down; "refused" will refuse the same again.
 */
export type EngineTrouble = "away" | "unwell" | "refused";

/** Docker does not do what it should. Written for the operator, fit to be shown in a thread. */
export class EngineError extends WorkspaceError {
  override readonly name = "EngineError";
  readonly trouble: EngineTrouble;

  constructor(message: string, options: ErrorOptions & { trouble: EngineTrouble }) {
    super(message, options);
    this.trouble = options.trouble;
  }
}

/** The connection to a workspace's server ended. Whoever had asked something may ask again. */
export class ChannelLostError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ChannelLostError";
  }
}

/** The workspace was removed on purpose while somebody used it. */
export class WorkspaceResetError extends WorkspaceError {
  override readonly name = "WorkspaceResetError";

  constructor() {
    super("The workspace was reset during this call.");
  }
}

export function lostAsUndefined(error: unknown): undefined {
  if (error instanceof ChannelLostError) return undefined;
  throw error;
}
