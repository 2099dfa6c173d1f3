import type { Todo } from "../../src/contract/conversation/todo.ts";
import type { Approval, Decision } from "../../src/contract/permission/approval.ts";
import type { AskedLevel } from "../../src/contract/permission/level.ts";
import type { View, ViewButton } from "../../src/contract/platform/view.ts";

const AT = "2026-11-16T10:00:00.000Z";

export function reply(text: string, isFinal = true, footer?: string): View {
  return { kind: "reply", text, isFinal, ...(footer && { footer }) };
}

export function board(statuses: readonly Todo["status"][], titles: readonly string[]): View {
  const items = titles.map((title, index): Todo => {
    const status = statuses[index] ?? "not-started";
    const todo = { id: index + 1, title, description: title, status };
    return { ...todo, createdAt: AT, updatedAt: AT };
  });
  const todos = { conversation: "web:t", items, createdAt: AT, updatedAt: AT };
  return { kind: "todoBoard", todos, buttons: [] };
}

export interface ApprovalParts {
  readonly id?: string;
  readonly operation?: string;
  readonly command?: string;
  readonly risk?: AskedLevel;
  readonly phrase?: string;
  readonly diff?: string;
  readonly decision?: Decision;
  readonly effect?: Partial<Approval["effect"]>;
}

/** An approval card as the guard and the reply layer make it together. */
export function approvalView(parts: ApprovalParts = {}): View {
  const { id = "a1", operation = "terminal_operations.run_command", risk = "click" } = parts;
  const digest = "0".repeat(64);
  const effect: Approval["effect"] = {
    operation,
    risk,
    reasons: ["It deletes files, which an undo of this turn brings back."],
    runsAs: "agent",
    command: parts.command ?? "rm -rf build dist",
    workingDirectory: "/workspace",
    paths: [],
    diffs: parts.diff ? [{ path: "/workspace/notes.md", diff: parts.diff }] : [],
    params: [],
    notes: [],
    ...(parts.phrase && { phrase: parts.phrase }),
    approversNeeded: 1,
    buttons: [
      { choice: "once", label: "Approve once", asksReason: false, grants: "this very call" },
      {
        choice: "timed",
        label: "Approve 5 min",
        asksReason: false,
        grants: "rm in this thread for 5 min",
      },
      { choice: "deny", label: "Deny", asksReason: true },
    ],
    ...parts.effect,
  };
  const approval: Approval = {
    id,
    callId: "call_1",
    askedAt: AT,
    call: {
      operation,
      params: {},
      workingDirectory: "/workspace",
      identity: "agent",
      paths: [],
      contents: [],
      schema: digest,
      conversation: "web:t",
      requester: "web:owner",
      policy: digest,
    },
    digest,
    risk,
    reason: "deletes files",
    effect,
    votes: [],
    wrongPhrases: {},
    ...(parts.decision && { decision: parts.decision }),
  };
  return {
    kind: "approval",
    approval,
    requester: "Ada",
    buttons: parts.decision ? [] : decisions(id, parts.phrase),
  };
}

function decisions(id: string, phrase: string | undefined): ViewButton[] {
  const phraseForm = {
    title: "Approve a high-risk call",
    field: { label: "Type the phrase to approve", hint: phrase ?? "" },
    submit: "Approve",
  };
  const reasonForm = {
    title: "Deny with a reason",
    field: { label: "Why not? Deckhand is told.", isLong: true },
    submit: "Deny",
  };
  return [
    {
      action: `once:${id}`,
      label: "Approve once",
      style: "primary",
      ...(phrase && { form: phraseForm }),
    },
    ...(phrase ? [] : [{ action: `timed:${id}`, label: "Approve 5 min" }]),
    { action: `deny:${id}`, label: "Deny", style: "danger" },
    { action: `reason:${id}`, label: "Deny with reason", form: reasonForm },
  ];
}
