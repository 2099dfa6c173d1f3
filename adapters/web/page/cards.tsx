import { useState } from "preact/hooks";
import type { ThreadId } from "../../../src/contract/incoming.ts";
import type { Todo } from "../../../src/contract/todo.ts";
import type { ActivityLine, View } from "../../../src/contract/view.ts";
import type { Actions } from "./actions.ts";
import { ApprovalCard } from "./approval-card.tsx";
import { Buttons } from "./buttons.tsx";
import { Card } from "./card.tsx";
import { CodeBlock } from "./code-block.tsx";
import { Diff, diffCount } from "./diff.tsx";
import { Icon } from "./icon.tsx";
import { Markdown } from "./markdown.tsx";
import { Scrolling } from "./scrolling.tsx";
import { usePart } from "./state.ts";
import { clock, counted, nameOf } from "./words.ts";

interface CardProps<Kind extends View["kind"]> {
  readonly actions: Actions;
  readonly thread: ThreadId;
  readonly view: Extract<View, { kind: Kind }>;
}

export function ViewShown({ view, ...rest }: CardProps<View["kind"]>) {
  switch (view.kind) {
    case "reply":
      return <Reply {...rest} view={view} />;
    case "activity":
      return <ActivityCard {...rest} view={view} />;
    case "todoBoard":
      return <TodoBoard {...rest} view={view} />;
    case "approval":
      return <ApprovalCard {...rest} view={view} />;
    case "question":
      return <QuestionCard {...rest} view={view} />;
    case "terminal":
      return <TerminalExcerpt {...rest} view={view} />;
    case "diff":
      return <DiffCard {...rest} view={view} />;
    case "notice":
      return <Notice {...rest} view={view} />;
    case "picker":
      return <Picker {...rest} view={view} />;
  }
}

function Reply({ view }: CardProps<"reply">) {
  return (
    <div class="reply">
      {view.text === "" && !view.isFinal ? <Dots /> : <Markdown text={view.text} />}
      {!view.isFinal && view.text !== "" && <span class="caret" aria-hidden="true" />}
      {view.footer && <p class="footer">{view.footer}</p>}
    </div>
  );
}

function Dots() {
  return (
    <span class="dots" role="img" aria-label="Deckhand is thinking">
      <i />
      <i />
      <i />
    </span>
  );
}

const ACTIVITY_WORDS = {
  working: "Working",
  waiting: "Waiting for you",
  done: "Done",
  stopped: "Stopped",
  failed: "Failed",
} as const;

function ActivityCard({ actions, thread, view }: CardProps<"activity">) {
  const isOver = view.status === "done" || view.status === "stopped" || view.status === "failed";
  const latest = view.lines.findLast(({ status }) => status === "running") ?? view.lines.at(-1);
  return (
    <Card look={`card activity ${view.status}`} label={`Activity: ${ACTIVITY_WORDS[view.status]}`}>
      <details open={!isOver}>
        <summary>
          <StatusDot status={view.status} />
          <strong>{ACTIVITY_WORDS[view.status]}</strong>
          <span class="faint ellipsis">
            {isOver ? counted(view.lines.length, "step") : (latest?.title ?? "")}
          </span>
        </summary>
        <ol class="lines">
          {view.lines.map((line) => (
            <ActivityLineShown key={line.callId} line={line} />
          ))}
        </ol>
      </details>
      <Buttons actions={actions} thread={thread} buttons={view.buttons} label="Activity" />
    </Card>
  );
}

const LINE_WORDS: Record<ActivityLine["status"], string> = {
  queued: "queued",
  running: "running",
  success: "done",
  error: "failed",
  userInputRequired: "waiting for your response",
};

function ActivityLineShown({ line }: { readonly line: ActivityLine }) {
  return (
    <li class={line.status}>
      <StatusDot status={line.status} />
      <div>
        <p>
          {line.parent && <span class="faint">{line.parent}: </span>}
          {line.title}
          <span class={line.status === "userInputRequired" ? "badge" : "hidden"}>
            {" "}
            {LINE_WORDS[line.status]}
          </span>
        </p>
        {line.details.length > 0 && (
          <ul>
            {line.details.map((detail) => (
              <li key={detail}>{detail}</li>
            ))}
          </ul>
        )}
        {line.output && (
          <Scrolling look="output" label={`Output of ${line.title}`}>
            {line.output}
          </Scrolling>
        )}
      </div>
    </li>
  );
}

function StatusDot({ status }: { readonly status: string }) {
  return <span class={`dot ${status}`} aria-hidden="true" />;
}

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

function QuestionCard({ actions, thread, view }: CardProps<"question">) {
  const me = usePart(actions.store, (state) => state.me);
  const people = usePart(actions.store, (state) => state.people);
  const isOpen = !view.answer && !view.isCancelled;
  const hasForm = view.buttons.some(({ form }) => form);
  return (
    <Card look={`card question ${isOpen ? "waits" : "ended"}`} label="Question">
      <header>
        <Icon name="question" />
        <h3>{view.asker ? `${view.asker} asks` : "Question"}</h3>
      </header>
      {view.context && <p class="plain faint">{view.context}</p>}
      <p class="plain">{view.prompt}</p>
      {view.operation && (
        <p>
          A yes allows <code>{view.operation}</code>
        </p>
      )}
      {view.answer && (
        <p class="ending good">
          <Icon name="check" />
          <span>
            <strong>Answered</strong> by {nameOf(view.answer.by, me, people)},{" "}
            {clock(view.answer.at)}
            <q>{view.answer.text}</q>
          </span>
        </p>
      )}
      {view.isCancelled && <p class="ending">Cancelled</p>}
      {isOpen && (
        <>
          <p class="waiting-words">Waiting for your response</p>
          <Buttons actions={actions} thread={thread} buttons={view.buttons} label="Answers" />
          {!hasForm && <FreeAnswer actions={actions} />}
        </>
      )}
    </Card>
  );
}

/** An answer in one's own words is a message like any other; the bot knows what it answers. */
function FreeAnswer({ actions }: { readonly actions: Actions }) {
  const [text, setText] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    if (text.trim() === "") return;
    actions.send(text);
    setText("");
  };
  return (
    <form class="free-answer" onSubmit={submit}>
      <input
        type="text"
        aria-label="Answer in your own words"
        placeholder="Answer in your own words"
        autocomplete="off"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit">Answer</button>
    </form>
  );
}

function TerminalExcerpt({ actions, thread, view }: CardProps<"terminal">) {
  return (
    <Card look="card terminal-excerpt" label={view.title}>
      <header>
        <Icon name="terminal" />
        <h3>{view.title}</h3>
        {view.hiddenLines > 0 && (
          <span class="faint">{counted(view.hiddenLines, "earlier line")} left out</span>
        )}
      </header>
      <CodeBlock text={view.text} label="Output" />
      <Buttons actions={actions} thread={thread} buttons={view.buttons} label={view.title} />
    </Card>
  );
}

function DiffCard({ actions, thread, view }: CardProps<"diff">) {
  return (
    <Card look="card" label={view.title}>
      <header>
        <Icon name="file" />
        <h3>{view.title}</h3>
        <span class="faint">{diffCount(view.diff)}</span>
      </header>
      <Diff diff={view.diff} label={view.title} />
      <Buttons actions={actions} thread={thread} buttons={view.buttons} label={view.title} />
    </Card>
  );
}

function Notice({ actions, thread, view }: CardProps<"notice">) {
  return (
    <Card look={`notice ${view.level}`} label={view.level === "info" ? "Note" : view.level}>
      {view.level !== "info" && <Icon name="warning" />}
      <div>
        <Markdown text={view.text} />
        <Buttons actions={actions} thread={thread} buttons={view.buttons ?? []} label="Note" />
      </div>
    </Card>
  );
}

function Picker({ actions, thread, view }: CardProps<"picker">) {
  const [problem, setProblem] = useState("");
  const pick = async (action: string) => setProblem((await actions.click(thread, action)) ?? "");
  return (
    <Card look="card picker" label={view.title}>
      <header>
        <h3>{view.title}</h3>
      </header>
      <ul>
        {view.options.map(({ action, label, detail }) => (
          <li key={action}>
            <button type="button" data-action={action} onClick={() => void pick(action)}>
              <span>{label}</span>
              {detail && <span class="faint">{detail}</span>}
            </button>
          </li>
        ))}
      </ul>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </Card>
  );
}
