import { type SubagentReport, subagentId } from "../../contract/conversation/subagent.ts";
import { count } from "../../contract/display.ts";
import type { ConversationState, EndedTurn } from "../../journal/conversation/state.ts";
import { nextOf } from "../turn/next.ts";
import type { KeptOrder } from "./orders.ts";

/** One that works or has worked for a thread, as people see it. */
export interface SubagentEntry {
  readonly id: string;
  readonly conversation: string;
  readonly task: string;
  readonly instructions: string;
  readonly model?: string;
  /** It works for another subagent. */
  readonly isNested: boolean;
  readonly askedAt: string;
  readonly status: SubagentReport["status"] | "working" | "waiting" | "notBegun";
  readonly reason?: string;
  readonly steps: number;
  readonly maximum: number;
  /** All of its last words so far. */
  readonly text: string;
}

export function entryOf(
  conversation: string,
  { task, instructions, model, depth, maxIterations, at }: KeptOrder,
  state: ConversationState,
): SubagentEntry {
  const turn = state.open ?? state.last?.turn;
  const reason = state.last && reasonOf(state.last, model);
  return {
    id: subagentId(conversation),
    conversation,
    task,
    instructions,
    ...(model === undefined ? {} : { model }),
    isNested: depth > 1,
    askedAt: at,
    status: statusOf(state),
    ...(reason === undefined ? {} : { reason }),
    steps: turn?.steps ?? 0,
    maximum: turn?.maximum ?? maxIterations,
    text: state.last?.outcome === "done" ? state.last.text : (turn?.saidLast ?? ""),
  };
}

function statusOf(state: ConversationState): SubagentEntry["status"] {
  if (state.last) return STATUS[state.last.outcome];
  if (!state.open) return "notBegun";
  return nextOf(state).kind === "wait" ? "waiting" : "working";
}

/** True once there is nothing left to be done for it. */
export function isOver({ last, open }: ConversationState): boolean {
  return last?.isShown === true && !open;
}

/** What the parent is told. */
export function reportOf(
  conversation: string,
  last: EndedTurn,
  { notice, model }: Pick<KeptOrder, "notice" | "model">,
): SubagentReport {
  const { turn, outcome, text, endedAt } = last;
  const reason = reasonOf(last, model);
  return {
    status: STATUS[outcome],
    conversation,
    steps: turn.steps,
    durationMs: Math.max(0, Date.parse(endedAt) - Date.parse(turn.startedAt)),
    toolsUsed: [...new Set(turn.ended.map(({ name }) => name))],
    text: outcome === "done" ? text : turn.saidLast,
    ...(turn.usage ? { usage: turn.usage } : {}),
    ...(reason === undefined ? {} : { reason }),
    ...(notice === undefined ? {} : { notice }),
  };
}

const STATUS = {
  done: "completed",
  limit: "outOfSteps",
  failed: "failed",
  stopped: "stopped",
} as const satisfies Record<EndedTurn["outcome"], SubagentReport["status"]>;

function reasonOf({ turn, outcome, text }: EndedTurn, model?: string): string | undefined {
  if (outcome === "limit") return `${turn.steps} of ${count(turn.maximum, "step")}`;
  if (outcome === "stopped") return "it was stopped";
  if (outcome === "done") return undefined;
  return model === undefined ? text : `with the model ${model}: ${text}`;
}
