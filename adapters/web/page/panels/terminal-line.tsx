import type { RefObject } from "preact";
import { useRef, useState } from "preact/hooks";
import type { ThreadId } from "../../../../src/contract/platform/incoming.ts";
import type { Item } from "../../protocol.ts";
import { Icon } from "../parts/icon.tsx";
import type { Actions } from "../state/actions.ts";
import { sentence } from "../state/api.ts";
import { usePart } from "../state/state.ts";

const INTERRUPT = "\u0003";
const KEPT_LINES = 100;

/**
 * What one types for the terminal. It leaves as whole lines and as a command like any other, so that the guard can
 * read it: what is risky waits for an approval instead of running.
 */
export function TerminalLine({
  actions,
  thread,
  field,
}: {
  readonly actions: Actions;
  readonly thread: ThreadId;
  readonly field: RefObject<HTMLTextAreaElement | null>;
}) {
  const [line, setLine] = useState("");
  const lines = usePastLines();
  const { send, isBusy, problem } = useSending(actions, thread);
  const submit = async () => {
    if (line.trim() === "" || isBusy || !(await send(line))) return;
    lines.keep(line);
    setLine("");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const meaning = meaningOf(event, line);
    if (meaning === undefined) return;
    event.preventDefault();
    if (meaning === "send") void submit();
    else if (meaning === "interrupt") void send(INTERRUPT);
    else setLine(lines.move(meaning === "older" ? -1 : 1) ?? line);
  };
  return (
    <>
      <form
        class="terminal-line"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <span class="sign-of-prompt" aria-hidden="true">
          ❯
        </span>
        <textarea
          ref={field}
          rows={Math.min(6, line.split("\n").length)}
          aria-label="Line for the terminal"
          placeholder="Type a line and press Enter"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          value={line}
          onInput={(event) => setLine(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <button type="button" class="small" title="Interrupt" onClick={() => void send(INTERRUPT)}>
          Ctrl-C
        </button>
        <button
          type="submit"
          class="primary icon-only small"
          title="Send"
          aria-disabled={isBusy || line.trim() === ""}
        >
          <Icon name="send" />
          <span class="hidden">Send the line</span>
        </button>
      </form>
      <Told actions={actions} thread={thread} problem={problem} />
    </>
  );
}

/** True: it was taken. */
function useSending(actions: Actions, thread: ThreadId) {
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);
  const send = async (input: string): Promise<boolean> => {
    setProblem("");
    setBusy(true);
    try {
      const { outcome, reason } = await actions.api.sendInput(thread, input);
      if (outcome === "ignored") setProblem(reason ?? "The line was not sent.");
      return outcome !== "ignored";
    } catch (error) {
      setProblem(sentence(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { send, isBusy, problem };
}

/** What became of a line where it did not simply run: why not, or that somebody has to approve it first. */
function Told({
  actions,
  thread,
  problem,
}: {
  readonly actions: Actions;
  readonly thread: ThreadId;
  readonly problem: string;
}) {
  const waiting = usePart(actions.store, (state) =>
    state.threads.get(thread)?.waiting.find(({ kind }) => kind === "approval"),
  );
  const whisper = useNewWhisper(actions, thread);
  return (
    <div class="terminal-told" role="status">
      {(problem || whisper) && <p class="problem">{problem || whisper}</p>}
      {waiting && (
        <p>
          Waits for an approval: <code class="ellipsis">{waiting.title}</code>{" "}
          <button type="button" class="link" onClick={() => actions.open(thread, waiting.item)}>
            Show
          </button>
        </p>
      )}
    </div>
  );
}

/** The last warning for this reader alone that has come since the terminal was opened. */
function useNewWhisper(actions: Actions, thread: ThreadId): string {
  const newest = (items: readonly Item[] | undefined) => items?.findLast(isWarning);
  const whisper = usePart(actions.store, (state) => newest(state.items.get(thread)?.items));
  const { current: before } = useRef(whisper?.seq ?? 0);
  if (!whisper || whisper.seq <= before || whisper.content.kind !== "view") return "";
  return whisper.content.view.kind === "notice" ? whisper.content.view.text : "";
}

function isWarning({ to, content }: Item): boolean {
  if (to === undefined || content.kind !== "view") return false;
  return content.view.kind === "notice" && content.view.level !== "info";
}

/** The arrows bring back what was sent before, as in a shell. */
function usePastLines() {
  const kept = useRef<string[]>([]);
  const at = useRef(0);
  return {
    keep(line: string) {
      kept.current = [...kept.current.filter((one) => one !== line), line].slice(-KEPT_LINES);
      at.current = kept.current.length;
    },
    move(steps: -1 | 1): string | undefined {
      const next = at.current + steps;
      if (next < 0 || next > kept.current.length) return undefined;
      at.current = next;
      return kept.current[next] ?? "";
    },
  };
}

/** What a key does here besides writing. */
function meaningOf(
  { key, ctrlKey, shiftKey, isComposing, target }: KeyboardEvent,
  line: string,
): "send" | "interrupt" | "older" | "newer" | undefined {
  if (isComposing) return undefined;
  if (key === "Enter") return shiftKey ? undefined : "send";
  if (ctrlKey && key === "c") return hasSelection(target) ? undefined : "interrupt";
  if (line.includes("\n")) return undefined;
  if (key === "ArrowUp") return "older";
  return key === "ArrowDown" ? "newer" : undefined;
}

/** Then the keys mean: copy. */
function hasSelection(field: EventTarget | null): boolean {
  return field instanceof HTMLTextAreaElement && field.selectionStart !== field.selectionEnd;
}
