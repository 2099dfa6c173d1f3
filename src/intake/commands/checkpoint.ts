import type { CheckpointDiff } from "../../contract/checkpoints.ts";
import { ConversationLine } from "../../contract/conversation-line.ts";
import { count } from "../../contract/display.ts";
import type { View, ViewButton } from "../../contract/view.ts";
import { textFile } from "../../conversation/shown-output.ts";
import type { CommandDeps } from "./deps.ts";
import { type Answer, type Asked, Refusal } from "./verb.ts";

const INLINE_CHARS = 2_800;
const NOTHING_KEPT =
  "Nothing in this thread has changed files yet, so there is nothing to compare with.";

/** The state before the last turn that changed something, or before the first one after a line of the journal. */
export async function checkpointOf(
  deps: CommandDeps,
  { conversation }: Asked,
  afterSeq?: number,
): Promise<string> {
  const line =
    afterSeq === undefined
      ? await deps.store.last(conversation, "checkpoint")
      : (await deps.store.read(conversation, { after: afterSeq })).find(
          ({ kind }) => kind === "checkpoint",
        );
  if (!line) throw new Refusal(NOTHING_KEPT);
  const known = ConversationLine.parse({ kind: line.kind, data: line.data });
  if (known.kind !== "checkpoint") throw new Refusal(NOTHING_KEPT);
  const { checkpoint, problem } = known.data;
  if (checkpoint !== undefined) return checkpoint;
  throw new Refusal(
    `Before the last turn no checkpoint could be kept: ${problem ?? "nobody knows why"}.`,
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
  const note = truncated ? `${title} (not all of the text)` : title;
  const view: View = { kind: "diff", title: note, diff: shown, buttons };
  return { views: [view], files: shown === text ? [] : [textFile("changes.diff", text, note)] };
}

export function isEmpty({ added, removed, changed }: CheckpointDiff): boolean {
  return added + removed + changed === 0;
}
