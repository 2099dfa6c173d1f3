import type {
  FinishReason,
  Model,
  ModelErrorKind,
  StepRequest,
  TranscriptItem,
  Usage,
} from "../contract/model.ts";
import type { Redactor } from "../contract/redactor.ts";
import { maskedRequest } from "./masked-request.ts";
import { unescapeTokensInJson } from "./template-tokens.ts";

/** All that one model call has brought. */
export interface ModelStep {
  readonly items: readonly TranscriptItem[];
  readonly reason: FinishReason;
  readonly usage?: Usage;
  readonly ms: number;
}

interface StepMaker {
  readonly model: Model;
  /** Nothing reaches a model without it. */
  readonly redactor: Redactor;
}

export interface StepListener {
  /** The whole text so far, and a shorter one when it begins anew. */
  onText(text: string): void;
  /** An attempt failed, and the next one follows. */
  onRetry(because: ModelErrorKind): void;
}

/** Makes one model call. */
export async function modelStep(
  { model, redactor }: StepMaker,
  request: StepRequest,
  { onText, onRetry }: StepListener,
): Promise<ModelStep> {
  const startedMs = performance.now();
  let text = "";
  let usage: Usage | undefined;
  for await (const event of model.step(maskedRequest(redactor, request))) {
    if (event.type === "textDelta") {
      text += event.text;
      onText(text);
    }
    if (event.type === "retrying") {
      onRetry(event.because);
      if (event.restarts) text = "";
      if (event.restarts) onText(text);
    }
    if (event.type === "usage") usage = event.usage;
    if (event.type !== "finished") continue;
    const { reason } = event;
    const read = event.items.map(withoutEscapes);
    const items = reason === "calls" ? read.map(withArguments) : read;
    const ms = Math.round(performance.now() - startedMs);
    return { items, reason, ms, ...(usage ? { usage } : {}) };
  }
  throw new Error("A model's stream must end with its result.");
}

/** The model repeats text as it has read it; calls mean the text itself. */
function withoutEscapes(item: TranscriptItem): TranscriptItem {
  if (item.type !== "call") return item;
  return { ...item, arguments: unescapeTokensInJson(item.arguments) };
}

/** A finished call of a tool without parameters: some servers write nothing where others write an empty object. */
function withArguments(item: TranscriptItem): TranscriptItem {
  return item.type === "call" && item.arguments.trim() === "" ? { ...item, arguments: "{}" } : item;
}
