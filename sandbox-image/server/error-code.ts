/** What the kernel called it, such as ENOENT; empty for an error that has no code. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
