import { OperatorError } from "../lib/operator-error.ts";
import type { ModelSettings } from "./settings.ts";

/** What a model takes in and gives back, in tokens. */
interface Window {
  readonly contextTokens: number;
  /** Of them, what its answers may need at most. */
  readonly outputTokens?: number;
}

/** The first that fits the name counts. Families of which nothing is known for certain are left to the default. */
const WINDOWS: readonly (readonly [name: RegExp, window: Window])[] = [
  [/gpt-5[^/]*chat/, { contextTokens: 128_000 }],
  [/gpt-5/, { contextTokens: 400_000, outputTokens: 128_000 }],
  [/gpt-4\.1/, { contextTokens: 1_047_576 }],
  [/gpt-4o|gpt-4-(turbo|\d{4}-preview)|chatgpt-4o/, { contextTokens: 128_000 }],
  [/gpt-4-32k/, { contextTokens: 32_768 }],
  [/gpt-4(?![\d.])/, { contextTokens: 8_192 }],
  [/gpt-3\.5/, { contextTokens: 16_385 }],
  [/gpt-oss/, { contextTokens: 131_072 }],
  [/(^|\/)o1-(mini|preview)/, { contextTokens: 128_000 }],
  [/(^|\/)(o[134]|codex-mini)(-|$)/, { contextTokens: 200_000 }],
  [/claude/, { contextTokens: 200_000 }],
  [/gemini/, { contextTokens: 1_048_576 }],
];

/** Most models that can use tools have at least that; one that has less says so, and is believed. */
const USUAL: Window = { contextTokens: 128_000 };

/** Where it is not known how long answers become. */
const MOST_USUAL_OUTPUT = 32_000;

type WindowSettings = Pick<ModelSettings, "contextTokens" | "outputTokens">;

/** How many tokens a request to the model may have, so that there is room for its answer. */
export function inputTokensOf(name: string, settings: WindowSettings): number {
  const known = windowOf(name);
  const { contextTokens = known.contextTokens } = settings;
  const usualOutput = Math.min(known.outputTokens ?? MOST_USUAL_OUTPUT, contextTokens / 4);
  const isAsKnown = contextTokens === known.contextTokens;
  const output = settings.outputTokens ?? (isAsKnown ? known.outputTokens : undefined);
  const left = contextTokens - (output ?? usualOutput);
  if (left >= contextTokens / 4) return Math.floor(left);
  throw new OperatorError(
    `MODEL_OUTPUT_TOKENS is ${settings.outputTokens}, but ${name} has ${contextTokens} tokens for input and output ` +
      "together. Leave at least a quarter for the input: lower it, or set MODEL_CONTEXT_TOKENS.",
  );
}

/** The same for another model than the one that was set up: what was set for that holds as far as this one can take it. */
export function inputTokensOfOther(name: string, settings: WindowSettings): number {
  const known = windowOf(name).contextTokens;
  const contextTokens = Math.min(settings.contextTokens ?? known, known);
  const { outputTokens } = settings;
  const output = outputTokens && Math.min(outputTokens, contextTokens / 2);
  return inputTokensOf(name, { contextTokens, outputTokens: output });
}

function windowOf(name: string): Window {
  return WINDOWS.find(([pattern]) => pattern.test(name.toLowerCase()))?.[1] ?? USUAL;
}
