import { z } from "zod";
import { OperatorError } from "../lib/operator-error.ts";
import type { Json } from "./store.ts";

const JsonValue = z.json() as z.ZodType<Json>;

/** Where a model's item came from, and what only that origin understands. Sent back to it untouched. */
const Origin = z.object({
  wire: z.enum(["chat", "responses"]),
  model: z.string(),
  /** The item's own id there. */
  id: z.string().optional(),
  /** Further fields of the item that have to come back with it. */
  extra: z.record(z.string(), JsonValue).optional(),
});

/** What somebody in the thread wrote. */
const UserItem = z.object({
  type: z.literal("user"),
  text: z.string(),
  /** Who says it, as the model may name them. Left out where there is nobody to tell apart. */
  author: z.string().optional(),
  /** Material that is shown to the model to be judged, such as what others wrote before: nobody asks it for anything. */
  quoted: z.literal(true).optional(),
});

/** What the bot itself reminds the model of. Only such an item can show up as a reminder. */
const ReminderItem = z.object({
  type: z.literal("reminder"),
  text: z.string(),
  /** What it is about, where that has an element of its own. */
  element: z.enum(["todoList", "miniPromptReminder", "recentlyStoredMemories"]).optional(),
});
export type ReminderItem = z.infer<typeof ReminderItem>;

const AssistantItem = z.object({
  type: z.literal("assistant"),
  text: z.string(),
  origin: Origin.optional(),
});

/** What the model thought. Never shown as its answer; its origin may need it to go on. */
const ReasoningItem = z.object({
  type: z.literal("reasoning"),
  text: z.string(),
  origin: Origin,
});

/** What the model asks for. */
export const CallItem = z.object({
  type: z.literal("call"),
  /** Ours, and unique: servers number their calls anew in every step, or forget to. */
  callId: z.string(),
  name: z.string(),
  /** As the model wrote it, except for escaped template tokens. May be empty, cut or no JSON at all: the caller must check. */
  arguments: z.string(),
  /** `origin.id` is the id that the server gave to the call. */
  origin: Origin.optional(),
});
export type CallItem = z.infer<typeof CallItem>;

const ResultItem = z.object({ type: z.literal("result"), callId: z.string(), text: z.string() });

/** One entry of what a model is given and gives, the same for every wire. Plain JSON: it can be kept. */
export const TranscriptItem = z.discriminatedUnion("type", [
  UserItem,
  ReminderItem,
  AssistantItem,
  ReasoningItem,
  CallItem,
  ResultItem,
]);
export type TranscriptItem = z.infer<typeof TranscriptItem>;

/** A tool as the model is told of it. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON schema of an object. */
  readonly parameters: { readonly [key: string]: Json };
}

/**
 * What one step is asked with. Requests whose system prompt and tools are equal and whose items only grow at
 * the end begin with the same bytes, which is what providers cache: put what changes last.
 */
export interface StepRequest {
  readonly system: string;
  readonly items: readonly TranscriptItem[];
  readonly tools: readonly ModelTool[];
  readonly signal: AbortSignal;
  /** Requests of one conversation share their cache. */
  readonly conversation?: string;
  readonly limits?: { readonly outputTokens?: number };
  readonly sampling?: Sampling;
}

/** How a step is asked where it is not as usual. What a server refuses of it is left out. */
interface Sampling {
  /** Another model of the same server. */
  readonly model?: string;
  readonly temperature?: number;
  readonly topP?: number;
  /** Whether it thinks before it answers. */
  readonly reasoning?: boolean;
}

export interface Usage {
  readonly inputTokens: number;
  /** Of the input, what the provider had seen before. */
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** Of the output, what was thought and not said. */
  readonly reasoningTokens: number;
  /** In US dollars. Absent when the price is not known: that is not zero. */
  readonly cost?: number;
}

/** "length": the reply was cut by a limit. "filtered": the provider withheld it. */
export type FinishReason = "stop" | "calls" | "length" | "filtered";

export type ModelEvent =
  | { readonly type: "textDelta"; readonly text: string }
  | { readonly type: "reasoningDelta"; readonly text: string }
  | { readonly type: "callStarted"; readonly callId: string; readonly name: string }
  | { readonly type: "argumentsDelta"; readonly callId: string; readonly text: string }
  | { readonly type: "callComplete"; readonly call: CallItem }
  | { readonly type: "usage"; readonly usage: Usage }
  /** The step is tried again. With `restarts`, what it has told so far is void: show it no longer. */
  | {
      readonly type: "retrying";
      readonly because: ModelErrorKind;
      readonly waitMs: number;
      readonly restarts: boolean;
    }
  /** Always the last one. `items` is what the transcript grows by, in the model's order. */
  | {
      readonly type: "finished";
      readonly reason: FinishReason;
      readonly items: readonly TranscriptItem[];
    };

export type ModelErrorKind =
  /** The operator: another key. */
  | "refusedKey"
  /** The operator: another model name. */
  | "unknownModel"
  /** The operator: another base URL. */
  | "wrongAddress"
  /** The operator: the account. */
  | "outOfQuota"
  /** We: a shorter transcript. */
  | "contextTooLong"
  /** Time. */
  | "rateLimited"
  | "unavailable"
  | "cutStream"
  | "emptyReply"
  /** A developer: the server names what it did not like. */
  | "badRequest";

/** A step that cannot be had. The message is a sentence for the operator and never contains the key. */
export class ModelError extends OperatorError {
  override readonly name = "ModelError";
  readonly kind: ModelErrorKind;
  readonly status: number | undefined;
  /** How long the server asked to be left alone. */
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: ModelErrorKind,
    message: string,
    options: ErrorOptions & { readonly status?: number; readonly retryAfterMs?: number } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
  }
}

export interface Model {
  readonly name: string;
  /** How many tokens a request may have. */
  readonly inputTokens: number;
  /** The same for a request that names its model. */
  inputTokensOf(model: string): number;
  /**
   * One model call. Passing failures are tried again within; what is left is thrown as a ModelError, and an
   * aborted signal as its reason. Leaving the loop early closes the connection.
   */
  step(request: StepRequest): AsyncIterable<ModelEvent>;
  /** Asks the server whether it takes the key and knows the model. Undefined: nothing speaks against it. */
  check(signal: AbortSignal): Promise<ModelError | undefined>;
}
