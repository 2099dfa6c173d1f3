import type { EventHub } from "../contract/event.ts";
import type { TodoList } from "../contract/todo.ts";
import { threadButtons, todoBoardView } from "../reply/cards.ts";
import type { Reply } from "../reply/reply.ts";
import { slots } from "./cards.ts";
import type { ConversationParts } from "./parts.ts";

/** One board per conversation, brought up to date with every change. The returned function ends that. */
export function showTodoBoards(hub: EventHub, reply: Pick<Reply, "show">): () => void {
  return hub.observe((event) => {
    if (event.type !== "todosChanged") return;
    // Nothing but the calls of a turn changes them.
    show(reply, event.conversation, event.todos, { isTurnOpen: true });
  });
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
    log("error", "A todo board is not brought up to date.", { conversation, error });
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
