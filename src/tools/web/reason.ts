const LIMIT_CHARS = 200;

/** Why a request failed. The client says only "fetch failed" itself; the reason is what it wraps. */
export function reasonOf(error: unknown): string {
  let reason = error;
  while (reason instanceof Error && reason.cause !== undefined) reason = reason.cause;
  return (reason instanceof Error ? reason.message : String(reason)).slice(0, LIMIT_CHARS);
}
