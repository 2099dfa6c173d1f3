import {
  type ConversationState,
  decisionOn,
  type EndedCall,
  type OpenTurn,
} from "../../journal/conversation/state.ts";

/** What has to be done next in a conversation. */
export type Next =
  /** Nothing, until somebody says something. */
  | { readonly kind: "idle" }
  /** Nothing, until somebody has decided. */
  | { readonly kind: "wait"; readonly turn: OpenTurn }
  | { readonly kind: "show" }
  | { readonly kind: "start" }
  | NextInTurn;

/** What has to be done next in a turn. */
export type NextInTurn =
  | { readonly kind: "uploads"; readonly turn: OpenTurn }
  | { readonly kind: "steer"; readonly turn: OpenTurn }
  | { readonly kind: "model"; readonly turn: OpenTurn }
  | { readonly kind: "calls"; readonly turn: OpenTurn }
  | { readonly kind: "finish"; readonly turn: OpenTurn; readonly because: Ending };

/** Why a turn is over. */
export type Ending = "answered" | "cut" | "withheld" | "stopped" | "failed" | "limit" | "loop";

/** The same calls with the same results so often in a row: the model is told, and then stopped. */
export const REPEATS_TOLD = 3;
const REPEATS_STOPPED = 5;
/** How many calls may take turns in what is repeated. */
const CIRCLE_CALLS = 4;

/** Says what comes next, from nothing but what is written down. */
export function nextOf(state: ConversationState): Next {
  const { open, last, asked } = state;
  if (open) return nextInTurn(state, open);
  if (last && !last.isShown) return { kind: "show" };
  return asked.length > 0 ? { kind: "start" } : { kind: "idle" };
}

function nextInTurn(state: ConversationState, turn: OpenTurn): Next {
  if (turn.stoppedBy !== undefined) return { kind: "finish", turn, because: "stopped" };
  if (turn.failure !== undefined) return { kind: "finish", turn, because: "failed" };
  if (turn.unsaved.length > 0) return { kind: "uploads", turn };
  if (turn.calls.some(({ result }) => !result)) {
    return { kind: waitsForPeople(state, turn) ? "wait" : "calls", turn };
  }
  const isOver = turn.calls.length === 0 && turn.steps > 0;
  if (turn.mode === "direct" || isOver) return { kind: "finish", turn, because: endOf(turn) };
  // What was said meanwhile would go into a turn that asks nobody any more: it begins the next one instead.
  if (repeats(turn.ended) >= REPEATS_STOPPED) return { kind: "finish", turn, because: "loop" };
  if (turn.steps >= turn.maximum) return { kind: "finish", turn, because: "limit" };
  if (steering(state).length > 0) return { kind: "steer", turn };
  return { kind: "model", turn };
}

/** Messages that go into the open turn, past those that wait for a turn of their own. */
export function steering({ asked, open }: ConversationState): string[] {
  if (!open || open.steps === 0) return [];
  return asked.filter(({ mode, call }) => mode === "turn" && !call).map(({ event }) => event);
}

/** How often the last call, or the last few, have been made in a row, each time with the same results. */
export function repeats(ended: readonly EndedCall[]): number {
  const circles = Array.from({ length: CIRCLE_CALLS }, (_, index) => index + 1);
  return Math.max(...circles.map((length) => rounds(ended, length)));
}

/** How often the last so many calls have been made in a row. */
function rounds(ended: readonly EndedCall[], length: number): number {
  if (ended.length < length) return 0;
  const different = ended
    .slice(length)
    .findLastIndex(({ signature }, index) => signature !== ended[index]?.signature);
  return Math.floor((ended.length - 1 - different) / length);
}

/** A step goes on with every decision: what stands behind a waiting call has not begun. */
function waitsForPeople(state: ConversationState, { calls }: OpenTurn): boolean {
  const unfinished = calls.filter(({ result }) => !result);
  return (
    unfinished.some(({ waits }) => waits) && unfinished.every((call) => !decisionOn(state, call))
  );
}

function endOf({ reason }: OpenTurn): Ending {
  if (reason === "length") return "cut";
  return reason === "filtered" ? "withheld" : "answered";
}
