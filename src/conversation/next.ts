import { type ConversationState, decisionOn, type EndedCall, type OpenTurn } from "./state.ts";

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

/** The same call with the same result so often in a row: the model is told, and then stopped. */
export const REPEATS_TOLD = 3;
const REPEATS_STOPPED = 5;

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
  if (steering(state).length > 0) return { kind: "steer", turn };
  if (repeats(turn.ended) >= REPEATS_STOPPED) return { kind: "finish", turn, because: "loop" };
  if (turn.steps >= turn.maximum) return { kind: "finish", turn, because: "limit" };
  return { kind: "model", turn };
}

/** Messages that go into the open turn. What is queued behind one that waits for its own turn stays there as well. */
export function steering({ asked, open }: ConversationState): string[] {
  if (!open || open.steps === 0) return [];
  const end = asked.findIndex(({ mode, call }) => mode === "queue" || call);
  return asked.slice(0, end < 0 ? asked.length : end).map(({ event }) => event);
}

/** How often the last call has been made in a row, each time with the same result. */
export function repeats(ended: readonly EndedCall[]): number {
  const last = ended.at(-1);
  if (!last) return 0;
  const different = ended.findLastIndex(({ signature }) => signature !== last.signature);
  return ended.length - 1 - different;
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
