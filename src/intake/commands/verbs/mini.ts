import { brief } from "../brief.ts";
import type { CommandDeps } from "../deps.ts";
import { type Answer, type Asked, notice, Refusal, saying, type Verb } from "../verb.ts";

const ID = { id: /^[\w.-]{1,100}$/ };

export const mini: Verb = {
  name: "mini",
  forms: [
    {
      usage: "mini",
      summary: "standing requests to the agent (mini prompts)",
      act: "readThread",
      run: list,
    },
    { usage: "mini list", summary: "the same", act: "readThread", run: list },
    {
      usage: "mini enable <id>",
      summary: "turn one on in this thread",
      takes: ID,
      act: "changeSettings",
      run: (deps, asked, { id = "" }) => turn(deps, asked, id, true),
    },
    {
      usage: "mini disable <id>",
      summary: "turn one off in this thread",
      takes: ID,
      act: "changeSettings",
      run: (deps, asked, { id = "" }) => turn(deps, asked, id, false),
    },
  ],
};

async function list(deps: CommandDeps, { conversation }: Asked): Promise<Answer> {
  const { prompts, choices } = deps;
  const { minis } = await choices.of(conversation);
  const lines = (await prompts.miniPrompts(conversation)).map(({ id, name, content, enabled }) => {
    const isOn = enabled || minis.includes(id);
    return `- \`${id}\` (${isOn ? "on" : "off"}): ${brief(deps, `${name}. ${content}`, 200)}`;
  });
  return saying(lines.length === 0 ? "There are no mini prompts." : lines.join("\n"));
}

async function turn(
  { prompts, choices }: CommandDeps,
  { conversation }: Asked,
  id: string,
  isOn: boolean,
): Promise<Answer> {
  const known = (await prompts.miniPrompts(conversation)).map((one) => one.id);
  if (!known.includes(id)) {
    throw new Refusal(`There is no mini prompt ${id}. There are: ${known.join(", ") || "none"}.`);
  }
  await choices.change(conversation, (chosen) => {
    const others = chosen.minis.filter((one) => one !== id);
    return { ...chosen, minis: isOn ? [...others, id] : others };
  });
  return { announced: [notice(`The mini prompt ${id} is ${isOn ? "on" : "off"} in this thread.`)] };
}
