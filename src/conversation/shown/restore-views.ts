import type { ConversationParts } from "../parts.ts";
import { showTodoBoard } from "./todo-board.ts";

/**
 * Brings what people see to its present state, wherever its messages stand by now. What a turn waits for is shown by
 * whoever looks at the turn next.
 */
export async function restoreViews(
  parts: Pick<ConversationParts, "reply" | "todos" | "log" | "journal">,
  conversation: string,
): Promise<void> {
  await parts.reply.restore(conversation);
  const { open } = await parts.journal.read(conversation);
  await showTodoBoard(parts, conversation, { isTurnOpen: open !== undefined });
}
