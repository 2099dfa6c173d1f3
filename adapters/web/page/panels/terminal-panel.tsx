import { useEffect, useRef, useState } from "preact/hooks";
import type { ThreadId } from "../../../../src/contract/platform/incoming.ts";
import type { TerminalInfo } from "../../protocol.ts";
import { Icon } from "../parts/icon.tsx";
import type { Actions } from "../state/actions.ts";
import { usePart } from "../state/state.ts";
import { useFetched } from "../state/use-fetched.ts";
import { TerminalLine } from "./terminal-line.tsx";
import { TerminalScreen, type TerminalSize } from "./terminal-screen.ts";

/** The thread's terminals as they are, live. */
export function TerminalPanel({
  actions,
  thread,
}: {
  readonly actions: Actions;
  readonly thread: ThreadId;
}) {
  const { value, problem, again } = useFetched(() => actions.api.terminals(thread), thread);
  const [chosen, setChosen] = useState("");
  const terminal = value?.find(({ id }) => id === chosen) ?? value?.[0];
  const isWorking = usePart(actions.store, (state) => state.threads.get(thread)?.isWorking);
  useEffect(again, [isWorking]);
  if (problem) return <p class="problem panel-body">{problem}</p>;
  if (!terminal) {
    return (
      <div class="empty-panel">
        <p>
          No terminal is open. It opens with the first command, for example <code>$ ls</code>.
        </p>
        <button type="button" onClick={again}>
          Look again
        </button>
      </div>
    );
  }
  return (
    <div class="terminal-panel">
      {value && value.length > 1 && (
        <label class="path-line">
          <span class="hidden">Terminal</span>
          <select value={terminal.id} onChange={(event) => setChosen(event.currentTarget.value)}>
            {value.map(({ id, title, state }) => (
              <option key={id} value={id}>
                {title} ({state})
              </option>
            ))}
          </select>
        </label>
      )}
      <LiveTerminal
        key={`${terminal.id} ${terminal.state === "asleep"}`}
        actions={actions}
        thread={thread}
        terminal={terminal}
      />
    </div>
  );
}

function LiveTerminal({
  actions,
  thread,
  terminal,
}: {
  readonly actions: Actions;
  readonly thread: ThreadId;
  readonly terminal: TerminalInfo;
}) {
  const line = useRef<HTMLTextAreaElement>(null);
  const { frame, screen, size, setSize, ended } = useScreen(actions, thread, terminal, () =>
    line.current?.focus(),
  );
  // The words that type reach the thread's own terminal, and no other.
  const isOwn = terminal.id === thread;
  const isAsleep = terminal.state === "asleep";
  const canType = usePart(actions.store, (state) => state.abilities.terminalInput) && isOwn;
  const fillPlace = async () => {
    const wanted = screen.current?.fitting();
    if (!wanted) return;
    const done = await actions.attempt(() => actions.api.resize(thread, terminal.id, wanted));
    if (done) setSize(wanted);
  };
  return (
    <>
      <div class="terminal-head">
        <span class="faint ellipsis">
          {terminal.title} · {size.cols} × {size.rows}
        </span>
        {!isAsleep && (
          <button
            type="button"
            class="quiet small"
            title="Fit the terminal to this panel"
            onClick={() => void fillPlace()}
          >
            <Icon name="fit" /> Fit
          </button>
        )}
      </div>
      <section
        class="screen"
        ref={frame}
        aria-label={isAsleep ? "Terminal output" : "Live terminal"}
      />
      {ended && (
        <p class="faint" role="status">
          {isAsleep ? ASLEEP : ended}
        </p>
      )}
      {!ended && canType && <TerminalLine actions={actions} thread={thread} field={line} />}
    </>
  );
}

const ASLEEP =
  "The workspace is asleep. This is its terminal's last output; the next command wakes it.";

function useScreen(
  actions: Actions,
  thread: ThreadId,
  { id, rows, cols }: TerminalInfo,
  onClick: () => void,
) {
  const frame = useRef<HTMLElement>(null);
  const screen = useRef<TerminalScreen>(null);
  const [size, setSize] = useState<TerminalSize>({ rows, cols });
  const [ended, setEnded] = useState<string>();
  // Somebody else may have made it larger.
  useEffect(() => setSize({ rows, cols }), [rows, cols]);
  useEffect(() => screen.current?.setSize(size), [size]);
  useEffect(() => {
    if (!frame.current) return undefined;
    const opened = new TerminalScreen(frame.current, { rows, cols }, onClick);
    screen.current = opened;
    const unfollow = actions.live.follow(
      thread,
      id,
      () => opened.nextIndex,
      (output) => {
        if (output.type === "output") opened.write(output);
        if (output.type === "followEnded") setEnded(output.reason ?? "This terminal has ended.");
        else if (output.ended) setEnded("This terminal has ended.");
      },
    );
    return () => {
      unfollow();
      opened.close();
      screen.current = null;
    };
  }, [actions, thread, id]);
  return { frame, screen, size, setSize, ended };
}
