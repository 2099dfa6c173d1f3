import type { FormClick, FormOpening, OpenForm } from "../contract/platform/form-click.ts";
import { readAction } from "../contract/platform/view-actions.ts";
import { approvalForm } from "../conversation/shown/waits.ts";
import { findApproval } from "./answers.ts";
import type { HandleParts } from "./deed.ts";

type Parts = Pick<HandleParts, "approvals" | "subagents">;

/** The form of an approval's button, or why this person may not open it. */
export function createOpenForm(parts: Parts): OpenForm {
  return async (click) => {
    const action = readAction(click.action);
    return action?.kind === "approval" ? open(parts, click, action) : undefined;
  };
}

async function open(
  parts: Parts,
  { thread, action, presence }: FormClick,
  {
    approval: id,
    choice,
  }: { readonly approval: string; readonly choice: "once" | "timed" | "deny" | "cancel" },
): Promise<FormOpening> {
  const [approval, person] = await Promise.all([findApproval(parts, thread, id), presence()]);
  const refusal = parts.approvals.refusalTo(approval, { choice, presence: person });
  if (refusal !== undefined || !approval) return { refusal: refusal ?? "" };
  const form = approvalForm(approval, action);
  return form && { form };
}
