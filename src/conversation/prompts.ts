import type { MiniFile, PromptFiles } from "../agent/prompt-files.ts";
import type { MiniPrompt, Prompts } from "../contract/conversation/prompt.ts";
import { threadOf } from "../contract/conversation/subagent.ts";
import type { Log } from "../lib/log.ts";
import { OperatorError } from "../lib/operator-error.ts";
import type { Choices, Chosen } from "./choices.ts";

/** The system prompt of conversations that have chosen none. */
const DEFAULT_PROMPT = "default";

/** The texts of people and operators, as they are chosen in each conversation. */
export interface ChosenPrompts extends Prompts {
  /** Who the agent is told to be there. */
  systemText(conversation: string): Promise<string>;
}

export interface PromptParts {
  readonly files: PromptFiles;
  /** Those that the bot brings along: its default stands in where the operator's own folder has none. */
  readonly shipped: PromptFiles;
  readonly choices: Pick<Choices, "of">;
  readonly log: Log;
}

export function createPrompts({ files, shipped, choices, log }: PromptParts): ChosenPrompts {
  // What is not there any more is told once for each conversation, and not with every turn.
  const told = new Set<string>();
  const all = async () => {
    const own = await files.system();
    if (own.some(({ id }) => id === DEFAULT_PROMPT)) return own;
    return [...(await shipped.system()).filter(({ id }) => id === DEFAULT_PROMPT), ...own];
  };

  return {
    async systemPrompts() {
      return (await all()).map(({ id, name, description }) => ({ id, name, description }));
    },

    async miniPrompts(conversation) {
      const chosen = await choices.of(conversation);
      const fromFiles = (await files.minis()).flatMap((file) => fileMini(file, conversation));
      const written = (chosen.ownMinis ?? []).map(({ id, text }) => ({
        id,
        name: id,
        content: text,
        scope: conversation,
        enabled: true,
      }));
      const known = fromFiles.filter(({ id }) => written.every((one) => one.id !== id));
      return [...known, ...written]
        .map((mini) => ({ ...mini, enabled: isOn(mini, chosen) }))
        .sort((one, other) => (one.id < other.id ? -1 : 1));
    },

    async systemText(conversation) {
      const { systemPrompt = DEFAULT_PROMPT } = await choices.of(conversation);
      const known = await all();
      const wanted = known.find(({ id }) => id === systemPrompt);
      const note = JSON.stringify([conversation, systemPrompt]);
      if (wanted) told.delete(note);
      else if (!told.has(note)) {
        told.add(note);
        log(
          "warn",
          `The system prompt ${systemPrompt} no longer exists, so the default is used. Restore its file, or say "prompt use default" in the thread.`,
          { conversation },
        );
      }
      const used = wanted ?? known.find(({ id }) => id === DEFAULT_PROMPT);
      if (used) return used.text;
      throw new OperatorError(
        "The default system prompt is missing. Restore prompts/system/default.md.",
      );
    },
  };
}

function fileMini({ id, name, text, scope, enabled }: MiniFile, conversation: string) {
  if (scope && !scope.some((place) => isIn(threadOf(conversation), place))) return [];
  return [{ id, name, content: text, scope: scope ? conversation : "global", enabled }];
}

/** A place is a thread, or a channel: what the ids of its threads begin with. */
function isIn(conversation: string, place: string): boolean {
  return conversation === place || conversation.startsWith(`${place}:`);
}

function isOn({ id, enabled }: MiniPrompt, { minis, minisOff = [] }: Chosen): boolean {
  if (minisOff.includes(id)) return false;
  return enabled || minis.includes(id);
}
