import { useState } from "preact/hooks";
import type { Attachment } from "../../../src/contract/platform/incoming.ts";
import { Composer } from "./composer.tsx";
import { Conversation } from "./conversation.tsx";
import { Header } from "./header.tsx";
import { Panel } from "./panels/panel.tsx";
import { Announcer } from "./parts/announcer.tsx";
import { Sidebar } from "./sidebar.tsx";
import type { Actions } from "./state/actions.ts";
import { usePart } from "./state/state.ts";
import { Welcome } from "./welcome.tsx";
import { bytes } from "./words.ts";

export function App({ actions }: { readonly actions: Actions }) {
  const connection = usePart(actions.store, (state) => state.connection);
  const panel = usePart(actions.store, (state) => state.panel);
  if (connection === "refused") return <NotLetIn />;
  return (
    <div class={`app ${panel ? `with-panel with-${panel}` : ""}`}>
      <button type="button" class="skip" onClick={toComposer}>
        Skip to the message field
      </button>
      <Sidebar actions={actions} />
      <Main actions={actions} />
      <Panel actions={actions} />
      <Announcer actions={actions} />
      <Toast actions={actions} />
    </div>
  );
}

function Main({ actions }: { readonly actions: Actions }) {
  const thread = usePart(actions.store, (state) => state.current);
  const isEmpty = usePart(actions.store, (state) => {
    const { current } = state;
    if (current === undefined) return true;
    const isSending = state.outbox.some((one) => one.thread === current);
    return !isSending && state.items.get(current)?.items.length === 0;
  });
  const { files, setFiles, take, isOver, dropping } = useFiles(actions);
  return (
    <main class={isOver ? "main dropping" : "main"} {...dropping}>
      <Header actions={actions} />
      {thread === undefined || isEmpty ? (
        <Welcome actions={actions} />
      ) : (
        <Conversation key={thread} actions={actions} thread={thread} />
      )}
      <Connection actions={actions} />
      <Composer
        actions={actions}
        files={files}
        setFiles={setFiles}
        onFiles={(chosen) => void take(chosen)}
      />
      {isOver && <p class="drop-here">Drop files to attach them</p>}
    </main>
  );
}

function useFiles(actions: Actions) {
  const [files, setFiles] = useState<readonly Attachment[]>([]);
  const [isOver, setOver] = useState(false);
  const take = async (chosen: Iterable<File>) => {
    const most = actions.store.state.fileBytes;
    for (const file of chosen) {
      if (file.size > most) {
        actions.say(`${file.name} is too large: at most ${bytes(most)}.`);
        continue;
      }
      const uploaded = await actions.attempt(async () =>
        actions.api.upload(await actions.ensureThread(), file),
      );
      if (uploaded) setFiles((before) => [...before, uploaded]);
    }
  };
  const dropping = {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: (event: DragEvent) => {
      if (event.target === event.currentTarget) setOver(false);
    },
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      void take(event.dataTransfer?.files ?? []);
    },
  };
  return { files, setFiles, take, isOver, dropping };
}

function Connection({ actions }: { readonly actions: Actions }) {
  const isLost = usePart(actions.store, (state) => state.connection === "lost");
  return (
    <div role="status" class="connection">
      {isLost && <p>Reconnecting… Messages you write now are sent then.</p>}
    </div>
  );
}

function Toast({ actions }: { readonly actions: Actions }) {
  const toast = usePart(actions.store, (state) => state.toast);
  return (
    <div role="alert" class="toast">
      {toast && <p>{toast}</p>}
    </div>
  );
}

function NotLetIn() {
  return (
    <main class="not-let-in">
      <span class="logo" aria-hidden="true" />
      <h1>Sign in to Deckhand</h1>
      <p>
        Open the address that Deckhand printed when it started. It ends in <code>#token=…</code>.
      </p>
    </main>
  );
}

function toComposer(): void {
  document.getElementById("composer")?.focus();
}
