import { actorKey } from "../../../contract/platform/actor.ts";
import { plainLine } from "../../../lib/text/write-markdown.ts";
import type { CommandDeps } from "../deps.ts";
import { namesIn } from "../names.ts";
import {
  type Answer,
  type Asked,
  CommandRefusedError,
  notice,
  saying,
  type Verb,
} from "../verb.ts";

export const settings: Verb = {
  name: "settings",
  forms: [
    {
      usage: "settings",
      summary: "settings of this thread",
      act: "readThread",
      run: async (deps, { conversation }) => saying(await settingLines(deps, conversation)),
    },
    {
      usage: "settings list",
      summary: "the same",
      act: "readThread",
      run: async (deps, { conversation }) => saying(await settingLines(deps, conversation)),
    },
    {
      usage: "settings set <name> <value>",
      summary: "change a setting of this thread",
      act: "changeSettings",
      run: change,
    },
  ],
};

export async function settingLines(deps: CommandDeps, conversation: string): Promise<string> {
  return (await deps.settings.list(conversation))
    .map(({ name, value, description, isDefault }) => {
      const word = WORDS.get(value) ?? value;
      return `- \`${name}\`: **${word}**${isDefault ? "" : " (changed)"}. ${description}`;
    })
    .join("\n");
}

const WORDS = new Map<unknown, string>([
  [true, "on"],
  [false, "off"],
]);

async function change(
  deps: CommandDeps,
  { conversation, actor }: Asked,
  { name = "", value = "" }: Readonly<Record<string, string>>,
): Promise<Answer> {
  const before = (await deps.settings.list(conversation)).find((one) => one.name === name);
  if (before) {
    await deps.audit.record({
      kind: "setting.changed",
      actor: actorKey(actor),
      conversation,
      setting: name,
      from: before.value,
      to: value,
    });
  }
  const changed = await deps.settings.change(conversation, name, value);
  if (changed.outcome === "refused") throw new CommandRefusedError(changed.message);
  const by = actorKey(actor);
  const who = plainLine((await namesIn(deps, conversation, [by]))(by));
  return { announced: [notice(`${name} is now ${value} in this thread, set by ${who}.`)] };
}
