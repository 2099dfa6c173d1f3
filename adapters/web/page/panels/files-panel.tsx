import { useState } from "preact/hooks";
import type { ThreadId } from "../../../../src/contract/platform/incoming.ts";
import { saveAs } from "../items/attachment.tsx";
import { Icon } from "../parts/icon.tsx";
import type { Actions } from "../state/actions.ts";
import { useFetched } from "../state/use-fetched.ts";
import { bytes } from "../words.ts";

/** The workspace's files, to look through and to take along. */
export function FilesPanel({
  actions,
  thread,
}: {
  readonly actions: Actions;
  readonly thread: ThreadId;
}) {
  const [path, setPath] = useState("");
  const { value, problem, again } = useFetched(
    () => actions.api.listFiles(thread, path),
    `${thread} ${path}`,
  );
  const download = async (file: string, name: string) => {
    const blob = await actions.attempt(() => actions.api.workspaceFile(thread, file));
    if (blob) saveAs(blob, name);
  };
  const [isWaking, setIsWaking] = useState(false);
  const wake = async () => {
    setIsWaking(true);
    await actions.attempt(() => actions.api.wakeWorkspace(thread));
    setIsWaking(false);
    again();
  };
  if (value?.isAsleep) return <Asleep isWaking={isWaking} wake={wake} />;
  return (
    <div class="panel-body">
      <div class="path-line">
        <button
          type="button"
          class="quiet icon-only"
          aria-label="Up to the folder above"
          disabled={path === ""}
          onClick={() => setPath(path.split("/").slice(0, -1).join("/"))}
        >
          <Icon name="back" />
        </button>
        <code class="ellipsis">/workspace{path && `/${path}`}</code>
        <button type="button" class="quiet small" onClick={again}>
          Refresh
        </button>
      </div>
      {problem && <p class="problem">{problem}</p>}
      {value?.entries.length === 0 && <p class="empty-panel">No files here yet.</p>}
      <ul class="file-list">
        {value?.entries.map((entry) => (
          <li key={entry.path}>
            <button
              type="button"
              onClick={() =>
                entry.isDirectory ? setPath(entry.path) : void download(entry.path, entry.name)
              }
            >
              <Icon name={entry.isDirectory ? "folder" : "file"} />
              <span class="ellipsis">{entry.name}</span>
              <span class="faint">{entry.isDirectory ? "" : bytes(entry.bytes)}</span>
              <span class="hidden">{entry.isDirectory ? "Open" : "Download"}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Looking starts no container: who wants to see the files says so. */
function Asleep({ isWaking, wake }: { readonly isWaking: boolean; readonly wake: () => void }) {
  return (
    <div class="empty-panel">
      <p>The workspace is asleep. Wake it to see its files.</p>
      <button type="button" disabled={isWaking} onClick={wake}>
        {isWaking ? "Waking …" : "Wake it"}
      </button>
    </div>
  );
}
