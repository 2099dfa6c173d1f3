import type { TurnUsage } from "../../contract/conversation/turn-usage.ts";
import type { Failure } from "../../contract/display.ts";
import type { TranscriptItem } from "../../contract/model.ts";
import type { RawArgs } from "../../contract/tools/operation.ts";
import type { ToolResult } from "../../contract/tools/tool-call.ts";
import type { Decision } from "../../contract/tools/toolbox.ts";
import type { DeepReadonly } from "../../lib/deep-readonly.ts";
import type { AskedMessage, TurnOutcome } from "../conversation-lines.ts";
import type { LineData } from "../lines.ts";

/** A call of the turn's present step, as far as the journal knows it. */
export interface CallDraft {
  readonly callId: string;
  readonly name: string;
  readonly arguments: string | RawArgs;
  started?: LineData<"call.started">;
  /** Somebody was asked about it. */
  waits?: boolean;
  /** How many answers to its subagent were known when it began to wait. */
  resumes?: number;
  title?: string;
  result?: ToolResult;
  /** The todo list was written after it had started. */
  hasTodos?: boolean;
}

/** One call that has ended, as people and the loop detection see it. */
export interface EndedCall {
  readonly callId: string;
  readonly name: string;
  readonly title: string;
  readonly isSuccess: boolean;
  /** Equal for the same call with the same result. */
  readonly signature: string;
  /** What the model thought, for those who want to read it. */
  readonly thoughts?: string;
  /** Why it failed or was refused, for people. */
  readonly failure?: Failure;
}

/** The turn that is being worked on. */
export interface TurnDraft {
  readonly id: string;
  readonly mode: "agent" | "direct";
  /** The key of who began it, and their name for showing. */
  readonly requester: string;
  readonly name: string;
  readonly startedAt: string;
  /** When the newest of its messages came to the model. */
  spokenAt: string;
  /** Names what the model is told before everything else. */
  readonly briefing?: string;
  /** No turn before it has asked the model. */
  readonly isFirst: boolean;
  /** The todo list was written after the newest message. */
  hasChangedTodos: boolean;
  /** All that it is about, in order. */
  readonly messages: AskedMessage[];
  /** The same and what belongs to it, as the model sees it. It stays in view, however long the turn becomes. */
  about: TranscriptItem[];
  /** Messages whose files are not in the workspace yet. */
  unsaved: AskedMessage[];
  maximum: number;
  hasWarned: boolean;
  steps: number;
  /** Of the present step, in the model's order. */
  calls: CallDraft[];
  readonly ended: EndedCall[];
  /** Whether each command and task of the turn passed when it last ran. */
  readonly checks: Map<string, boolean>;
  /** What the model said in the last step, and why that ended. */
  said: string;
  reason?: LineData<"step.finished">["reason"];
  /** The last words that it had, in whichever step. */
  saidLast: string;
  model?: string;
  usage?: TurnUsage;
  checkpoint?: LineData<"checkpoint">;
  failure?: string;
  /** The number of steps it had when the model refused a request as too long. */
  refusedAfter?: number;
  stoppedBy?: string;
  /** How others know that person. */
  stopperName?: string;
}

/** How the last turn ended. */
interface EndedTurnDraft {
  readonly turn: TurnDraft;
  readonly outcome: TurnOutcome;
  readonly text: string;
  readonly endedAt: string;
  isShown: boolean;
}

/** Somebody who writes in the thread. */
interface Writer {
  /** Some of it was taken as said to the bot, and some as said to others. */
  isHeard: boolean;
  isOverheard: boolean;
}

/** What a conversation is: the sum of its journal. */
export interface StateDraft {
  seq: number;
  turns: number;
  /** Of these, how many have asked the model. */
  agentTurns: number;
  /** Something was stored in its memory, or was about to be. */
  hasStored: boolean;
  /** The inbox rows of what was said in the thread, and those that have left a message here. */
  readonly received: Map<
    string,
    { readonly isOverheard: boolean; readonly seq: number; readonly at: string }
  >;
  readonly events: Set<string>;
  /** By the key of who writes. */
  readonly writers: Map<string, Writer>;
  /** The line of the last thing that each of them has answered or decided, and when that was. */
  readonly answers: Map<string, { readonly seq: number; readonly at: string }>;
  /** What was asked and is in no turn yet. */
  asked: AskedMessage[];
  /** What was said to others since the last turn began, as far as the model may know it. */
  overheard: LineData<"overheard">[];
  /** What has become of messages that are in the open turn. The model is told with the next results or words. */
  news: TranscriptItem[];
  /** The authors of messages that were deleted before anything was begun with them. */
  readonly dropped: Map<string, string>;
  /** The first message that was ever said to the bot here. */
  firstMessage?: string;
  /** The names of the people who had written before; undefined while nobody has looked. */
  humansBefore?: readonly string[];
  readonly transcript: TranscriptItem[];
  /** When the items of the transcript came into it. */
  readonly times: WeakMap<TranscriptItem, string>;
  /** What is left in the transcript of items that had to be shortened: the whole of them is archived already. */
  readonly remnants: WeakSet<TranscriptItem>;
  /** What was taken out of the transcript, oldest first. */
  readonly archived: LineData<"archived">[];
  /** What is known of how the model counts: the last report of its server against our own count. */
  counted?: { readonly model: string; readonly ratio: number };
  open?: TurnDraft;
  /** Somebody said stop before a turn had begun with what this event has brought. */
  stopAhead?: { readonly event: string } & Pick<TurnDraft, "stoppedBy" | "stopperName">;
  last?: EndedTurnDraft;
  /** The approval that each call was last asked about. */
  readonly approvalOf: Map<string, string>;
  readonly decisions: Map<string, Decision>;
  readonly answered: Set<string>;
  /** How often people have answered the subagents of calls. */
  readonly resumes: Map<string, number>;
  /** Digests of the calls that have used up a grant. */
  readonly granted: Map<string, string>;
  /** The slots that people have seen something in. */
  readonly posted: Set<string>;
}

/** The same for those who read it. The object grows with the journal, but only by its lines. */
export type ConversationState = DeepReadonly<StateDraft>;
export type OpenTurn = DeepReadonly<TurnDraft>;
export type TurnCall = DeepReadonly<CallDraft>;
export type EndedTurn = DeepReadonly<EndedTurnDraft>;

export function noState(): StateDraft {
  return {
    seq: 0,
    turns: 0,
    agentTurns: 0,
    hasStored: false,
    received: new Map(),
    events: new Set(),
    writers: new Map(),
    answers: new Map(),
    asked: [],
    overheard: [],
    news: [],
    dropped: new Map(),
    transcript: [],
    times: new WeakMap(),
    remnants: new WeakSet(),
    archived: [],
    approvalOf: new Map(),
    decisions: new Map(),
    answered: new Set(),
    resumes: new Map(),
    granted: new Map(),
    posted: new Set(),
  };
}

/** What the turn is called that begins next. */
export function nextTurn({ turns }: ConversationState): string {
  return `t${turns + 1}`;
}

/** The turn that a stop ends: the open one, or else the next where something was asked. Undefined: there is none. */
export function stoppable(state: ConversationState): string | undefined {
  const { open, asked, stopAhead } = state;
  if (open) return open.stoppedBy === undefined ? open.id : undefined;
  const [next] = asked;
  return next && next.event !== stopAhead?.event ? nextTurn(state) : undefined;
}

/** Everybody whose words went into a turn beside who began it. They come between steps, never between a step's calls. */
export function contributorsOf(turn: OpenTurn | undefined): string[] {
  const all = turn?.messages.flatMap(({ author, contributors = [] }) => [author, ...contributors]);
  return [...new Set(all)].filter((author) => author !== turn?.requester);
}

/** Whether nobody but programs has spoken in a turn. As soon as a human has, there is somebody to ask. */
export function isExternal({ messages }: OpenTurn): boolean {
  return messages.every(({ isExternalCall }) => isExternalCall);
}

/** What people have said to a call. Undefined: nobody was asked, or nobody has answered. */
export function decisionOn(
  state: ConversationState,
  { callId, waits, resumes = 0 }: TurnCall,
): Decision | undefined {
  if (state.answered.has(callId)) return { outcome: "approved" };
  if (waits && (state.resumes.get(callId) ?? 0) > resumes) return { outcome: "approved" };
  return state.decisions.get(state.approvalOf.get(callId) ?? "");
}
