/** Where a call can be. */
export type CallState =
  | "Queued"
  | "Validating"
  | "ValidationFailed"
  | "CheckingAuth"
  | "AuthDenied"
  | "AuthPending"
  | "BlockingWait"
  | "UserResponded"
  | "UserRejected"
  | "Cancelled"
  | "Executing"
  | "Routing"
  | "InternalTool"
  | "DirectExecution"
  | "EmitProgress"
  | "Success"
  | "Failure"
  | "GenerateResult"
  | "AddMetrics"
  | "AddEvents";

/** One step of a call, for the journal and the audit. */
export interface StateChange {
  readonly conversation: string;
  readonly callId: string;
  /** As far as it is known yet. */
  readonly operationKey: string;
  readonly state: CallState;
  readonly at: string;
}
