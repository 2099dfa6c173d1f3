import type { EventHub } from "../contract/conversation/event.ts";
import { TodoList, type Todos } from "../contract/conversation/todo.ts";
import type { Journal } from "../journal/journal.ts";

/** Todo lists in the journal: each line holds the whole list, and the last one counts. */
export function createTodos(journal: Pick<Journal, "last" | "append">, hub: EventHub): Todos {
  return {
    read: (conversation) => journal.last(conversation, "todo"),
    async write(list) {
      await journal.append(list.conversation, [{ kind: "todo", data: list }]);
      // In the form in which it is read: a board that shows the same is then no other.
      hub.post(list.conversation, { type: "todosChanged", todos: TodoList.parse(list) });
    },
  };
}
