import { checkpointOf, isEmpty, nothingChanged, shownDiff, type Which } from "../checkpoint.ts";
import type { CommandDeps } from "../deps.ts";
import { type Answer, type Asked, button, saying, type Verb } from "../verb.ts";
import { existingWorkspace } from "../workspace-access.ts";

export const diff: Verb = {
  name: "diff",
  forms: [
    {
      usage: "diff",
      summary: "files that the last turn changed",
      act: "readThread",
      run: (deps, asked) => compare(deps, asked, {}),
    },
    {
      usage: "diff since <line>",
      summary: "files changed since a line of this thread's journal",
      takes: { line: /^\d{1,9}$/ },
      act: "readThread",
      run: (deps, asked, { line }) => compare(deps, asked, { since: Number(line) }),
    },
    {
      usage: "diff <checkpoint>",
      summary: "files changed since a checkpoint",
      takes: { checkpoint: /^c\d{1,9}-[0-9a-f]{8}$/ },
      act: "readThread",
      run: (deps, asked, { checkpoint = "" }) => compare(deps, asked, { checkpoint }),
    },
  ],
};

async function compare(deps: CommandDeps, asked: Asked, which: Which): Promise<Answer> {
  const workspace = await existingWorkspace(deps, asked);
  const checkpoint = await checkpointOf(deps, asked, workspace, which);
  const found = await workspace.checkpoints.diff(checkpoint);
  if (isEmpty(found)) return saying(nothingChanged(which));
  return shownDiff(deps, found, [button("Undo …", ["undo", checkpoint])]);
}
