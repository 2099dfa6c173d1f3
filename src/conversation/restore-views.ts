import type { ConversationParts } from "./parts.ts";
import { showTodoBoard } from "./todo-board.ts";

/**
 * Brings what people see to its present state, wherever its messages stand by now. What a turn waits for is shown by
 * whoever looks at the turn next.
 */
export async function restoreViews(
  { reply, todos }: Pick<ConversationParts, "reply" | "todos">,
  conversation: string,
): Promise<void> {
  await reply.restore(conversation);
  const list = await todos.read(conversation);
  if (list) showTodoBoard(reply, conversation, list);
}
