import type {
  AskedMessage,
  LineData,
  TurnOutcome,
  TurnUsage,
} from "../contract/conversation-line.ts";
import type { TranscriptItem } from "../contract/model.ts";
import type { RawArgs } from "../contract/operation.ts";
import type { ToolResult } from "../contract/tool-call.ts";
import type { Decision } from "../contract/toolbox.ts";

/** A call of the turn's present step, as far as the journal knows it. */
export interface TurnCall {
  readonly callId: string;
  readonly name: string;
  readonly arguments: string | RawArgs;
  started?: LineData<"call.started">;
  /** Somebody was asked about it. */
  waits?: boolean;
  title?: string;
  result?: ToolResult;
  /** The todo list was written after it had started. */
  hasTodos?: boolean;
}

/** One call that has ended, as people and the loop detection see it. */
export interface EndedCall {
  readonly callId: string;
  readonly title: string;
  readonly isSuccess: boolean;
  /** Equal for the same call with the same result. */
  readonly signature: string;
}

/** The turn that is being worked on. */
export interface OpenTurn {
  readonly id: string;
  readonly mode: "agent" | "direct";
  /** The key of who began it, and their name for showing. */
  readonly requester: string;
  readonly name: string;
  readonly startedAt: string;
  /** All that it is about, in order. */
  readonly messages: AskedMessage[];
  /** Messages whose files are not in the workspace yet. */
  unsaved: AskedMessage[];
  maximum: number;
  hasWarned: boolean;
  steps: number;
  /** Of the present step, in the model's order. */
  calls: TurnCall[];
  readonly ended: EndedCall[];
  /** What the model said in the last step, and why that ended. */
  said: string;
  reason?: LineData<"step.finished">["reason"];
  model?: string;
  usage?: TurnUsage;
  checkpoint?: LineData<"checkpoint">;
  failure?: string;
  stoppedBy?: string;
}

/** How the last turn ended. */
export interface EndedTurn {
  readonly turn: OpenTurn;
  readonly outcome: TurnOutcome;
  readonly text: string;
  readonly endedAt: string;
  isShown: boolean;
}

/** What a conversation is: the sum of its journal. */
export interface ConversationState {
  seq: number;
  turns: number;
  /** The inbox rows that were said to the bot, and those that have left a message here. */
  readonly received: Set<string>;
  readonly events: Set<string>;
  /** What was asked and is in no turn yet. */
  asked: AskedMessage[];
  hasEarlier: boolean;
  readonly transcript: TranscriptItem[];
  open?: OpenTurn;
  last?: EndedTurn;
  /** The approval that each call was last asked about. */
  readonly approvalOf: Map<string, string>;
  readonly decisions: Map<string, Decision>;
  readonly answered: Set<string>;
  /** Digests of the calls that have used up a grant. */
  readonly granted: Map<string, string>;
  /** The slots that people have seen something in. */
  readonly posted: Set<string>;
}

export function noState(): ConversationState {
  return {
    seq: 0,
    turns: 0,
    received: new Set(),
    events: new Set(),
    asked: [],
    hasEarlier: false,
    transcript: [],
    approvalOf: new Map(),
    decisions: new Map(),
    answered: new Set(),
    granted: new Map(),
    posted: new Set(),
  };
}

/** What people have said to a call. Undefined: nobody was asked, or nobody has answered. */
export function decisionOn(
  state: ConversationState,
  { callId }: Pick<TurnCall, "callId">,
): Decision | undefined {
  if (state.answered.has(callId)) return { outcome: "approved" };
  return state.decisions.get(state.approvalOf.get(callId) ?? "");
}
