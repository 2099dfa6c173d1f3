import { count } from "../../../contract/display.ts";
import { scopeOf } from "../../../conversation/choices.ts";
import { brief } from "../brief.ts";
import type { CommandDeps } from "../deps.ts";
import { type Answer, type Asked, button, notice, saying, type Verb } from "../verb.ts";

const FOUND = { limit: 5, threshold: 0.3 } as const;
const SHOWN_CHARS = 300;

export const memory: Verb = {
  name: "memory",
  forms: [
    { usage: "memory", summary: "what the agent remembers here", act: "readThread", run: list },
    { usage: "memory list", summary: "the same", act: "readThread", run: list },
    {
      usage: "memory search <words…>",
      summary: "search the memory",
      act: "readThread",
      run: search,
    },
    {
      usage: "memory clear",
      summary: "delete the memory; asks first",
      act: "changeSettings",
      run: async (deps, asked) => {
        const { total } = await deps.memories.collections(await scope(deps, asked));
        if (total === 0) return saying("Nothing is remembered here.");
        const about = await sharedWith(deps, asked);
        const yes = button(`Forget all ${total}`, ["memory", "clear", "confirm"], "danger");
        return saying(`${memories(total)} would be permanently deleted${about}.`, yes);
      },
    },
    {
      usage: "memory clear confirm",
      summary: "delete the memory now",
      act: "changeSettings",
      run: async (deps, asked) => {
        const forgotten = await deps.memories.clear(await scope(deps, asked));
        return { announced: [notice(`Forgotten: ${memories(forgotten)}.`)] };
      },
    },
  ],
};

async function list(deps: CommandDeps, asked: Asked): Promise<Answer> {
  const { total, byType, documents } = await deps.memories.collections(await scope(deps, asked));
  if (total === 0) return saying("Nothing is remembered here.");
  const kinds = Object.entries(byType).filter(([, number]) => number > 0);
  const lines = kinds.map(([type, number]) => `- ${type}: ${number}`);
  const about = await sharedWith(deps, asked);
  const head = [`${memories(total)}${about}`, count(documents, "document")];
  return saying(`${head.join(", ")}:\n${lines.join("\n")}`);
}

async function search(
  deps: CommandDeps,
  asked: Asked,
  { words = "" }: Readonly<Record<string, string>>,
): Promise<Answer> {
  const found = await deps.memories.search(await scope(deps, asked), words, FOUND);
  if (found.length === 0) return saying("No memory matches. Try fewer words.");
  const lines = found.map(({ memory: { content, contentType }, relevance }) => {
    const percent = Math.min(100, Math.round(relevance * 100));
    return `- ${percent} % (${contentType}): ${brief(deps, content, SHOWN_CHARS)}`;
  });
  return saying(lines.join("\n"));
}

async function scope({ choices }: CommandDeps, { conversation }: Asked): Promise<string> {
  return scopeOf(conversation, await choices.of(conversation));
}

async function sharedWith({ choices }: CommandDeps, { conversation }: Asked): Promise<string> {
  const { topic } = await choices.of(conversation);
  if (topic === undefined) return "";
  const { length } = await choices.members(topic);
  return `, shared by ${count(length, "thread")} of this topic`;
}

const memories = (number: number) => (number === 1 ? "1 memory" : `${number} memories`);
