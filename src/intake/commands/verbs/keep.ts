import type { CommandDeps } from "../deps.ts";
import { type Answer, type Asked, notice, type Verb } from "../verb.ts";
import { assertWorkspace } from "../workspace-access.ts";

export const keep: Verb = {
  name: "keep",
  forms: [
    {
      usage: "keep",
      summary: "keep this thread's workspace even when no one uses it",
      act: "command",
      run: (deps, asked) => set(deps, asked, true),
    },
    {
      usage: "keep off",
      summary: "remove it again after the usual time",
      act: "command",
      run: (deps, asked) => set(deps, asked, false),
    },
  ],
};

async function set(deps: CommandDeps, asked: Asked, isKept: boolean): Promise<Answer> {
  const workspaces = await assertWorkspace(deps, asked);
  await workspaces.keep(asked.conversation, isKept);
  const text = isKept
    ? "This thread's workspace is kept until someone says `keep off`."
    : "This thread's workspace is removed again when it is unused for long.";
  return { announced: [notice(text)] };
}
