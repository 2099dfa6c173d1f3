import { count } from "../../../contract/display.ts";
import { actorKey, type Place } from "../../../contract/platform/actor.ts";
import type { CommandDeps } from "../deps.ts";
import {
  type Answer,
  type Asked,
  CommandRefusedError,
  notice,
  saying,
  type Verb,
} from "../verb.ts";

export const topic: Verb = {
  name: "topic",
  forms: [
    {
      usage: "topic",
      summary: "the topic whose memory this thread shares",
      act: "readThread",
      run: async ({ choices }, { conversation }) => {
        const { topic: id } = await choices.of(conversation);
        if (id === undefined) return saying("This thread has no topic; its memory is its own.");
        const { length } = await choices.members(id);
        return saying(
          `This thread is in the topic ${topicName(id)}, with ${count(length, "thread")} in all.`,
        );
      },
    },
    {
      usage: "topic join <name>",
      summary: "share one memory with all threads of a topic",
      takes: { name: /^[a-z0-9][a-z0-9-]{0,49}$/i },
      act: "changeSettings",
      run: (deps, asked, { name = "" }) => join(deps, asked, name.toLowerCase()),
    },
    {
      usage: "topic leave",
      summary: "go back to the thread's own memory",
      act: "changeSettings",
      run: leave,
    },
  ],
};

/** Another team's topic of the same name is another topic. */
function topicId({ platform, team = "" }: Place, name: string): string {
  return `topic:${platform}:${team}:${name}`;
}

export const topicName = (id: string) => id.split(":").at(-1) ?? id;

async function join(deps: CommandDeps, asked: Asked, name: string): Promise<Answer> {
  const { choices } = deps;
  const id = topicId(asked.place, name);
  const { topic: before } = await choices.of(asked.conversation);
  await record(deps, asked, before, id);
  await choices.change(asked.conversation, (chosen) => ({ ...chosen, topic: id }));
  return {
    announced: [notice(`This thread is now in the topic ${name} and shares its memory.`)],
  };
}

async function leave(deps: CommandDeps, asked: Asked): Promise<Answer> {
  const { choices } = deps;
  const { topic: before } = await choices.of(asked.conversation);
  if (before === undefined) throw new CommandRefusedError("This thread has no topic.");
  await record(deps, asked, before, null);
  await choices.change(asked.conversation, ({ topic: _, ...chosen }) => chosen);
  return { announced: [notice(`This thread has left the topic ${topicName(before)}.`)] };
}

async function record(
  { audit }: CommandDeps,
  { actor, conversation }: Asked,
  from: string | undefined,
  to: string | null,
): Promise<void> {
  await audit.record({
    kind: "setting.changed",
    actor: actorKey(actor),
    conversation,
    setting: "topic",
    ...(from === undefined ? {} : { from }),
    to,
  });
}
