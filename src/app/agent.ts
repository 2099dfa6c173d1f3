import { readFileSync } from "node:fs";
import { createModel } from "../agent/model/model.ts";
import { readPrompt } from "../agent/prompt.ts";
import type { ModelSettings } from "../agent/settings.ts";
import type { Model } from "../contract/model.ts";
import type { Prompts } from "../contract/prompt.ts";

/** Who thinks, and what it is told to be. */
export interface Agent {
  /** Undefined: direct mode. */
  readonly model: Model | undefined;
  /** What the model is told before everything else. */
  readonly system: string;
  readonly prompts: Prompts;
}

const PROMPT_FILE = new URL("../../prompts/system/default.md", import.meta.url);

export function openAgent(settings: ModelSettings): Agent {
  const { text, ...prompt } = readPrompt(readFileSync(PROMPT_FILE, "utf8"));
  return {
    model: createModel(settings),
    system: text,
    prompts: { systemPrompts: async () => [prompt], miniPrompts: async () => [] },
  };
}
