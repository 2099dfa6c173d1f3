/** An error whose message says what the operator can do. Where it came from in the code adds nothing to that. */
export class OperatorError extends Error {
  override readonly name: string = "OperatorError";
}

/** Whether a stack helps no one: the message is for operators, or it is the system's own (a port in use, a full disk). */
export function isForOperators(error: unknown): boolean {
  return error instanceof OperatorError || (error instanceof Error && "syscall" in error);
}
