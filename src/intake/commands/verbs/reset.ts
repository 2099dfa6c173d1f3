import { actorKey } from "../../../contract/platform/actor.ts";
import { plainLine } from "../../../lib/text/write-markdown.ts";
import { namesIn } from "../names.ts";
import { button, notice, type Verb } from "../verb.ts";
import { assertNoTurn, assertWorkspace } from "../workspace-access.ts";

export const reset: Verb = {
  name: "reset",
  forms: [
    {
      usage: "reset",
      summary: "remove this thread's workspace and its files; asks first",
      act: "command",
      run: async (deps, asked) => {
        await assertNoTurn(deps, asked);
        await assertWorkspace(deps, asked);
        const text =
          "All files, terminals and checkpoints of this thread's workspace would be permanently deleted. The messages stay.";
        const yes = button("Remove the workspace", ["reset", "confirm"], "danger");
        return { views: [notice(text, { level: "warning", buttons: [yes] })] };
      },
    },
    {
      usage: "reset confirm",
      summary: "remove it now",
      act: "command",
      run: async (deps, asked) => {
        await assertNoTurn(deps, asked);
        const workspaces = await assertWorkspace(deps, asked);
        const { conversation, actor } = asked;
        const by = actorKey(actor);
        const reason = "reset on request";
        await deps.audit.record({ kind: "workspace.reset", actor: by, conversation, reason });
        await workspaces.reset(conversation);
        await deps.memories.forgetRecent(conversation);
        const text = `The workspace was removed by ${plainLine((await namesIn(deps, conversation, [by]))(by))}. The next command creates a new one.`;
        return { announced: [notice(text)] };
      },
    },
  ],
};
