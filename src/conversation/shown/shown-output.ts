import type { FileShare, View, ViewButton } from "../../contract/platform/view.ts";
import type { Redactor } from "../../contract/redactor.ts";
import { visible } from "../../lib/text/neutral.ts";

const INLINE_LINES = 40;
const INLINE_CHARS = 2_800;

interface OutputOptions {
  readonly title: string;
  /** Name of the file that holds the whole. */
  readonly file: string;
  readonly buttons?: readonly ViewButton[];
  /** How many lines are shown at most. */
  readonly lines?: number;
}

export interface ShownOutput {
  readonly views: readonly [Extract<View, { kind: "terminal" }>];
  readonly files: readonly FileShare[];
}

/** Output for people: its end where they read it, and the whole as a file where that is longer. */
export function shownOutput(
  redactor: Pick<Redactor, "redact">,
  text: string,
  { title, file, buttons = [], lines = INLINE_LINES }: OutputOptions,
): ShownOutput {
  // Before it is cut: half a secret is not found.
  const whole = visible(redactor.redact(text)).trimEnd();
  const all = whole.split("\n");
  const kept = all.slice(-lines);
  while (kept.length > 1 && kept.join("\n").length > INLINE_CHARS) kept.shift();
  const shown = kept.join("\n").slice(-INLINE_CHARS).toWellFormed();
  const hiddenLines = all.length - kept.length;
  const view = { kind: "terminal" as const, title, text: shown, hiddenLines, buttons };
  return { views: [view], files: shown === whole ? [] : [textFile(file, whole, title)] };
}

export function textFile(name: string, text: string, comment: string): FileShare {
  const bytes = new TextEncoder().encode(`${text}\n`);
  return { name, mimeType: "text/plain", bytes, comment };
}
