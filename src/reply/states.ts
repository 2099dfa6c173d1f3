import type { View } from "../contract/platform/view.ts";
import { verbAction } from "../contract/platform/view-actions.ts";
import type { Content } from "./parts.ts";

/** Whether nothing more is to come: it must be seen, and need not be kept once it was. */
export function isSettled(content: Content): boolean {
  return "file" in content || isSettledView(content.view);
}

/** Whether a later state is sure to come, so that this one may be left out when too much waits. */
export function isPassing(content: Content): boolean {
  if ("file" in content) return false;
  const { view } = content;
  if (view.kind === "reply") return !view.isFinal;
  return view.kind === "activity" && view.status === "working";
}

/** Whether it only says how far a turn is: people can wait for the next state of it. */
export function isProgress(content: Content): boolean {
  if ("file" in content) return false;
  const { view } = content;
  if (view.kind === "todoBoard") return view.buttons.some(({ action }) => action === STOP);
  return view.kind === "activity" && view.status === "working";
}

/** Whether a turn's first card may wait a moment: a quick call is finished by then. A sign at the message came before it. */
export function canWait(content: Content): boolean {
  if ("file" in content || content.view.kind !== "activity") return false;
  const { status, isFirstSign, note } = content.view;
  return status === "working" && !isFirstSign && note === undefined;
}

const STOP = verbAction("stop");

function isSettledView(view: View): boolean {
  switch (view.kind) {
    case "reply":
      return view.isFinal;
    case "activity":
      return view.status !== "working" && view.status !== "waiting";
    case "approval":
      return view.approval.decision !== undefined;
    case "question":
      return view.answer !== undefined || view.isCancelled === true;
    case "todoBoard":
      return false;
    case "terminal":
    case "diff":
    case "notice":
    case "picker":
      return true;
  }
}

export function isFinalReply(content: Content): boolean {
  return "view" in content && content.view.kind === "reply" && content.view.isFinal;
}
