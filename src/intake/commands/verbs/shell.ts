import { actorKey } from "../../../contract/platform/actor.ts";
import { Shell } from "../../../contract/workspace/shell.ts";
import type { CommandDeps } from "../deps.ts";
import { type Answer, type Asked, notice, saying, type Verb } from "../verb.ts";

export const shell: Verb = {
  name: "shell",
  forms: [
    {
      usage: "shell",
      summary: "the shell of this thread's terminals",
      act: "readThread",
      run: async ({ choices }, { conversation }) => {
        const { shell: chosen = "bash" } = await choices.of(conversation);
        return saying(`This thread's terminals use ${chosen}. Change it with \`shell <name>\`.`);
      },
    },
    {
      usage: "shell <name>",
      summary: "use `bash`, `zsh` or `fish`",
      takes: { name: new RegExp(`^(?:${Shell.options.join("|")})$`) },
      act: "changeSettings",
      run: use,
    },
  ],
};

async function use(
  { choices, audit }: CommandDeps,
  { conversation, actor }: Asked,
  { name = "" }: Readonly<Record<string, string>>,
): Promise<Answer> {
  const wanted = Shell.parse(name);
  const { shell: from = "bash" } = await choices.of(conversation);
  await audit.record({
    kind: "setting.changed",
    actor: actorKey(actor),
    conversation,
    setting: "shell",
    from,
    to: wanted,
  });
  await choices.change(conversation, ({ shell: _, ...chosen }) =>
    wanted === "bash" ? chosen : { ...chosen, shell: wanted },
  );
  return {
    announced: [
      notice(`This thread's terminals use ${wanted}, starting with the next command. ${KEPT}`),
    ],
  };
}

const KEPT =
  "An idle terminal is replaced and keeps its directory, but not its variables and functions. A busy one stays until its command ends.";
