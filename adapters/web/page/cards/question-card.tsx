import { useState } from "preact/hooks";
import { Buttons } from "../parts/buttons.tsx";
import { Icon } from "../parts/icon.tsx";
import type { Actions } from "../state/actions.ts";
import { usePart } from "../state/state.ts";
import { dayAndClock, nameOf } from "../words.ts";
import { Card, type CardProps } from "./card.tsx";

export function QuestionCard({ actions, thread, view }: CardProps<"question">) {
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
      <p class="plain">{view.prompt}</p>
      {view.context && <p class="plain faint">{view.context}</p>}
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
            {dayAndClock(view.answer.at)}
            <q>{view.answer.text}</q>
          </span>
        </p>
      )}
      {view.isCancelled && <p class="ending">Cancelled</p>}
      {isOpen && (
        <>
          <p class="waiting-words">
            {view.addressee ? `Waiting for ${view.addressee}` : "Waiting for your response"}
          </p>
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
