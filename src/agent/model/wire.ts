import type {
  FinishReason,
  ModelEvent,
  StepRequest,
  TranscriptItem,
  Usage,
} from "../../contract/model.ts";
import type { ModelSettings } from "../settings.ts";

/** What we would like to send and can do without, when a server refuses it. */
export type SpareField =
  | "include"
  | "encrypted_content"
  | "stream_options"
  | "prompt_cache_key"
  | "reasoning_content"
  | "reasoning"
  | "extra_content"
  | "temperature"
  | "top_p"
  | "reasoning_effort"
  | "effort";

export interface WireOptions {
  readonly model: string;
  readonly reasoningEffort: ModelSettings["reasoningEffort"];
  /** Fields that only OpenAI itself knows go to nobody else: others refuse what they do not know. */
  readonly isOpenAi: boolean;
  readonly without: ReadonlySet<SpareField>;
}

/** A provider's protocol: how a step is asked for, and how its answer is read. */
export interface Wire {
  readonly name: "chat" | "responses";
  readonly path: string;
  readonly spare: readonly SpareField[];
  /** The same for requests that are asked in a way of their own. */
  readonly sampling: readonly SpareField[];
  /** What grows from step to step is the last field, so that requests of one turn begin with the same bytes. */
  body(request: StepRequest, options: WireOptions): Readonly<Record<string, unknown>>;
  accumulator(model: string, tools: readonly string[]): Accumulator;
}

/** Puts the pieces of one streamed answer together. Throws a ModelServerError that stands in the stream. */
export interface Accumulator {
  push(value: unknown): ModelEvent[];
  /** To be called once, when the stream is over. */
  finish(): Outcome;
}

export interface Outcome {
  /** Undefined: the server did not say that the reply was complete. */
  readonly reason: FinishReason | undefined;
  /** What was still to be told. */
  readonly events: readonly ModelEvent[];
  readonly items: readonly TranscriptItem[];
  readonly usage: Usage | undefined;
}
