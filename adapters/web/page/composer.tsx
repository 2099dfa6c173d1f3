import { useEffect, useRef, useState } from "preact/hooks";
import type { Attachment } from "../../../src/contract/platform/incoming.ts";
import type { CommandHelp } from "../protocol.ts";
import { Icon } from "./parts/icon.tsx";
import type { Actions } from "./state/actions.ts";
import { useDraft } from "./state/draft.ts";
import { usePart } from "./state/state.ts";
import { bytes, counted } from "./words.ts";

const MOST_HEIGHT_PX = 240;
const COMPLETIONS = 8;
const TO_BOT = "Ask for something, run $ ls, or type /";
const TO_PEOPLE = "Write to the other people only";

/** Where one writes: Enter sends, Shift+Enter begins a line, / completes commands, files can be dropped. */
export function Composer({
  actions,
  files,
  setFiles,
  onFiles,
}: {
  readonly actions: Actions;
  readonly files: readonly Attachment[];
  readonly setFiles: (files: readonly Attachment[]) => void;
  readonly onFiles: (files: Iterable<File>) => void;
}) {
  const thread = usePart(actions.store, (state) => state.current);
  const isWorking = usePart(actions.store, ({ threads, current }) =>
    current === undefined ? false : (threads.get(current)?.isWorking ?? false),
  );
  const [isAside, setAside] = useState(false);
  const { text, setText } = useDraft(thread);
  const field = useRef<HTMLTextAreaElement>(null);
  const completion = useCompletion(actions, text, (name) => setText(`/${name} `));
  useGrowing(field, text);
  useEffect(() => {
    if (matchMedia("(hover: hover)").matches) field.current?.focus();
  }, [thread]);

  const submit = () => {
    if (text.trim() === "" && files.length === 0) return;
    actions.send(text, { attachments: files, isAside });
    setText("");
    setFiles([]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing || completion.onKey(event)) return;
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    submit();
  };
  const canSend = text.trim() !== "" || files.length > 0;
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Completions completion={completion} />
      <Chosen files={files} setFiles={setFiles} />
      <div class="writing">
        <AttachButton onFiles={onFiles} />
        <textarea
          ref={field}
          id="composer"
          rows={1}
          value={text}
          aria-label="Message to Deckhand"
          aria-autocomplete="list"
          aria-controls={completion.found.length > 0 ? "completions" : undefined}
          aria-activedescendant={
            completion.found.length > 0 ? `completion-${completion.at}` : undefined
          }
          placeholder={isAside ? TO_PEOPLE : TO_BOT}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            const pasted = [...(event.clipboardData?.files ?? [])];
            if (pasted.length > 0) onFiles(pasted);
          }}
        />
        <AsideButton actions={actions} isAside={isAside} onChange={setAside} />
        {isWorking && thread && (
          <button type="button" class="danger" onClick={() => void actions.stop(thread)}>
            <Icon name="stop" /> Stop
          </button>
        )}
        <button type="submit" class="primary icon-only" aria-disabled={!canSend} title="Send">
          <Icon name="send" />
          <span class="hidden">Send</span>
        </button>
      </div>
    </form>
  );
}

/** Whether the bot is meant; where there is nobody else, it always is. */
function AsideButton({
  actions,
  isAside,
  onChange,
}: {
  readonly actions: Actions;
  readonly isAside: boolean;
  readonly onChange: (isAside: boolean) => void;
}) {
  const hasOthers = usePart(actions.store, ({ people }) => people.length > 1);
  if (!hasOthers) return null;
  return (
    <button
      type="button"
      class="quiet icon-only aside"
      aria-pressed={isAside}
      aria-label="To people only"
      title="To people only: Deckhand does not act on it"
      onClick={() => onChange(!isAside)}
    >
      <Icon name="people" />
    </button>
  );
}

function AttachButton({ onFiles }: { readonly onFiles: (files: Iterable<File>) => void }) {
  return (
    <label class="button quiet icon-only" title="Attach files">
      <Icon name="attach" />
      <span class="hidden">Attach files</span>
      <input
        type="file"
        multiple
        class="hidden"
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = "";
        }}
      />
    </label>
  );
}

function useGrowing(field: { readonly current: HTMLTextAreaElement | null }, text: string): void {
  useEffect(() => {
    const { current } = field;
    if (!current) return;
    current.style.height = "auto";
    current.style.height = `${Math.min(current.scrollHeight + 2, MOST_HEIGHT_PX)}px`;
  }, [text]);
}

interface Completion {
  readonly found: readonly CommandHelp[];
  readonly at: number;
  readonly choose: (name: string) => void;
  /** True when the key was for the list. */
  readonly onKey: (event: KeyboardEvent) => boolean;
}

function useCompletion(actions: Actions, text: string, choose: (name: string) => void): Completion {
  const commands = usePart(actions.store, (state) => state.commands);
  const [at, setAt] = useState(0);
  const [closedFor, setClosedFor] = useState("");
  const typed = /^\/([a-z-]*)$/.exec(text)?.[1];
  const found =
    typed === undefined || closedFor === text
      ? []
      : commands.filter(({ name }) => name.startsWith(typed)).slice(0, COMPLETIONS);
  const index = Math.min(at, Math.max(0, found.length - 1));

  const onKey = (event: KeyboardEvent): boolean => {
    const chosen = found[index];
    if (!chosen || event.shiftKey) return false;
    const isWhole = typed === chosen.name;
    const step = (by: number) => setAt((index + by + found.length) % found.length);
    const keys: Record<string, (() => void) | false> = {
      ArrowDown: () => step(1),
      ArrowUp: () => step(-1),
      Escape: () => setClosedFor(text),
      Tab: () => choose(chosen.name),
      Enter: !isWhole && (() => choose(chosen.name)),
    };
    const act = keys[event.key];
    if (!act) return false;
    act();
    event.preventDefault();
    return true;
  };
  return { found, at: index, choose, onKey };
}

function Completions({ completion }: { readonly completion: Completion }) {
  const { found, at, choose } = completion;
  return (
    <>
      {found.length > 0 && (
        <div class="completions" id="completions" role="listbox" aria-label="Commands">
          {found.map(({ name, usage, summary }, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: keys go to the text field, which moves the choice
            <div
              key={name}
              id={`completion-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              onClick={() => {
                choose(name);
                document.getElementById("composer")?.focus();
              }}
            >
              <code>/{usage}</code>
              <span class="faint ellipsis">{summary}</span>
            </div>
          ))}
        </div>
      )}
      <span class="hidden" role="status">
        {found.length > 0
          ? `${counted(found.length, "command")}; ${found[at]?.name} is chosen`
          : ""}
      </span>
    </>
  );
}

function Chosen({
  files,
  setFiles,
}: {
  readonly files: readonly Attachment[];
  readonly setFiles: (files: readonly Attachment[]) => void;
}) {
  if (files.length === 0) return null;
  return (
    <ul class="chosen" aria-label="Files to send">
      {files.map(({ id, name, bytes: size }) => (
        <li key={id}>
          <span class="ellipsis">{name}</span> <span class="faint">{bytes(size)}</span>
          <button
            type="button"
            class="quiet icon-only small"
            aria-label={`Remove ${name}`}
            onClick={() => setFiles(files.filter((one) => one.id !== id))}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}
