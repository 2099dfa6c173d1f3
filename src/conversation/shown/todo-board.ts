import type { ConversationEvent, EventHub } from "../../contract/conversation/event.ts";
import type { TodoList } from "../../contract/conversation/todo.ts";
import { threadButtons, todoBoardView } from "../../reply/cards.ts";
import type { Reply } from "../../reply/reply.ts";
import type { ConversationParts } from "../parts.ts";
import { slots } from "./cards.ts";

/**
 * Keeps one board per conversation up to date: with every change of the list, and with the progress that a running call
 * reports. The returned function ends that.
 */
export function showTodoBoards(hub: EventHub, reply: Pick<Reply, "show">): () => void {
  const callShown = new Map<string, string>();
  return hub.observe((event) => {
    const { conversation } = event;
    const stored = hub.state(conversation).todos;
    const todos = boardAfter(event, stored, callShown.get(conversation));
    if (!todos) return;
    if (event.type === "toolProgress") callShown.set(conversation, event.callId);
    else callShown.delete(conversation);
    // Only the calls of a turn change the list.
    show(reply, conversation, todos, { isTurnOpen: true });
  });
}

/** The list as people should see it after an event; undefined where the event changes nothing about it. */
function boardAfter(
  event: ConversationEvent,
  stored: TodoList | undefined,
  callShown: string | undefined,
): TodoList | undefined {
  if (event.type === "todosChanged") return event.todos;
  if (event.type === "tool") {
    const { kind, callId } = event.event;
    const hasEnded = kind === "toolCompleted" || kind === "toolFailed";
    return hasEnded && callId === callShown ? stored : undefined;
  }
  if (event.type !== "toolProgress" || !stored) return undefined;
  const running = stored.items.find(({ status }) => status === "in-progress");
  // Progress that the agent or its subtasks state counts more than that of a single call.
  if (!running || (running.progress ?? 0) > 0) return undefined;
  const items = stored.items.map((todo) =>
    todo === running ? { ...todo, progress: event.progress } : todo,
  );
  return { ...stored, items };
}

/** Shows the board anew, if there is one: it can stop a turn as long as there is one to stop. */
export async function showTodoBoard(
  { reply, todos, log }: Pick<ConversationParts, "reply" | "todos" | "log">,
  conversation: string,
  turn: { readonly isTurnOpen: boolean },
): Promise<void> {
  try {
    const list = await todos.read(conversation);
    if (list) show(reply, conversation, list, turn);
  } catch (error) {
    // Neither the turn nor what else there is to see hangs on it.
    log("error", "Failed to update a todo board.", { conversation, error });
  }
}

function show(
  reply: Pick<Reply, "show">,
  conversation: string,
  todos: TodoList,
  { isTurnOpen }: { readonly isTurnOpen: boolean },
): void {
  const isWorking = isTurnOpen && todos.items.some(({ status }) => status !== "completed");
  reply.show(conversation, slots.todos, todoBoardView(todos, threadButtons({ isWorking })));
}
