import type { Refusal } from "../network.ts";

/** The network of a conversation's workspace, as far as a call is concerned. */
export interface CallNetwork {
  /** A call has ended: hosts that were open for it alone are closed. Answers what was refused since it began. */
  ended(call: {
    readonly conversation: string;
    readonly callId: string;
    readonly startedAt: number;
  }): Promise<readonly Refusal[]>;
}
