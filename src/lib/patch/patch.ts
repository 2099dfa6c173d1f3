/**
 * What a patch asks for, whatever form it was written in. The guard and the workspace server both read patches
 * with this code, so the paths that are asked about are the paths that are touched.
 */
export interface FilePatch {
  readonly kind: "modify" | "create" | "delete" | "rename" | "copy";
  /** The file that the hunks apply to; for "create" the same as `newPath`. */
  readonly oldPath: string;
  /** The file that comes of it; for "delete" the same as `oldPath`. */
  readonly newPath: string;
  /** Permission bits after the patch, where the patch says so. */
  readonly mode?: number;
  readonly hunks: readonly Hunk[];
  /** What was disregarded to read the patch, as a sentence. */
  readonly note?: string;
}

export interface Hunk {
  /** Line of the old file where the hunk begins, from 1; absent where the form has no line numbers. */
  readonly oldStart?: number;
  /** Lines that come somewhere before the hunk, one after the other (`@@ class A` of the Begin Patch form). */
  readonly anchors: readonly string[];
  readonly lines: readonly HunkLine[];
  /** The hunk's last old line is the last of the file. */
  readonly atEnd: boolean;
  /** Whether the old and the new file lack the newline at their end; absent where the hunk does not say. */
  readonly oldWithoutNewline?: boolean;
  readonly newWithoutNewline?: boolean;
}

export interface HunkLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** The lines that the hunk wants to find, or to leave behind. */
export function linesOf(hunk: Hunk, side: "old" | "new"): string[] {
  const other = side === "old" ? "+" : "-";
  return hunk.lines.filter(({ sign }) => sign !== other).map(({ text }) => text);
}
