import type { Json } from "../store.ts";
import type { ProgressEvent } from "../tools/tool-call.ts";
import type { TodoList } from "./todo.ts";

/** What happens in a conversation, told to whoever watches. Carries all that is needed to show it. */
export type ConversationEvent =
  | { readonly type: "tool"; readonly event: ProgressEvent }
  | {
      readonly type: "userInputRequired";
      readonly callId: string;
      readonly prompt: string;
      readonly context?: string;
    }
  | { readonly type: "userResponseReceived"; readonly callId: string; readonly userInput: string }
  | {
      readonly type: "toolProgress";
      readonly callId: string;
      readonly progress: number;
      readonly message: string;
    }
  | {
      readonly type: "toolError";
      readonly callId: string;
      readonly error: string;
      readonly recoverable: boolean;
    }
  | {
      readonly type: "imageDisplay";
      readonly callId: string;
      readonly imagePaths: readonly string[];
      readonly prompt: string;
    }
  | { readonly type: "todosChanged"; readonly todos: TodoList }
  | { readonly type: "settingsChanged"; readonly settings: { readonly [name: string]: Json } }
  | {
      readonly type: "plan";
      readonly name: PlanEventName;
      readonly executionId: string;
      readonly data: { readonly [name: string]: Json };
    };

/** What a plan goes through. */
type PlanEventName =
  | "plan.created"
  | "approval.requested"
  | "approval.granted"
  | "tool.started"
  | "tool.output"
  | "tool.completed"
  | "tool.failed"
  | "execution.success"
  | "execution.failed"
  | "rollback.started"
  | "rollback.completed";

/** What happens to the whole bot. */
export type BotEvent = { readonly type: "toolsChanged"; readonly tools: readonly string[] };

export type Posted<Event = ConversationEvent> = Event & {
  readonly conversation: string;
  /** Higher than that of every earlier event. */
  readonly number: number;
  readonly at: string;
};

/** A call that has begun and not ended. */
export interface RunningCall {
  /** The title of its card comes from here and does not change. */
  readonly started: ProgressEvent;
  readonly latest: ProgressEvent;
}

export type PendingInput = Extract<ConversationEvent, { type: "userInputRequired" }>;

/** What somebody who comes late has to be shown, as far as this process has seen it happen. */
export interface ConversationState {
  /** The last event that it includes; events with higher numbers come after it. 0 when there was none. */
  readonly number: number;
  /** In the order in which they began. */
  readonly running: readonly RunningCall[];
  readonly pendingInputs: readonly PendingInput[];
  readonly todos?: TodoList;
}

/** Where tools tell what happens. Telling never fails and never waits. */
export interface EventHub {
  post(conversation: string, event: ConversationEvent): void;
  announce(event: BotEvent): void;
  /**
   * One conversation, or all of them; the returned function ends it. The events of a conversation come in
   * order, each once the promise for the one before has settled. An observer that fails or falls behind
   * harms itself only.
   */
  observe(observer: (event: Posted) => void | Promise<void>, conversation?: string): () => void;
  onAnnouncement(observer: (event: BotEvent) => void | Promise<void>): () => void;
  /** Observing right after asking for the state misses nothing. */
  state(conversation: string): ConversationState;
}
