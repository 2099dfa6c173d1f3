import type { TodoList } from "../contract/conversation/todo.ts";
import type { Approval, ApprovalEffect } from "../contract/permission/approval.ts";
import { approves } from "../contract/permission/approves.ts";
import { OPEN_HOST } from "../contract/permission/hosts.ts";
import type { Question } from "../contract/permission/question.ts";
import type { View, ViewButton, ViewForm } from "../contract/platform/view.ts";
import { answerAction, approvalAction, verbAction } from "../contract/platform/view-actions.ts";
import { questionOptions } from "../lib/text/question-options.ts";

/** The buttons that stand at a thread's todo board and its activity. */
export function threadButtons({ isWorking }: { readonly isWorking: boolean }): ViewButton[] {
  const stop: ViewButton = { action: verbAction("stop"), label: "Stop", style: "danger" };
  return [
    ...(isWorking ? [stop] : []),
    { action: verbAction("todos"), label: "Todos" },
    { action: verbAction("terminal"), label: "Terminal" },
    { action: verbAction("diff"), label: "Diff" },
  ];
}

export function todoBoardView(todos: TodoList, buttons: readonly ViewButton[]): View {
  return { kind: "todoBoard", todos, buttons };
}

/** Before the decision with its buttons, afterwards with who decided. */
export function approvalView(
  approval: Approval,
  { requester, decidedBy }: { readonly requester: string; readonly decidedBy?: string },
): Extract<View, { kind: "approval" }> {
  const { id, effect, decision } = approval;
  return {
    kind: "approval",
    approval,
    requester,
    ...(decidedBy === undefined ? {} : { decidedBy }),
    buttons: decision
      ? runAgainButtons(approval)
      : effect.buttons.map((button) => approvalButton(id, effect, button)),
  };
}

/** The command that wanted a host can be run again once the host is open. */
function runAgainButtons({ id, call, origin, decision, rerun }: Approval): ViewButton[] {
  const isOpened = call.operation === OPEN_HOST && decision && approves(decision.choice);
  if (!isOpened || !origin || rerun) return [];
  return [{ action: verbAction("net", `rerun:${id}`), label: "Run again", style: "primary" }];
}

function approvalButton(
  id: string,
  effect: ApprovalEffect,
  { choice, label, asksReason }: ApprovalEffect["buttons"][number],
): ViewButton {
  const isApproval = approves(choice);
  const form = isApproval ? phraseForm(effect) : reasonForm(asksReason);
  return {
    action: approvalAction(id, choice, { asksReason }),
    label,
    ...(isApproval ? { style: "primary" } : {}),
    ...(choice === "deny" ? { style: "danger" } : {}),
    ...(form ? { form } : {}),
  };
}

function phraseForm(effect: ApprovalEffect): ViewForm | undefined {
  const { phrase, command, operation, paths } = effect;
  if (phrase === undefined) return undefined;
  const call = command ?? [operation, ...paths.map(({ path }) => path)].join("\n");
  return {
    title: "Approve this call?",
    shows: [
      { label: command === undefined ? "Call" : "Command", code: call },
      { label: "To approve it, type", code: phrase },
    ],
    field: { label: "Phrase" },
    submit: "Approve",
  };
}

function reasonForm(asksReason: boolean): ViewForm | undefined {
  if (!asksReason) return undefined;
  const field = { label: "Reason", hint: "The agent reads it.", isLong: true };
  return { title: "Deny with reason", field, submit: "Deny" };
}

type AskedWords = Omit<Question, "conversation">;

interface QuestionState {
  readonly asker?: string;
  readonly addressee?: string;
  readonly answer?: { readonly text: string; readonly by: string; readonly at: string };
  readonly isCancelled?: boolean;
}

/** Waiting, answered or cancelled. What a yes allows comes from the guard, whatever the prompt says. */
export function questionView(question: AskedWords, state: QuestionState = {}): View {
  const { prompt, context, authorizeOperation } = question;
  const isOver = state.answer !== undefined || state.isCancelled === true;
  return {
    kind: "question",
    prompt,
    ...(context === undefined ? {} : { context }),
    ...(authorizeOperation === undefined ? {} : { operation: authorizeOperation }),
    ...state,
    buttons: isOver ? [] : questionButtons(question),
  };
}

function questionButtons({ callId, prompt, authorizeOperation }: AskedWords): ViewButton[] {
  if (authorizeOperation !== undefined) {
    return [
      { action: answerAction(callId, { as: "approve" }), label: "Approve", style: "primary" },
      { action: answerAction(callId, { as: "deny" }), label: "Deny", style: "danger" },
    ];
  }
  const options = questionOptions(prompt).map((label, index) => ({
    action: answerAction(callId, { as: "option", option: index + 1 }),
    label,
  }));
  return [
    ...options,
    { action: answerAction(callId, { as: "typed" }), label: "Answer", form: ANSWER_FORM },
  ];
}

const ANSWER_FORM: ViewForm = {
  title: "Your answer",
  field: { label: "Answer", isLong: true },
  submit: "Send",
};
