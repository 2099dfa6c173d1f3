import type { ApprovalEffect } from "../contract/permission/approval.ts";
import type { FileShare, View, ViewButton } from "../contract/platform/view.ts";
import type { Redactor } from "../contract/redactor.ts";
import type { Content } from "./parts.ts";

/** What people see is without secrets: everything on its way to a platform comes through here, and once. */
export function maskedView(redactor: Redactor, view: View): View {
  switch (view.kind) {
    case "reply":
      return { ...redactor.redactDeep(view), text: replyText(redactor, view) };
    case "approval":
      return maskedApproval(redactor, view);
    case "picker": {
      const masked = redactor.redactDeep(view);
      return { ...masked, options: withActions(masked.options, view.options) };
    }
    default:
      return withButtons(redactor.redactDeep(view), view.buttons);
  }
}

/** Of an answer that is still being written, what may yet turn out to be the beginning of a secret is held back. */
function replyText(
  redactor: Redactor,
  { text, isFinal }: Extract<View, { kind: "reply" }>,
): string {
  if (isFinal) return redactor.redact(text);
  return redactor.stream().write(text);
}

type ApprovalView = Extract<View, { kind: "approval" }>;

/** What was asked about, and what its digest binds, is untouched: only the card is masked. */
function maskedApproval(redactor: Redactor, view: ApprovalView): ApprovalView {
  const masked = withButtons(redactor.redactJudged(view), view.buttons);
  const { approval } = masked;
  const isWhole = JSON.stringify(approval.effect) === JSON.stringify(view.approval.effect);
  return isWhole ? masked : { ...masked, approval: { ...approval, effect: explained(approval) } };
}

function explained({ effect }: ApprovalView["approval"]): ApprovalEffect {
  return { ...effect, notes: [...effect.notes, MASKED] };
}

const MASKED =
  "[redacted: ...], [secret] and *** stand for secret values. The call uses the real values.";

function withButtons<Shown extends { readonly buttons?: readonly ViewButton[] }>(
  masked: Shown,
  buttons: readonly ViewButton[] | undefined,
): Shown {
  return masked.buttons && buttons
    ? { ...masked, buttons: withActions(masked.buttons, buttons) }
    : masked;
}

/** What a click does is ours, and must come back as it went out. */
function withActions<One extends { readonly action: string }>(
  masked: readonly One[],
  given: readonly One[],
): One[] {
  return masked.map((one, index) => ({ ...one, action: given[index]?.action ?? one.action }));
}

/** Text is masked; what is no text is left as it is or not shown at all. */
export async function maskedFile(redactor: Redactor, file: FileShare): Promise<Content> {
  const { name, comment } = redactor.redactDeep({ name: file.name, comment: file.comment ?? "" });
  const bytes = await redactor.redactFile(file.bytes);
  if (!bytes) return { view: withheld(name) };
  const said = bytes === file.bytes ? comment : `${comment} (secrets in it are masked)`.trim();
  return { file: { ...file, name, bytes, ...(said === "" ? {} : { comment: said }) } };
}

function withheld(name: string): View {
  const text = `${name} is not shown: it is a binary file that contains a secret from the bot's settings, which cannot be masked.`;
  return { kind: "notice", level: "warning", text };
}
