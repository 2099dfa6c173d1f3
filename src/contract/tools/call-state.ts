/** Where a call can be, for the audit and for people. */
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
