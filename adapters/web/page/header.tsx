import { useState } from "preact/hooks";
import { FormDialog } from "./parts/dialog.tsx";
import { Icon, type IconName } from "./parts/icon.tsx";
import type { Actions } from "./state/actions.ts";
import { type PanelName, type State, usePart } from "./state/state.ts";

const TABS: readonly {
  readonly name: PanelName;
  readonly label: string;
  readonly icon: IconName;
  readonly isOffered: (state: State) => boolean;
}[] = [
  { name: "todos", label: "Todos", icon: "list", isOffered: () => true },
  {
    name: "terminal",
    label: "Terminal",
    icon: "terminal",
    isOffered: (state) => state.abilities.terminal,
  },
  { name: "files", label: "Files", icon: "folder", isOffered: (state) => state.abilities.files },
  {
    name: "history",
    label: "History",
    icon: "clock",
    isOffered: (state) => state.abilities.timeline,
  },
  { name: "settings", label: "Settings", icon: "gear", isOffered: () => true },
];

export function Header({ actions }: { readonly actions: Actions }) {
  const thread = usePart(actions.store, ({ threads, current }) =>
    current === undefined ? undefined : threads.get(current),
  );
  const abilities = usePart(actions.store, (state) => state.abilities);
  const panel = usePart(actions.store, (state) => state.panel);
  const isSidebarOpen = usePart(actions.store, (state) => state.isSidebarOpen);
  const waiting = usePart(actions.store, (state) =>
    [...state.threads.values()].some((one) => one.waiting.length > 0),
  );
  const tabs = TABS.filter(({ isOffered }) => isOffered({ ...actions.store.state, abilities }));
  return (
    <header class="top">
      <button
        type="button"
        class="quiet icon-only menu"
        aria-label={waiting ? "Threads; something waits for you" : "Threads"}
        aria-expanded={isSidebarOpen}
        onClick={() => actions.store.change({ isSidebarOpen: !isSidebarOpen })}
      >
        <Icon name="menu" />
        {waiting && <span class="mark" aria-hidden="true" />}
      </button>
      <div class="title">
        <h2 class="ellipsis">{thread ? thread.title || "New thread" : "New thread"}</h2>
        {thread && <ThreadButtons actions={actions} thread={thread} />}
      </div>
      <div class="tabs" role="toolbar" aria-label="Panels">
        {tabs.map(({ name, label, icon }) => (
          <button
            key={name}
            type="button"
            class="quiet tab"
            aria-pressed={panel === name}
            disabled={!thread && name !== "settings"}
            title={label}
            onClick={() => actions.show(panel === name ? undefined : name)}
          >
            <Icon name={icon} />
            <span class="label">{label}</span>
          </button>
        ))}
      </div>
    </header>
  );
}

function ThreadButtons({
  actions,
  thread,
}: {
  readonly actions: Actions;
  readonly thread: { readonly id: string; readonly title: string };
}) {
  const [isRenaming, setRenaming] = useState(false);
  const archive = async () => {
    const done = await actions.attempt(() => actions.api.archive(thread.id));
    if (done) actions.open(undefined);
  };
  const rename = async (title: string) => {
    const done = await actions.attempt(() => actions.api.rename(thread.id, title));
    if (done) setRenaming(false);
    return done ? undefined : "The title was not saved. It needs 1 to 120 characters.";
  };
  return (
    <>
      <button
        type="button"
        class="quiet icon-only small"
        aria-label="Rename this thread"
        aria-haspopup="dialog"
        onClick={() => setRenaming(true)}
      >
        <Icon name="pencil" />
      </button>
      <button
        type="button"
        class="quiet icon-only small"
        aria-label="Archive this thread"
        onClick={() => void archive()}
      >
        <Icon name="archive" />
      </button>
      {isRenaming && (
        <FormDialog
          form={{ title: "Rename this thread", field: { label: "Title" }, submit: "Rename" }}
          initial={thread.title}
          onSubmit={rename}
          onClose={() => setRenaming(false)}
        />
      )}
    </>
  );
}
