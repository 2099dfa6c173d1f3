import type {
  ConversationEvent,
  PendingInput,
  RunningCall,
} from "../contract/conversation/event.ts";
import type { TodoList } from "../contract/conversation/todo.ts";
import type { ProgressEvent } from "../contract/tools/tool-call.ts";

/** What a conversation's events add up to, so far. */
export interface FoldedState {
  number: number;
  readonly running: Map<string, RunningCall>;
  readonly pendingInputs: Map<string, PendingInput>;
  todos?: TodoList;
}

export function noState(): FoldedState {
  return { number: 0, running: new Map(), pendingInputs: new Map() };
}

export function foldEvent(state: FoldedState, number: number, event: ConversationEvent): void {
  state.number = number;
  switch (event.type) {
    case "tool":
      foldProgress(state, event.event);
      break;
    case "userInputRequired":
      state.pendingInputs.set(event.callId, event);
      break;
    case "userResponseReceived":
      state.pendingInputs.delete(event.callId);
      break;
    case "todosChanged":
      state.todos = event.todos;
      break;
    case "toolProgress":
    case "toolError":
    case "imageDisplay":
    case "settingsChanged":
    case "plan":
      break;
  }
}

function foldProgress({ running, pendingInputs }: FoldedState, event: ProgressEvent): void {
  const { callId, kind } = event;
  const call = running.get(callId);
  if (kind === "toolStarted") running.set(callId, { started: event, latest: event });
  else if (kind === "progress" && call) running.set(callId, { ...call, latest: event });
  else if (kind === "toolCompleted" || kind === "toolFailed") {
    running.delete(callId);
    // A question whose call has ended, say because somebody stopped it, is not pending any more.
    pendingInputs.delete(callId);
  }
}
