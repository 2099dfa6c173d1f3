import type { ModelTool, ReminderItem, StepRequest, TranscriptItem } from "../contract/model.ts";

/** What the model is reminded of for one step alone. */
export interface Reminders {
  /** As it was when the newest message came: stands right before that message. */
  readonly before: readonly ReminderItem[];
  /** What has changed since, or changes with every step: stands at the end. */
  readonly after: readonly ReminderItem[];
}

/**
 * What one step is asked with. The prompt and the tools stay as they are and the transcript only grows, which is what
 * providers cache; what is true for this step alone stands at the end.
 */
export function stepRequest({ transcript, reminders, ...rest }: StepParts): StepRequest {
  const newest = transcript.findLastIndex((item) => item.type === "user" && !item.quoted);
  const place = newest < 0 ? transcript.length : newest;
  const { before, after } = reminders;
  return { ...rest, items: [...transcript.toSpliced(place, 0, ...before), ...after] };
}

interface StepParts {
  readonly system: string;
  readonly transcript: readonly TranscriptItem[];
  readonly reminders: Reminders;
  readonly tools: readonly ModelTool[];
  readonly signal: AbortSignal;
  readonly conversation: string;
}
