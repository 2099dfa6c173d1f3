import type { OperationName, ParamsOf, Tool } from "../../src/contract/tools/operation.ts";
import type { ApprovedRun } from "../../src/contract/workspace/approved-run.ts";
import type { Shell } from "../../src/contract/workspace/shell.ts";

/** What a handler knows about the call it serves. */
export interface CallContext {
  readonly callId: string;
  /** Whose terminal and tasks it uses: the conversation's own, or those of somebody who works for it. */
  readonly conversation: string;
  /** Where a new terminal of theirs starts, relative to the workspace; the workspace itself when left out. */
  readonly startDirectory?: string | undefined;
  /** The shell of their terminal; bash when left out. */
  readonly shell?: Shell | undefined;
  /** Where the guard saw the call's paths lead; absent when nobody has looked. */
  readonly checkedPaths?: ReadonlySet<string> | undefined;
  /** How an approved command has to run; for the server of one call only. */
  readonly run?: ApprovedRun | undefined;
  /** The person who asked for the call. */
  readonly requester?: string | undefined;
  /** Aborted when the caller cancels. The handler must not settle before what it started is gone. */
  readonly signal: AbortSignal;
  /**
   * Resolves once the call's start is durable, so that it will never run again; rejects when it must not run at all. Awaited
   * for the handler, unless it reads ahead. Absent where no start is recorded.
   */
  readonly recorded?: (() => Promise<void>) | undefined;
  /** Tells whoever waits how far it is; cheap to call often, sent at most a few times a second. */
  progress(message: string): void;
}

/** What an operation answers when it worked; `success: true` is added where it says nothing else. */
export type Answer = Readonly<Record<string, unknown>>;

/** One function per operation of a tool. A ToolError is an answer too; anything else is a bug. */
export type Handlers<T extends Tool> = {
  readonly [Name in OperationName<T>]: (
    params: ParamsOf<T, Name>,
    context: CallContext,
  ) => Promise<Answer>;
};

/**
 * Lets a handler begin while the call's start is still being recorded. It then has to await `context.recorded` itself,
 * before anything that it does takes effect.
 */
export function readsAhead<Handler extends (...args: never[]) => Promise<Answer>>(
  handler: Handler,
): Handler {
  return Object.assign(handler, { readsAhead: true });
}
