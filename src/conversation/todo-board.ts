import type { EventHub } from "../contract/event.ts";
import type { TodoList } from "../contract/todo.ts";
import { threadButtons, todoBoardView } from "../reply/cards.ts";
import type { Reply } from "../reply/reply.ts";
import { slots } from "./cards.ts";

/** One board per conversation, brought up to date with every change. The returned function ends that. */
export function showTodoBoards(hub: EventHub, reply: Pick<Reply, "show">): () => void {
  return hub.observe((event) => {
    if (event.type !== "todosChanged") return;
    showTodoBoard(reply, event.conversation, event.todos);
  });
}

export function showTodoBoard(
  reply: Pick<Reply, "show">,
  conversation: string,
  todos: TodoList,
): void {
  const isWorking = todos.items.some(({ status }) => status !== "completed");
  reply.show(conversation, slots.todos, todoBoardView(todos, threadButtons({ isWorking })));
}
