import type { EventHub } from "../contract/conversation/event.ts";
import { TodoList, type Todos } from "../contract/conversation/todo.ts";
import { type Store, StoreError, UnreadableError } from "../contract/store.ts";

const KIND = "todo";

/** Todo lists in the journal: each line holds the whole list, and the last one counts. */
export function createTodos(store: Store, hub: EventHub): Todos {
  return {
    async read(conversation) {
      const line = await store.last(conversation, KIND);
      if (!line) return undefined;
      const list = TodoList.safeParse(line.data);
      if (list.success) return list.data;
      throw new UnreadableError(
        `Line ${line.seq} of the journal of ${conversation} should hold a todo list, but does not. ` +
          "Restore the store from a backup.",
        { cause: list.error },
      );
    },

    async write(list) {
      await append(store, list);
      // In the form in which it is read: a board that shows the same is then no other.
      hub.post(list.conversation, { type: "todosChanged", todos: TodoList.parse(list) });
    },
  };
}

async function append(store: Store, list: TodoList): Promise<void> {
  const { conversation } = list;
  let after = (await store.last(conversation, KIND))?.seq ?? 0;
  for (;;) {
    const appended = await store.append(conversation, after, [{ kind: KIND, data: list }]);
    if (appended.outcome === "written") return;
    if (appended.outcome !== "moved") {
      throw new StoreError(
        `The todo list of ${conversation} was not stored because another replica has taken over the conversation. ` +
          "It continues there.",
      );
    }
    // Other lines came in between. They change nothing about this one, which holds the whole list.
    after = appended.seq;
  }
}
