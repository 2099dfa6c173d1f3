import type { ModelTool, StepRequest, TranscriptItem } from "../contract/model.ts";
import type { SystemPrompt } from "../contract/prompt.ts";

export interface PromptText extends SystemPrompt {
  readonly text: string;
}

/** Reads a prompt file: a head of `name: value` lines between dashes, then the prompt itself. */
export function readPrompt(file: string): PromptText {
  const [, head, text] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(file) ?? [];
  if (head === undefined || text === undefined) {
    throw new Error("A prompt file begins with a line of three dashes, its head and three dashes.");
  }
  const field = (name: string) => {
    const value = new RegExp(`^${name}:[ \\t]*(.+)$`, "m").exec(head)?.[1]?.trim();
    if (!value) throw new Error(`The head of a prompt file needs a line "${name}: …".`);
    return value;
  };
  return {
    id: field("id"),
    name: field("name"),
    description: field("description"),
    text: text.trim(),
  };
}

/**
 * What one step is asked with. The prompt and the tools stay as they are and the transcript only grows, which is what
 * providers cache; what is true for this step alone stands at the end.
 */
export function stepRequest({ system, transcript, reminders, ...rest }: StepParts): StepRequest {
  return {
    ...rest,
    system,
    items: [...transcript, ...reminders.map((text) => ({ type: "reminder" as const, text }))],
  };
}

interface StepParts {
  readonly system: string;
  readonly transcript: readonly TranscriptItem[];
  readonly reminders: readonly string[];
  readonly tools: readonly ModelTool[];
  readonly signal: AbortSignal;
  readonly conversation: string;
}
