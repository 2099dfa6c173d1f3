import type { ConversationSettings } from "../conversation/conversation-settings.ts";
import type { ModelTool } from "../model.ts";
import type { ApprovalQuestion } from "../permission/approval.ts";
import type { PlannedCall } from "../permission/gate.ts";
import type { Question } from "../permission/question.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { CallJournal } from "./call-journal.ts";
import type { RawArgs } from "./operation.ts";
import type { StepBudget, ToolResult } from "./tool-call.ts";

export interface OfferRequest {
  readonly conversation: string;
  readonly settings: ConversationSettings;
  readonly isExternalCall?: boolean;
  /** Tools, and operations by their keys, that are never offered, whoever asks: a subagent's limits. */
  readonly excluded?: ReadonlySet<string>;
}

/** The tools of one step. Calls are held against the offer that they answer. */
export interface Offer {
  /** Their names are letters, digits, `_` and `-`, at most 64. The same tools always give the same bytes. */
  readonly tools: readonly ModelTool[];
  /** The tool that the model means by a name of this offer. */
  toolNamed(offered: string): string | undefined;
  /** Why this tool, or this operation of it, may not be used here. Undefined: it may. */
  refusal(tool: string, operation?: string): string | undefined;
}

/** What became of the tools that a model asked to be offered. */
export interface RequestedTools {
  /** Available from the next step, or offered already. */
  readonly offered: readonly string[];
  /** No tool is called that. */
  readonly unknown: readonly string[];
  /** May not be used in this conversation. */
  readonly excluded: readonly string[];
}

/** A use of a tool as the model asked for it. */
export interface ToolCall {
  /** The model's id. One is made where it is missing. */
  readonly callId?: string;
  readonly name: string;
  /** The model's own text, or an object where a human's command was parsed. */
  readonly arguments: string | RawArgs;
}

/** What the calls of one turn have in common. */
export interface TurnContext {
  readonly conversation: string;
  readonly userId?: string;
  readonly contributors?: readonly string[];
  /** "human" only for what a human triggered directly, never because a turn began with a mention. */
  readonly initiatedBy: "model" | "human";
  readonly isExternalCall?: boolean;
  readonly requestText?: string;
  readonly workingDirectory?: string;
  /** Whose memory is used, where it is not the conversation's own. */
  readonly scope?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly workspace: () => Promise<Workspace>;
  readonly steps?: StepBudget;
  readonly offer: Offer;
  /** The plan or subagent on whose behalf the calls are made. */
  readonly parentToolName?: string;
  /**
   * Whether somebody asks a human where the guard says so and comes back with the decision. Otherwise the
   * model is told how to ask.
   */
  readonly asks: boolean;
  /** Has each call before it begins, and its result as soon as that is there. */
  readonly journal: CallJournal;
}

/** What a human said to one call. */
export type Decision =
  | { readonly outcome: "approved" }
  | { readonly outcome: "rejected"; readonly reason?: string };

/** A call that waits for a human. Nothing of it has run, but for a question that it has asked itself. */
export interface WaitingCall {
  readonly callId: string;
  readonly call: PlannedCall;
  readonly reason: string;
  /** What to ask; absent where nobody could be asked about it. */
  readonly question?: ApprovalQuestion;
  /** What the call itself has asked people. With the answer there, run it again as approved. */
  readonly asked?: Question;
  /** What the model is told if nobody asks. */
  readonly result: ToolResult;
}

export type CallOutcome =
  | { readonly outcome: "finished"; readonly result: ToolResult }
  | (WaitingCall & { readonly outcome: "waiting" });

/** What is known of a step that was interrupted, by call id. */
export interface StepSoFar {
  readonly results?: ReadonlyMap<string, ToolResult>;
  readonly decisions?: ReadonlyMap<string, Decision>;
}

export type StepOutcome =
  /** One result per call, in the order of the calls. */
  | { readonly outcome: "finished"; readonly results: readonly ToolResult[] }
  /** Run the step again with these results and the decisions; what stands behind the waiting calls has not begun. */
  | {
      readonly outcome: "waiting";
      readonly results: ReadonlyMap<string, ToolResult>;
      readonly waiting: readonly WaitingCall[];
    };

/** All that a turn can do. None of these throws for what a call did. */
export interface Toolbox {
  /** For one step. What the turn has asked for so far is in it. */
  offer(request: OfferRequest): Offer;
  /** Asks for tools beyond the core, until the turn ends. */
  requestTools(conversation: string, names: readonly string[]): RequestedTools;
  endTurn(conversation: string): void;
  /** The calls of one step, in the model's order. Large results are stored, and the model gets their beginning. */
  runStep(calls: readonly ToolCall[], turn: TurnContext, soFar?: StepSoFar): Promise<StepOutcome>;
  /** One call by itself, its result whole. */
  runCall(call: ToolCall, turn: TurnContext, decision?: Decision): Promise<CallOutcome>;
}
