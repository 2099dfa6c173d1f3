import { useEffect, useRef } from "preact/hooks";
import type { ThreadInfo } from "../protocol.ts";
import { Icon } from "./parts/icon.tsx";
import type { Actions } from "./state/actions.ts";
import { fragmentOf } from "./state/place.ts";
import { usePart } from "./state/state.ts";
import { dayAndClock } from "./words.ts";

const CONNECTION_WORDS = {
  connecting: "Connecting…",
  open: "Connected",
  lost: "Reconnecting…",
  refused: "Not signed in",
} as const;

export function Sidebar({ actions }: { readonly actions: Actions }) {
  const threads = usePart(actions.store, (state) => state.threads);
  const current = usePart(actions.store, (state) => state.current);
  const isOpen = usePart(actions.store, (state) => state.isSidebarOpen);
  const shown = [...threads.values()]
    .filter(({ isArchived }) => !isArchived)
    .sort((a, b) => b.lastAt.localeCompare(a.lastAt));
  const close = () => actions.store.change({ isSidebarOpen: false });
  return (
    <>
      {isOpen && <div class="shade" onClick={close} aria-hidden="true" />}
      <nav
        class={isOpen ? "sidebar open" : "sidebar"}
        aria-label="Threads"
        onKeyDown={(event) => {
          if (event.key === "Escape") close();
        }}
      >
        <div class="brand">
          <span class="logo" aria-hidden="true" />
          <h1>Deckhand</h1>
        </div>
        <NewThread actions={actions} isOpen={isOpen} />
        <WaitingList actions={actions} threads={shown} />
        <h2 class="list-title">Threads</h2>
        <ul class="threads">
          {shown.map((thread) => (
            <li key={thread.id}>
              <ThreadLink actions={actions} thread={thread} isCurrent={thread.id === current} />
            </li>
          ))}
          {shown.length === 0 && <li class="faint empty">No threads yet</li>}
        </ul>
        <StatusLine actions={actions} />
      </nav>
    </>
  );
}

function NewThread({ actions, isOpen }: { readonly actions: Actions; readonly isOpen: boolean }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isOpen) button.current?.focus();
  }, [isOpen]);
  const begin = () => {
    actions.open(undefined);
    document.getElementById("composer")?.focus();
  };
  return (
    <button type="button" class="new-thread" ref={button} onClick={begin}>
      <Icon name="plus" /> New thread
    </button>
  );
}

function ThreadLink({
  actions,
  thread,
  isCurrent,
}: {
  readonly actions: Actions;
  readonly thread: ThreadInfo;
  readonly isCurrent: boolean;
}) {
  const state = thread.waiting.length > 0 ? "waits for you" : thread.isWorking && "working";
  return (
    <a
      href={fragmentOf(thread.id)}
      aria-current={isCurrent ? "page" : undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        actions.open(thread.id);
      }}
    >
      <span class="ellipsis">{thread.title || "New thread"}</span>
      <span class="faint small">
        {state ? (
          <span class={`state ${thread.waiting.length > 0 ? "waits" : ""}`}>{state}</span>
        ) : (
          dayAndClock(thread.lastAt)
        )}
      </span>
    </a>
  );
}

/** Whatever waits for a human, in all threads, one click away. */
function WaitingList({
  actions,
  threads,
}: {
  readonly actions: Actions;
  readonly threads: readonly ThreadInfo[];
}) {
  const waiting = threads.flatMap((thread) => thread.waiting.map((one) => ({ thread, one })));
  useEffect(() => {
    document.title = waiting.length > 0 ? `(${waiting.length}) Deckhand` : "Deckhand";
  }, [waiting.length]);
  if (waiting.length === 0) return null;
  return (
    <section class="waiting" aria-label="Waiting for you">
      <h2 class="list-title">
        Waiting for you <span class="count">{waiting.length}</span>
      </h2>
      <ul>
        {waiting.map(({ thread, one }) => (
          <li key={one.item}>
            <button type="button" onClick={() => actions.open(thread.id, one.item)}>
              <Icon name={one.kind === "approval" ? "shield" : "question"} />
              <span class="ellipsis">{one.title}</span>
              {one.risk === "phrase" && <span class="badge bad">phrase</span>}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function StatusLine({ actions }: { readonly actions: Actions }) {
  const connection = usePart(actions.store, (state) => state.connection);
  const status = usePart(actions.store, (state) => state.status);
  return (
    <p class="status-line">
      <span class={`dot ${connection}`} aria-hidden="true" />
      <span>{CONNECTION_WORDS[connection]}</span>
      {status && <span class="faint ellipsis"> · {status}</span>}
    </p>
  );
}
