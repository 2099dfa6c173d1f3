import { OperatorError } from "../lib/operator-error.ts";

/**
 * Why: "away" could not be reached at all, which passes when it is restarted; "unwell" failed on its own
 * side, as it does while it shuts down; "refused" will refuse the same again.
 */
export type EngineTrouble = "away" | "unwell" | "refused";

/** Docker does not do what it should. Written for the operator, fit to be shown in a thread. */
export class EngineError extends OperatorError {
  override readonly name = "EngineError";
  readonly trouble: EngineTrouble;

  constructor(message: string, options: ErrorOptions & { trouble: EngineTrouble }) {
    super(message, options);
    this.trouble = options.trouble;
  }
}

/** A workspace cannot be had, or not in this way; the text says what to do. */
export class WorkspaceError extends OperatorError {
  override readonly name: string = "WorkspaceError";
}

/** The connection to a workspace's server ended. Whoever had asked something may ask again. */
export class ChannelLost extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ChannelLost";
  }
}

/** The workspace was removed on purpose while somebody used it. */
export class WorkspaceReset extends WorkspaceError {
  override readonly name = "WorkspaceReset";

  constructor() {
    super("The workspace was reset during this call.");
  }
}

export function lostAsUndefined(error: unknown): undefined {
  if (error instanceof ChannelLost) return undefined;
  throw error;
}
