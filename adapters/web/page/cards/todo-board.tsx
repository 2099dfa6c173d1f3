import type { Todo } from "../../../../src/contract/conversation/todo.ts";
import { Buttons } from "../parts/buttons.tsx";
import { Icon } from "../parts/icon.tsx";
import { Card, type CardProps } from "./card.tsx";

const TODO_WORDS: Record<Todo["status"], string> = {
  "not-started": "to do",
  "in-progress": "in progress",
  completed: "done",
  blocked: "blocked",
};

export function TodoBoard({ actions, thread, view }: CardProps<"todoBoard">) {
  const { items } = view.todos;
  const done = items.filter(({ status }) => status === "completed").length;
  return (
    <Card look="card todos" label="Todos">
      <header>
        <Icon name="list" />
        <h3>Todos</h3>
        <span class="faint">
          {done}/{items.length} done
        </span>
      </header>
      <progress value={done} max={Math.max(1, items.length)} aria-label="Progress of all todos" />
      <ol>
        {items.map((todo) => (
          <TodoLine key={todo.id} todo={todo} />
        ))}
      </ol>
      <Buttons actions={actions} thread={thread} buttons={view.buttons} label="Todos" />
    </Card>
  );
}

function TodoLine({ todo }: { readonly todo: Todo }) {
  const isUnderWay = todo.status === "in-progress" && todo.progress !== undefined;
  return (
    <li class={todo.status}>
      <span class={`box ${todo.status}`} aria-hidden="true" />
      <div>
        <p>
          <span class="title">{todo.title}</span>
          <span class="hidden"> ({TODO_WORDS[todo.status]})</span>
          {(todo.priority === "high" || todo.priority === "critical") && (
            <span class="badge">{todo.priority}</span>
          )}
          {isUnderWay && <span class="faint"> {Math.round((todo.progress ?? 0) * 100)} %</span>}
        </p>
        {todo.blockedReason && <p class="faint">Blocked: {todo.blockedReason}</p>}
        {todo.subtasks && todo.subtasks.length > 0 && (
          <ul class="subtasks">
            {todo.subtasks.map((subtask) => (
              <li key={subtask.id} class={subtask.status}>
                <span class={`box ${subtask.status}`} aria-hidden="true" />
                <span>
                  {subtask.title}
                  <span class="hidden"> ({TODO_WORDS[subtask.status]})</span>
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </li>
  );
}
