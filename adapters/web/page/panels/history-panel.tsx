import { useState } from "preact/hooks";
import type { ThreadId } from "../../../../src/contract/platform/incoming.ts";
import type { TimelineEntry } from "../../protocol.ts";
import type { Actions } from "../state/actions.ts";
import { useFetched } from "../state/use-fetched.ts";
import { dayAndClock } from "../words.ts";

const FULL_PAGE = 50;

/** Who did what, and who allowed it: the audit of this thread, the newest first. */
export function HistoryPanel({
  actions,
  thread,
}: {
  readonly actions: Actions;
  readonly thread: ThreadId;
}) {
  const { value, problem, again } = useFetched(() => actions.api.timeline(thread), thread);
  const [older, setOlder] = useState<readonly TimelineEntry[]>([]);
  const [isAll, setAll] = useState(false);
  const entries = [...(value ?? []), ...older];
  const more = async () => {
    const page = await actions.attempt(() => actions.api.timeline(thread, entries.at(-1)?.number));
    setOlder([...older, ...(page ?? [])]);
    setAll((page?.length ?? 0) < FULL_PAGE);
  };
  return (
    <div class="panel-body">
      <button
        type="button"
        class="quiet small"
        onClick={() => {
          setOlder([]);
          again();
        }}
      >
        Refresh
      </button>
      {problem && <p class="problem">{problem}</p>}
      {value?.length === 0 && <p class="empty-panel">Nothing has happened here yet.</p>}
      <ol class="timeline">
        {entries.map((entry) => (
          <li key={entry.number} class={entry.tone}>
            <p>{entry.what}</p>
            {entry.detail && <code>{entry.detail}</code>}
            <p class="faint small">
              {entry.who} · <time dateTime={entry.at}>{dayAndClock(entry.at)}</time>
            </p>
          </li>
        ))}
      </ol>
      {!isAll && entries.length >= FULL_PAGE && (
        <button type="button" onClick={() => void more()}>
          Show more
        </button>
      )}
    </div>
  );
}
