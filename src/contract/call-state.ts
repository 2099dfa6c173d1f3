/** Where a call can be. */
export const CALL_STATES = [
  "Queued",
  "Validating",
  "ValidationFailed",
  "CheckingAuth",
  "AuthDenied",
  "AuthPending",
  "BlockingWait",
  "UserResponded",
  "UserRejected",
  "Cancelled",
  "Executing",
  "Routing",
  "InternalTool",
  "DirectExecution",
  "EmitProgress",
  "Success",
  "Failure",
  "GenerateResult",
  "AddMetrics",
  "AddEvents",
] as const;
export type CallState = (typeof CALL_STATES)[number];

/** One step of a call, for the journal and the audit. */
export interface StateChange {
  readonly conversation: string;
  readonly callId: string;
  /** As far as it is known yet. */
  readonly operationKey: string;
  readonly state: CallState;
  readonly at: string;
}
