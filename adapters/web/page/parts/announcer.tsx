import { useEffect, useRef, useState } from "preact/hooks";
import type { Item } from "../../protocol.ts";
import type { Actions } from "../state/actions.ts";
import { usePart } from "../state/state.ts";

const WORDS_CHARS = 300;

/** Tells who cannot see what has changed: finished answers and what waits, not every word as it is typed. */
export function Announcer({ actions }: { readonly actions: Actions }) {
  const current = usePart(actions.store, (state) => state.current);
  const items = usePart(actions.store, (state) =>
    state.current === undefined ? undefined : state.items.get(state.current)?.items,
  );
  const [said, setSaid] = useState("");
  const told = useRef<{ known: Map<string, string>; isQuiet: boolean }>({
    known: new Map(),
    isQuiet: true,
  });
  // What stood in a thread before is not news; in a thread that one begins, everything is.
  useEffect(() => {
    const isBegunHere = current !== undefined && !actions.store.state.threads.has(current);
    told.current = { known: new Map(), isQuiet: !isBegunHere };
  }, [actions, current]);
  useEffect(() => {
    if (!items) return;
    const { known, isQuiet } = told.current;
    const news = items.flatMap((item) => {
      const words = announcement(item);
      if (words === "" || known.get(item.id) === words) return [];
      known.set(item.id, words);
      return [words];
    });
    told.current = { known, isQuiet: false };
    if (!isQuiet && news.length > 0) setSaid(news.join(". "));
  }, [items]);
  return (
    <div class="hidden" role="status" aria-live="polite">
      {said}
    </div>
  );
}

function announcement({ content }: Item): string {
  if (content.kind === "file") return `Deckhand shares a file: ${content.name}`;
  if (content.kind !== "view") return "";
  const { view } = content;
  switch (view.kind) {
    case "reply":
      return view.isFinal ? `Deckhand: ${view.text.slice(0, WORDS_CHARS)}` : "";
    case "approval":
      return view.approval.decision
        ? `Approval of ${view.approval.effect.operation} is decided`
        : `Approval needed: ${view.approval.effect.operation}`;
    case "question":
      return view.answer || view.isCancelled
        ? ""
        : `Question: ${view.prompt.slice(0, WORDS_CHARS)}`;
    case "notice":
      return view.text.slice(0, WORDS_CHARS);
    case "todoBoard": {
      const done = view.todos.items.filter(({ status }) => status === "completed").length;
      return `${done} of ${view.todos.items.length} todos done`;
    }
    case "diff":
    case "terminal":
    case "picker":
      return view.title;
    case "activity":
      return view.status === "working" ? "" : `Activity: ${view.status}`;
  }
}
