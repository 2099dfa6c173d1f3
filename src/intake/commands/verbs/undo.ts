import { count } from "../../../contract/display.ts";
import { actorKey } from "../../../contract/platform/actor.ts";
import { evictionText } from "../../../contract/workspace/checkpoints.ts";
import { checkpointOf, isEmpty, nothingChanged, shownDiff, type Which } from "../checkpoint.ts";
import type { CommandDeps } from "../deps.ts";
import {
  type Answer,
  type Asked,
  button,
  CommandRefusedError,
  idOf,
  notice,
  saying,
  type Verb,
} from "../verb.ts";
import { assertNoTurn, existingWorkspace } from "../workspace-access.ts";

const CHECKPOINT = /^c\d{1,9}-[0-9a-f]{8}$/;

export const undo: Verb = {
  name: "undo",
  forms: [
    {
      usage: "undo",
      summary: "undo the last turn's changes to files; shows them first, and asks",
      act: "command",
      run: (deps, asked) => ask(deps, asked, {}),
    },
    {
      usage: "undo since <line>",
      summary: "undo everything since a line of this thread's journal",
      takes: { line: /^\d{1,9}$/ },
      act: "command",
      run: (deps, asked, { line }) => ask(deps, asked, { since: Number(line) }),
    },
    {
      usage: "undo <checkpoint>",
      summary: "undo everything since a checkpoint",
      takes: { checkpoint: CHECKPOINT },
      act: "command",
      run: (deps, asked, { checkpoint = "" }) => ask(deps, asked, { checkpoint }),
    },
    {
      usage: "undo confirm <checkpoint>",
      summary: "restore a checkpoint now",
      takes: { checkpoint: CHECKPOINT },
      act: "command",
      run: (deps, asked, { checkpoint = "" }) => restore(deps, asked, checkpoint),
    },
  ],
};

async function ask(deps: CommandDeps, asked: Asked, which: Which): Promise<Answer> {
  await assertNoTurn(deps, asked);
  const workspace = await existingWorkspace(deps, asked);
  const checkpoint = await checkpointOf(deps, asked, workspace, which);
  const found = await workspace.checkpoints.diff(checkpoint);
  if (isEmpty(found)) return saying(nothingChanged(which));
  return shownDiff(deps, found, [
    button("Undo all of this", ["undo", "confirm", checkpoint], "danger"),
  ]);
}

async function restore(deps: CommandDeps, asked: Asked, checkpoint: string): Promise<Answer> {
  await assertNoTurn(deps, asked);
  const workspace = await existingWorkspace(deps, asked);
  const entry = {
    kind: "call" as const,
    actor: actorKey(asked.actor),
    conversation: asked.conversation,
    callId: idOf("undo", asked.event),
    operation: "checkpoint_operations.restore",
    target: `Restoring checkpoint: ${checkpoint}`,
  };
  await deps.audit.record({
    ...entry,
    states: ["Executing"],
    decision: "allowed",
    how: "userInitiated",
  });
  const report = await workspace.checkpoints.restore(checkpoint, { callId: entry.callId });
  const outcome = report.complete ? "success" : "failure";
  await deps.audit.record({ ...entry, states: ["Success"], outcome });
  const { restored, deleted, before, complete, skipped, evicted = 0 } = report;
  const gone = evicted > 0 ? ` ${evictionText(evicted)}` : "";
  const done = `Undone: ${count(restored, "path")} brought back, ${deleted} removed.${gone}`;
  const again = button("Undo the undo …", ["undo", before]);
  if (complete) return { announced: [notice(done, { buttons: [again] })] };
  const left = skipped.map(({ path, why }) => `- ${path}: ${why}`).join("\n");
  throw new CommandRefusedError(`${done} These could not be restored:\n${left}`);
}
