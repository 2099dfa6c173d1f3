import { useEffect, useRef, useState } from "preact/hooks";
import { TodoBoard } from "../cards/todo-board.tsx";
import { Icon } from "../parts/icon.tsx";
import type { Actions } from "../state/actions.ts";
import { type PanelName, usePart } from "../state/state.ts";
import { FilesPanel } from "./files-panel.tsx";
import { HistoryPanel } from "./history-panel.tsx";
import { SettingsPanel } from "./settings-panel.tsx";

const TITLES: Record<PanelName, string> = {
  todos: "Todos",
  terminal: "Terminal",
  files: "Files",
  history: "History",
  settings: "Settings",
};

/** What belongs to the thread and is not said in it. */
export function Panel({ actions }: { readonly actions: Actions }) {
  const panel = usePart(actions.store, (state) => state.panel);
  const thread = usePart(actions.store, ({ current, threads }) =>
    current !== undefined && threads.has(current) ? current : undefined,
  );
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), [panel]);
  if (!panel || (!thread && panel !== "settings")) return null;
  const close = () => {
    actions.show(undefined);
    document.getElementById("composer")?.focus();
  };
  return (
    <aside
      class="panel"
      aria-label={TITLES[panel]}
      onKeyDown={(event) => {
        if (event.key === "Escape") close();
      }}
    >
      <header>
        <h2 ref={title} tabIndex={-1}>
          {TITLES[panel]}
        </h2>
        <button type="button" class="quiet icon-only" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      {panel === "todos" && thread && <TodosPanel actions={actions} thread={thread} />}
      {panel === "terminal" && thread && (
        <LateTerminalPanel key={thread} actions={actions} thread={thread} />
      )}
      {panel === "files" && thread && <FilesPanel key={thread} actions={actions} thread={thread} />}
      {panel === "history" && thread && (
        <HistoryPanel key={thread} actions={actions} thread={thread} />
      )}
      {panel === "settings" && <SettingsPanel actions={actions} thread={thread} />}
    </aside>
  );
}

type TerminalPanel = typeof import("./terminal-panel.tsx").TerminalPanel;

/** Half of the page's program is the terminal: it is fetched when the first one is opened. */
function LateTerminalPanel(props: { readonly actions: Actions; readonly thread: string }) {
  const [Loaded, setLoaded] = useState<{ readonly panel: TerminalPanel }>();
  useEffect(() => {
    void props.actions
      .attempt(() => import("./terminal-panel.tsx"))
      .then((module) => module && setLoaded({ panel: module.TerminalPanel }));
  }, [props.actions]);
  return Loaded ? <Loaded.panel {...props} /> : null;
}

function TodosPanel({ actions, thread }: { readonly actions: Actions; readonly thread: string }) {
  const view = usePart(actions.store, (state) => {
    const board = state.items
      .get(thread)
      ?.items.findLast(
        ({ content }) => content.kind === "view" && content.view.kind === "todoBoard",
      );
    return board?.content.kind === "view" ? board.content.view : undefined;
  });
  if (view?.kind !== "todoBoard") {
    return <p class="empty-panel">No todos yet. When Deckhand makes a plan, it stands here.</p>;
  }
  return (
    <div class="panel-body">
      <TodoBoard actions={actions} thread={thread} view={view} />
    </div>
  );
}
