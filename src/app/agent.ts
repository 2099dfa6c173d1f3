import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createModel } from "../agent/model/model.ts";
import { createPromptFiles, type PromptFiles } from "../agent/prompt-files.ts";
import type { ModelSettings } from "../agent/settings.ts";
import type { Model } from "../contract/model.ts";
import { type Briefings, type ChannelNotes, createBriefings } from "../conversation/briefings.ts";
import { type ChosenPrompts, createPrompts } from "../conversation/prompts.ts";
import type { Log } from "../lib/log.ts";
import { OperatorError } from "../lib/operator-error.ts";
import type { Records } from "./records.ts";

interface AgentParts {
  readonly config: { readonly model: ModelSettings; readonly promptsDir?: string };
  readonly records: Pick<Records, "store" | "choices">;
  readonly log: Log;
  /** What is to be known in a conversation's channel. */
  readonly channelNotes?: ChannelNotes;
}

/** Who thinks, and what it is told to be. */
export interface Agent {
  /** Undefined: direct mode. */
  readonly model: Model | undefined;
  readonly briefings: Briefings;
  readonly prompts: ChosenPrompts;
}

const SHIPPED = fileURLToPath(new URL("../../prompts", import.meta.url));

export function openAgent({ config, records, log, channelNotes }: AgentParts): Agent {
  const { store, choices } = records;
  const shipped = createPromptFiles(SHIPPED, log);
  const files = config.promptsDir ? operatorsFiles(config.promptsDir, log) : shipped;
  const prompts = createPrompts({ files, shipped, choices, log });
  const documents = store.documents("briefings");
  return {
    model: createModel(config.model),
    prompts,
    briefings: createBriefings({ documents, prompts, channelNotes, log }),
  };
}

function operatorsFiles(directory: string, log: Log): PromptFiles {
  if (existsSync(directory)) return createPromptFiles(directory, log);
  throw new OperatorError(
    `PROMPTS_DIR names ${directory}, which does not exist. Create it with the folders "system" and "mini", or correct the setting, then restart.`,
  );
}
