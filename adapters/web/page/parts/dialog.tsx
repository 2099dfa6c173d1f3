import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { ViewForm } from "../../../../src/contract/platform/view.ts";

/** One question in a window of its own. Stays open, with what was typed, until the answer was taken. */
export function FormDialog({
  form,
  isDanger,
  initial = "",
  onSubmit,
  onClose,
}: {
  readonly form: ViewForm;
  readonly isDanger?: boolean;
  readonly initial?: string;
  /** Why it was not taken; undefined when it was. */
  readonly onSubmit: (typed: string) => Promise<string | undefined>;
  readonly onClose: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState(initial);
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);

  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setProblem("");
    const refusal = await onSubmit(typed);
    setBusy(false);
    if (refusal !== undefined) setProblem(refusal);
  };
  const field = {
    id: `${id}field`,
    value: typed,
    autocomplete: "off",
    spellcheck: false,
    "aria-describedby": `${id}hint ${id}problem`,
    onInput: (event: Event) => setTyped((event.target as HTMLInputElement).value),
  };
  return (
    <dialog ref={dialog} aria-labelledby={`${id}title`} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <h2 id={`${id}title`}>{form.title}</h2>
        {form.shows?.map(({ label, code }) => (
          <div class="shown" key={label}>
            <p>{label}:</p>
            <pre>{code}</pre>
          </div>
        ))}
        <label for={`${id}field`}>{form.field.label}</label>
        {form.field.hint && (
          <p class="hint" id={`${id}hint`}>
            {form.field.hint}
          </p>
        )}
        {form.field.isLong ? <textarea rows={4} {...field} /> : <input type="text" {...field} />}
        <p class="problem" id={`${id}problem`} role="alert">
          {problem}
        </p>
        <div class="buttons end">
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="submit" class={isDanger ? "danger" : "primary"} aria-disabled={isBusy}>
            {form.submit}
          </button>
        </div>
      </form>
    </dialog>
  );
}
