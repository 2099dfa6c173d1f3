import type { CallState } from "../contract/call-state.ts";

/**
 * Where a call may go from where it is. "Cancelled" stands for all that ended before it could run: somebody stopped it, or
 * it could not be recorded. Every end leads through a result with its metrics.
 */
const NEXT: Readonly<Record<CallState, readonly CallState[]>> = {
  Queued: ["Validating", "Cancelled"],
  Validating: ["ValidationFailed", "CheckingAuth", "Cancelled"],
  CheckingAuth: ["AuthDenied", "AuthPending", "Executing", "Cancelled"],
  // Where nobody asks for the model, it gets a result that says how to ask by itself.
  AuthPending: ["BlockingWait", "GenerateResult", "Cancelled"],
  BlockingWait: ["UserResponded", "UserRejected", "Cancelled"],
  // The guard decides anew: what it looked at may have changed while a human was thinking.
  UserResponded: ["CheckingAuth", "Cancelled"],
  Executing: ["Routing", "DirectExecution", "Cancelled", "Failure"],
  Routing: ["InternalTool", "Failure"],
  InternalTool: ["DirectExecution", "Failure"],
  DirectExecution: ["EmitProgress", "Success", "Failure"],
  EmitProgress: ["DirectExecution"],
  ValidationFailed: ["GenerateResult"],
  AuthDenied: ["GenerateResult"],
  UserRejected: ["GenerateResult"],
  Cancelled: ["GenerateResult"],
  Success: ["GenerateResult"],
  Failure: ["GenerateResult"],
  GenerateResult: ["AddMetrics"],
  AddMetrics: ["AddEvents"],
  AddEvents: [],
};

/** Where a call ends up that fails in a state. */
const FAILURE: Partial<Record<CallState, CallState>> = {
  Validating: "ValidationFailed",
  CheckingAuth: "AuthDenied",
  Executing: "Failure",
  Routing: "Failure",
  InternalTool: "Failure",
  DirectExecution: "Failure",
};

/** The way of one call. A step that is not allowed throws and changes nothing. */
export class CallStates {
  #current: CallState;
  readonly #onChange: (state: CallState) => void | Promise<void>;

  /** A call begins as "Queued"; one that a human was asked about goes on from "BlockingWait". */
  constructor(
    begin: "Queued" | "BlockingWait",
    onChange: (state: CallState) => void | Promise<void>,
  ) {
    this.#current = begin;
    this.#onChange = onChange;
  }

  get current(): CallState {
    return this.#current;
  }

  /** Resolves once whoever keeps the record has it. */
  async to(next: CallState): Promise<void> {
    if (!NEXT[this.#current].includes(next)) {
      throw new Error(`A call cannot go from ${this.#current} to ${next}.`);
    }
    this.#current = next;
    await this.#onChange(next);
  }

  /** Where a failure leads from here. */
  get failure(): CallState {
    return FAILURE[this.#current] ?? "Cancelled";
  }
}
