import { count } from "../../contract/display.ts";
import type { View, ViewButton } from "../../contract/platform/view.ts";
import type { CheckpointDiff } from "../../contract/workspace/checkpoints.ts";
import type { Workspace } from "../../contract/workspace/workspace.ts";
import { textFile } from "../../conversation/shown/shown-output.ts";
import { checkpoints as keptCheckpoints } from "../../journal/checkpoints.ts";
import type { CommandDeps } from "./deps.ts";
import { type Answer, type Asked, CommandRefusedError } from "./verb.ts";

const INLINE_CHARS = 2_800;
const NOTHING_KEPT = "No turn in this thread has changed files yet.";

/** Which state is meant: the one named, or the one before the first change since a line of the journal. */
export interface Which {
  readonly checkpoint?: string;
  /** Without one, the last turn that changed something. */
  readonly since?: number;
}

/** What was kept of an earlier workspace is gone with it. */
export async function checkpointOf(
  { journal }: Pick<CommandDeps, "journal">,
  { conversation }: Asked,
  { checkpoints }: Workspace,
  { checkpoint: named, since }: Which,
): Promise<string> {
  if (named !== undefined) return named;
  const made =
    since === undefined
      ? [await journal.last(conversation, "checkpoint")]
      : (await journal.fold(conversation, keptCheckpoints)).filter(({ seq }) => seq > since);
  const { checkpoints: kept } = await checkpoints.list();
  const found = made
    .flatMap((one) => one ?? [])
    .find(({ checkpoint: id }) => !id || kept.some(({ checkpoint }) => checkpoint === id));
  if (!found) throw new CommandRefusedError(NOTHING_KEPT);
  if (found.checkpoint !== undefined) return found.checkpoint;
  throw new CommandRefusedError(
    `The checkpoint before the last turn failed${found.problem ? `: ${found.problem}` : ""}.`,
  );
}

/** What has changed, with the whole as a file where it is long. */
export function shownDiff(
  { redactor }: Pick<CommandDeps, "redactor">,
  { diff, added, removed, changed, truncated }: CheckpointDiff,
  buttons: readonly ViewButton[],
): Answer {
  const text = redactor.redact(diff).trimEnd();
  const title = `${count(changed, "file")} changed, ${added} added, ${removed} removed`;
  const shown = text.length <= INLINE_CHARS ? text : text.slice(0, INLINE_CHARS).toWellFormed();
  const note = truncated ? `${title} (shortened)` : title;
  const view: View = { kind: "diff", title: note, diff: shown, buttons };
  return { views: [view], files: shown === text ? [] : [textFile("changes.diff", text, note)] };
}

/** Only those who have named a checkpoint know what its name stands for. */
export function nothingChanged({ checkpoint, since }: Which): string {
  if (checkpoint !== undefined) return `Nothing has changed since checkpoint ${checkpoint}.`;
  if (since !== undefined) return "Nothing has changed since then.";
  return "The last turn changed no files.";
}

export function isEmpty({ added, removed, changed }: CheckpointDiff): boolean {
  return added + removed + changed === 0;
}
