import { z } from "zod";

/** The recorded output of one terminal, without secrets: of each shell that had its session id, oldest first. */
export const RecordedTerminal = z.object({
  session_id: z.string(),
  working_directory: z.string(),
  rows: z.int(),
  cols: z.int(),
  /** `created` tells one shell from the next. */
  shells: z.array(z.object({ created: z.string(), output: z.string() })),
});
export type RecordedTerminal = z.infer<typeof RecordedTerminal>;

/** What it has shown before the shell that is open now, if one is. */
export function recordedOutput(
  terminal: RecordedTerminal | undefined,
  open?: { readonly created: string },
): string {
  const ended = (terminal?.shells ?? []).filter(({ created }) => created !== open?.created);
  // Every shell begins on a line of its own.
  return ended.map(({ output }) => output.replace(/\n?$/, "\n")).join("");
}
