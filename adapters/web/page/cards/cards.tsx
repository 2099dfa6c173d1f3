import { useState } from "preact/hooks";
import type { View } from "../../../../src/contract/platform/view.ts";
import type { TimedText } from "../../protocol.ts";
import { Markdown } from "../items/markdown.tsx";
import { Buttons } from "../parts/buttons.tsx";
import { CodeBlock } from "../parts/code-block.tsx";
import { Icon } from "../parts/icon.tsx";
import { counted } from "../words.ts";
import { ActivityCard } from "./activity-card.tsx";
import { ApprovalCard } from "./approval-card.tsx";
import { Card, type CardProps } from "./card.tsx";
import { Diff, diffCount } from "./diff.tsx";
import { QuestionCard } from "./question-card.tsx";
import { TodoBoard } from "./todo-board.tsx";

export function ViewShown({
  view,
  timed,
  ...rest
}: CardProps<View["kind"]> & { readonly timed?: TimedText | undefined }) {
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
      return <Notice {...rest} view={view} timed={timed} />;
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

/** The sign of how a command ended, as the page's own icon. */
const ENDINGS = { "✅": "check", "❌": "close" } as const;

function TerminalExcerpt({ actions, thread, view }: CardProps<"terminal">) {
  const sign = view.title.slice(0, 1) as keyof typeof ENDINGS;
  const icon = ENDINGS[sign];
  return (
    <Card look="card terminal-excerpt" label={view.title}>
      <header>
        <Icon name={icon ?? "terminal"} />
        <h3>{icon ? view.title.slice(1).trim() : view.title}</h3>
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

function Notice({
  actions,
  thread,
  view,
  timed,
}: CardProps<"notice"> & { readonly timed: TimedText | undefined }) {
  return (
    <Card look={`notice ${view.level}`} label={view.level === "info" ? "Note" : view.level}>
      {view.level !== "info" && <Icon name="warning" />}
      <div>
        <Markdown text={timed?.text ?? view.text} times={timed?.times} />
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
