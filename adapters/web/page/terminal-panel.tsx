import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ThreadId } from "../../../src/contract/incoming.ts";
import type { TerminalInfo } from "../protocol.ts";
import type { Actions } from "./actions.ts";
import { sentence } from "./api.ts";
import { usePart } from "./state.ts";
import { allowTerminalStyles, terminalTheme } from "./terminal-look.ts";
import { useFetched } from "./use-fetched.ts";

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
      <div class="path-line">
        <label>
          <span class="hidden">Terminal</span>
          <select value={terminal.id} onChange={(event) => setChosen(event.currentTarget.value)}>
            {value?.map(({ id, title, state }) => (
              <option key={id} value={id}>
                {title} ({state})
              </option>
            ))}
          </select>
        </label>
      </div>
      <Screen key={terminal.id} actions={actions} thread={thread} terminal={terminal} />
    </div>
  );
}

function Screen({
  actions,
  thread,
  terminal,
}: {
  readonly actions: Actions;
  readonly thread: ThreadId;
  readonly terminal: TerminalInfo;
}) {
  const frame = useRef<HTMLElement>(null);
  // What it was like at first: a new list of terminals does not open it anew.
  const { current: first } = useRef(terminal);
  const [ended, setEnded] = useState<string>();
  const canType = usePart(actions.store, (state) => state.abilities.terminalInput);
  useEffect(() => {
    if (!frame.current) return undefined;
    const { screen, close } = openScreen(frame.current, first, (size) => {
      void actions.api.resize(thread, first.id, size).catch(() => undefined); // only its looks
    });
    let nextIndex = 0;
    const unfollow = actions.live.follow(
      thread,
      first.id,
      () => nextIndex,
      (output) => {
        if (output.type === "followEnded")
          return setEnded(output.reason ?? "This terminal has ended.");
        // After a break the same piece may come again; what is known of it is left out.
        const isNew = output.fromIndex + output.text.length > nextIndex;
        const known = Math.max(0, nextIndex - output.fromIndex);
        if (isNew) screen.write(output.text.slice(known));
        nextIndex = Math.max(nextIndex, output.fromIndex + output.text.length);
        if (output.ended) setEnded("This terminal has ended.");
      },
    );
    return () => {
      unfollow();
      close();
    };
  }, [actions, thread, first]);
  return (
    <>
      <section class="screen" ref={frame} aria-label="Live terminal" />
      {ended ? (
        <p class="faint" role="status">
          {ended}
        </p>
      ) : (
        canType && <InputLine actions={actions} thread={thread} terminal={terminal.id} />
      )}
    </>
  );
}

/**
 * Only shows. Nothing is typed into it, so what a program prints cannot make it answer in a human's name; whole lines
 * go by the field below, where they can be judged.
 */
function openScreen(
  frame: HTMLElement,
  { rows, cols }: TerminalInfo,
  onSize: (size: { rows: number; cols: number }) => void,
) {
  allowTerminalStyles();
  const screen = new Terminal({
    disableStdin: true,
    cursorBlink: false,
    scrollback: 5_000,
    fontSize: 13,
    fontFamily: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace",
    theme: terminalTheme(),
    rows,
    cols,
    screenReaderMode: true,
    linkHandler: { activate: () => undefined },
  });
  const fit = new FitAddon();
  screen.loadAddon(fit);
  screen.open(frame);
  screen.attachCustomKeyEventHandler(() => false);
  const resized = new ResizeObserver(() => fit.fit());
  resized.observe(frame);
  screen.onResize(onSize);
  const close = () => {
    resized.disconnect();
    screen.dispose();
  };
  return { screen, close };
}

function InputLine({
  actions,
  thread,
  terminal,
}: {
  readonly actions: Actions;
  readonly thread: ThreadId;
  readonly terminal: string;
}) {
  const [line, setLine] = useState("");
  const [problem, setProblem] = useState("");
  const send = async (input: string) => {
    try {
      setProblem("");
      await actions.api.sendInput(thread, terminal, input);
      return true;
    } catch (error) {
      setProblem(sentence(error));
      return false;
    }
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    if (await send(`${line}\n`)) setLine("");
  };
  return (
    <>
      <form class="input-line" onSubmit={(event) => void submit(event)}>
        <input
          type="text"
          aria-label="Line to send to the terminal"
          placeholder="Send a line to this terminal"
          autocomplete="off"
          spellcheck={false}
          value={line}
          onInput={(event) => setLine(event.currentTarget.value)}
        />
        <button type="submit">Send</button>
        <button type="button" onClick={() => void send("\u0003")}>
          Ctrl-C
        </button>
      </form>
      <p class="problem" role="alert">
        {problem}
      </p>
    </>
  );
}
