import type { AuditEntry, AuditRecord } from "../contract/audit.ts";

/** A record for people, in parts that can be set in columns. Everything is printable and on one line. */
export interface Description {
  readonly number: string;
  readonly time: string;
  readonly actor: string;
  readonly conversation: string;
  /** What was done, or was about to be done. */
  readonly what: string;
  /** How it was decided and how it ended. */
  readonly result: string;
}

export function describe({ number, at, entry }: AuditRecord): Description {
  return {
    number: String(number),
    time: `${at.slice(0, 10)} ${at.slice(11, 19)}Z`,
    actor: printable(entry.actor),
    conversation: printable(entry.conversation ?? ""),
    what: printable(joined([whatOf(entry), whoseOf(entry)], " ")),
    result: printable(resultOf(entry)),
  };
}

/** Who did it where that was not the thread's own agent. */
function whoseOf({ details }: AuditEntry): string | undefined {
  return details?.subagent === undefined ? undefined : `(subagent ${details.subagent})`;
}

function whatOf(entry: AuditEntry): string {
  switch (entry.kind) {
    case "call":
    case "approval.asked":
    case "approval.decided":
    case "grant.used":
      return joined([entry.kind, entry.operation, entry.target], " ");
    case "grant.created":
      return joined([entry.kind, entry.operation, entry.scope], " ");
    case "grant.revoked":
      return `${entry.kind} ${entry.grant}`;
    case "setting.changed":
      return `${entry.kind} ${entry.setting}`;
    case "policy.loaded":
    case "policy.changed":
      return `${entry.kind} ${entry.source}`;
    case "role.refused":
      return joined([entry.kind, entry.act, entry.target], " ");
    case "workspace.reset":
      return entry.kind;
    case "security.notice":
      return `${entry.kind} ${entry.message}`;
    case "plan":
      return `${entry.event} ${entry.execution}`;
  }
}

function resultOf(entry: AuditEntry): string {
  switch (entry.kind) {
    case "call":
      return callResult(entry);
    case "approval.asked":
      return joined([entry.risk, entry.reason]);
    case "approval.decided":
      return joined([entry.decision, entry.reason]);
    case "grant.created":
      return joined([
        entry.oneTime ? "once" : undefined,
        entry.expiresAt && `until ${entry.expiresAt}`,
      ]);
    case "setting.changed":
      return `${entry.from === undefined ? "" : `${JSON.stringify(entry.from)} → `}${JSON.stringify(entry.to)}`;
    case "policy.loaded":
    case "policy.changed":
      return entry.digest.slice(0, 12);
    case "role.refused":
    case "grant.revoked":
    case "workspace.reset":
      return entry.reason ?? "";
    case "grant.used":
    case "security.notice":
    case "plan":
      return entry.severity ?? "";
  }
}

function callResult(entry: Extract<AuditEntry, { kind: "call" }>): string {
  const { decision, how, approvers = [], as, outcome, states, reason } = entry;
  return joined([
    joined([decision, how && `(${how})`], " "),
    approvers.length > 0 ? `by ${approvers.join(" and ")}` : undefined,
    as && `as ${as}`,
    outcome ?? states.at(-1),
    decision === "denied" ? reason : undefined,
  ]);
}

function joined(parts: readonly (string | undefined)[], by = ", "): string {
  return parts.filter(Boolean).join(by);
}

/** What was recorded may come from anybody: it must not steer the reader's terminal or hide itself. */
function printable(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
