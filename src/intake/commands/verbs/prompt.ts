import { actorKey } from "../../../contract/platform/actor.ts";
import { neutralLine } from "../../../lib/text/neutral.ts";
import type { CommandDeps } from "../deps.ts";
import {
  type Answer,
  type Asked,
  CommandRefusedError,
  notice,
  saying,
  type Verb,
} from "../verb.ts";

export const prompt: Verb = {
  name: "prompt",
  forms: [
    {
      usage: "prompt",
      summary: "the agent's system prompt in this thread",
      act: "readThread",
      run: list,
    },
    { usage: "prompt list", summary: "the same", act: "readThread", run: list },
    {
      usage: "prompt use <id>",
      summary: "choose another system prompt; `default` goes back",
      takes: { id: /^[\w.-]{1,100}$/ },
      act: "changeSettings",
      run: use,
    },
  ],
};

async function list({ prompts, choices }: CommandDeps, { conversation }: Asked): Promise<Answer> {
  const known = await prompts.systemPrompts();
  const { systemPrompt = "default" } = await choices.of(conversation);
  const lines = known.map(({ id, name, description }) => {
    const sign = id === systemPrompt ? " **(in use)**" : "";
    return `- \`${id}\`${sign}: ${neutralLine(`${name}. ${description}`)}`;
  });
  return saying(lines.length === 0 ? "There is only the default system prompt." : lines.join("\n"));
}

async function use(
  { prompts, choices, audit }: CommandDeps,
  { conversation, actor }: Asked,
  { id = "" }: Readonly<Record<string, string>>,
): Promise<Answer> {
  const known = (await prompts.systemPrompts()).map((one) => one.id);
  if (id !== "default" && !known.includes(id)) {
    throw new CommandRefusedError(
      `There is no system prompt ${id}. There are: ${[...new Set(["default", ...known])].join(", ")}.`,
    );
  }
  await audit.record({
    kind: "setting.changed",
    actor: actorKey(actor),
    conversation,
    setting: "prompt",
    to: id,
  });
  await choices.change(conversation, ({ systemPrompt: _, ...chosen }) =>
    id === "default" ? chosen : { ...chosen, systemPrompt: id },
  );
  return {
    announced: [
      notice(`The agent uses the system prompt ${id} here, starting with its next turn.`),
    ],
  };
}
