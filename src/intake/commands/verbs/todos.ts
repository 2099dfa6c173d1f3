import { button, saying, type Verb } from "../verb.ts";

export const todos: Verb = {
  name: "todos",
  forms: [
    {
      usage: "todos",
      summary: "the agent's todo list",
      act: "readThread",
      run: async (deps, { conversation }) => {
        const list = await deps.todos.read(conversation);
        if (!list || list.items.length === 0) {
          return saying(
            "There are no todos in this thread. The agent makes them when it plans its work.",
          );
        }
        const buttons = [button("Refresh", ["todos"]), button("Terminal", ["terminal"])];
        return { views: [{ kind: "todoBoard", todos: list, buttons }] };
      },
    },
  ],
};
