import type { CallItem, TranscriptItem } from "../../contract/model.ts";
import { escapeTokens, escapeTokensInJson } from "../template-tokens.ts";

type Said = Extract<TranscriptItem, { type: "assistant" | "reasoning" | "call" }>;
type Heard = Extract<TranscriptItem, { type: "user" | "reminder" }>;

export interface SettledCall {
  readonly call: CallItem;
  /** What call and result are paired by: the server's own id, unless it has used that before. */
  readonly id: string;
  text: string | undefined;
}

/** What the model gave in one go, and the result of each of its calls in the order of the calls. */
export interface SettledStep {
  readonly type: "step";
  readonly said: Said[];
  readonly calls: SettledCall[];
}

/** A transcript that every server accepts: each call has its one result, right after the step that made it. */
export type Settled = Heard | SettledStep;

export const NO_RESULT =
  "No result of this call was recorded. It may or may not have run: check before you repeat it.";

/**
 * A conversation can be cut anywhere, and people speak while calls run. Servers refuse a call without a result, a
 * result without a call, and anything that stands between the two.
 */
export function settle(items: readonly TranscriptItem[]): Settled[] {
  const settled: Settled[] = [];
  const steps: SettledStep[] = [];
  const ids = new Set<string>();
  let current: SettledStep | undefined;
  for (const item of items) {
    if (isSaid(item)) {
      current ??= begin(settled, steps);
      current.said.push(item);
      if (item.type === "call") current.calls.push(settledCall(item, ids));
      continue;
    }
    current = undefined;
    if (item.type === "result") answer(steps, item.callId, item.text);
    else settled.push(item);
  }
  return settled;
}

function isSaid(item: TranscriptItem): item is Said {
  return item.type === "assistant" || item.type === "reasoning" || item.type === "call";
}

function begin(settled: Settled[], steps: SettledStep[]): SettledStep {
  const step: SettledStep = { type: "step", said: [], calls: [] };
  settled.push(step);
  steps.push(step);
  return step;
}

function settledCall(call: CallItem, ids: Set<string>): SettledCall {
  const wanted = call.origin?.id;
  const id = wanted === undefined || ids.has(wanted) ? call.callId : wanted;
  ids.add(id);
  return { call, id, text: undefined };
}

/** The first result of a call counts; one that belongs to no call is dropped. */
function answer(steps: readonly SettledStep[], callId: string, text: string): void {
  for (const { calls } of steps) {
    const waiting = calls.find(
      ({ call, text: given }) => call.callId === callId && given === undefined,
    );
    if (!waiting) continue;
    waiting.text = text;
    return;
  }
}

/**
 * Servers that parse the arguments of earlier calls fail on what is no JSON object. The call was refused, so that
 * nothing hangs on the exact text any more.
 */
export function replayedArguments(text: string): string {
  if (text.trim() === "") return "{}";
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) {
      return escapeTokensInJson(text.toWellFormed());
    }
  } catch {
    // Not JSON: said below.
  }
  return JSON.stringify({ unreadable_arguments: escapeTokens(text.toWellFormed()) });
}
