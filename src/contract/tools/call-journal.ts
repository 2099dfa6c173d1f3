import type { Allowed, PlannedCall, Verdict } from "../permission/gate.ts";
import type { ToolResult } from "./tool-call.ts";

/** The journal's part in the calls of one turn. What cannot be written throws. */
export interface CallJournal {
  /** What the guard had said of a call that had begun before the bot went down. Undefined: it has not begun. */
  begun(callId: string): Promise<Allowed | undefined>;
  /** The verdict, or the approval of exactly this call that was used up just before the bot went down. */
  withUsedApproval(callId: string, verdict: Verdict): Promise<Verdict>;
  /** Keeps all files before the turn's first change. */
  checkpoint(call: PlannedCall): Promise<void>;
  /** Why the turn's checkpoint would not bring everything back. Absent where there is no turn. */
  readonly checkpointGap?: () => Promise<string | undefined>;
  started(callId: string, call: PlannedCall, verdict: Allowed): Promise<void>;
  finished(result: ToolResult): Promise<void>;
  /** Throws when the conversation is no longer this bot's: whoever has it next goes on with the call, which has not failed. */
  throwIfLeft(): void;
}

/** For calls beside every turn: nothing of them is in the journal. */
export const NOT_JOURNALED: CallJournal = {
  begun: async () => undefined,
  withUsedApproval: async (_callId, verdict) => verdict,
  checkpoint: async () => {},
  started: async () => {},
  finished: async () => {},
  throwIfLeft: () => {},
};
