import { EngineError } from "../errors.ts";

interface StatusError extends Error {
  readonly statusCode: number;
}

export function hasStatus(error: unknown): error is StatusError {
  return error instanceof Error && "statusCode" in error && typeof error.statusCode === "number";
}

/** The engine proxy answers so, and never the engine itself, where the engine does not. */
const BEHIND_PROXY = 502;

/** What is stopped or removed between the making of an exec and its start is told as a server error. */
export function notRunning(error: unknown): "not-running" {
  if (hasStatus(error) && error.message.includes("is not running")) return "not-running";
  throw error;
}

/** Turns what dockerode throws into a sentence for whoever runs the bot. */
export function explain(error: unknown, host: string): EngineError {
  const cause = error instanceof Error ? error : new Error(String(error));
  if (hasStatus(error) && error.statusCode !== BEHIND_PROXY) {
    const trouble = error.statusCode >= 500 ? "unwell" : "refused";
    return new EngineError(`Docker refused: ${reasonOf(error)}`, { cause, trouble });
  }
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : reasonOf(cause);
  return new EngineError(
    `Docker cannot be reached at ${host} (${code}). Check that it is running, or run \`npm run doctor\`.`,
    { cause, trouble: "away" },
  );
}

/** dockerode writes "(HTTP code 500) server error - the reason ". */
function reasonOf({ message }: Error): string {
  return message.replace(/^\(HTTP code \d+\) [^-]*- /, "").trim();
}
