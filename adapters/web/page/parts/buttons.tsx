import { useRef, useState } from "preact/hooks";
import type { ThreadId } from "../../../../src/contract/platform/incoming.ts";
import type { ViewButton } from "../../../../src/contract/platform/view.ts";
import type { Actions } from "../state/actions.ts";
import { FormDialog } from "./dialog.tsx";

/** What can be clicked on a card. Until the server has taken a click, nothing is given up. */
export function Buttons({
  actions,
  thread,
  buttons,
  label,
}: {
  readonly actions: Actions;
  readonly thread: ThreadId;
  readonly buttons: readonly ViewButton[];
  readonly label: string;
}) {
  const [busy, setBusy] = useState<string>();
  const [problem, setProblem] = useState("");
  const [asking, setAsking] = useState<ViewButton>();
  const group = useRef<HTMLFieldSetElement>(null);

  const click = async (button: ViewButton, typed?: string): Promise<string | undefined> => {
    setBusy(button.action);
    setProblem("");
    const refusal = await actions.click(thread, button.action, typed);
    setBusy(undefined);
    if (refusal === undefined) setAsking(undefined);
    else if (!button.form) setProblem(refusal);
    return refusal;
  };
  /** People who may not send the form learn that at once, and see no dialog. */
  const open = async (button: ViewButton): Promise<void> => {
    setBusy(button.action);
    setProblem("");
    const refusal = await actions.refusalOfForm(thread, button.action);
    setBusy(undefined);
    if (refusal === undefined) setAsking(button);
    else setProblem(refusal);
  };
  if (buttons.length === 0) return null;
  return (
    <>
      <fieldset class="buttons" aria-label={label} ref={group}>
        {buttons.map((button) => (
          <button
            key={button.action}
            type="button"
            data-action={button.action}
            class={button.style ?? ""}
            aria-disabled={busy !== undefined}
            aria-haspopup={button.form ? "dialog" : undefined}
            onClick={() => {
              if (busy !== undefined) return;
              if (button.form) void open(button);
              else void click(button);
            }}
          >
            {busy === button.action ? "…" : button.label}
          </button>
        ))}
      </fieldset>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {asking?.form && (
        <FormDialog
          form={asking.form}
          isDanger={asking.style === "danger"}
          onSubmit={(typed) => click(asking, typed)}
          onClose={() => setAsking(undefined)}
        />
      )}
    </>
  );
}
