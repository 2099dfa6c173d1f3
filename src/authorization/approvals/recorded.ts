import type { AuditEntry } from "../../contract/audit.ts";
import type { Approval, GrantScope } from "../../contract/permission/approval.ts";
import type { PermissionLine } from "../../journal/lines.ts";

/** What is known by then: enough to say which call a decision is about. */
interface Known {
  readonly approvals: ReadonlyMap<string, Approval>;
}

type Entries = {
  [Line in PermissionLine as Line["kind"]]: (
    data: Line["data"],
    known: Known,
  ) => readonly AuditEntry[];
};

/** What the audit keeps of a permission that was just written down. */
export function recorded(
  conversation: string,
  { kind, data }: PermissionLine,
  known: Known,
): AuditEntry[] {
  // Each kind comes with its own data; the compiler cannot follow that through the table.
  const entries = ENTRIES[kind] as (
    data: PermissionLine["data"],
    known: Known,
  ) => readonly AuditEntry[];
  return entries(data, known).map((entry) => ({ ...entry, conversation }));
}

const ENTRIES: Entries = {
  "approval.asked": ({ id, callId, call, digest, risk, reason, effect }) => [
    {
      kind: "approval.asked",
      actor: call.requester ?? "bot",
      callId,
      operation: call.operation,
      ...target(effect),
      digest,
      approval: id,
      risk,
      reason,
      ...(call.contributors ? { details: { contributors: call.contributors } } : {}),
    },
  ],
  "approval.voted": ({ approval, by, choice }, { approvals }) =>
    decision(approvals.get(approval), { by, choice: `voted ${choice}` }),
  "approval.mistyped": ({ approval, by }, { approvals }) =>
    decision(approvals.get(approval), { by, choice: "mistyped the phrase" }),
  "approval.decided": ({ approval, by, choice, reason, grant }, { approvals }) =>
    decision(approvals.get(approval), { by: by.join(", ") || "bot", choice, reason, grant }),
  "grant.given": ({ id, operation, scope, approvers, expiresAt, oneTime }) => [
    {
      kind: "grant.created",
      actor: approvers.join(", ") || "bot",
      grant: id,
      operation,
      scope: said(scope),
      expiresAt,
      oneTime,
    },
  ],
  // The call that uses a grant is on record by itself, with the grant's name.
  "grant.used": () => [],
  "grant.revoked": ({ by, grants }) =>
    grants.map((grant) => ({ kind: "grant.revoked" as const, actor: by, grant })),
  "autoApprove.set": ({ by, until }) => [
    { kind: "setting.changed", actor: by, setting: "auto-approve", to: until, severity: "warning" },
  ],
  // What the model asks and people answer is part of its call's own record.
  "question.asked": () => [],
  "question.answered": () => [],
};

interface Decided {
  readonly by: string;
  readonly choice: string;
  readonly reason?: string | undefined;
  readonly grant?: string | undefined;
}

function decision(approval: Approval | undefined, decided: Decided): AuditEntry[] {
  if (!approval) return [];
  const { by, choice, reason, grant } = decided;
  return [
    {
      kind: "approval.decided",
      actor: by,
      callId: approval.callId,
      operation: approval.call.operation,
      ...target(approval.effect),
      digest: approval.digest,
      approval: approval.id,
      decision: choice,
      ...(reason === undefined ? {} : { reason }),
      ...(grant === undefined ? {} : { grant }),
    },
  ];
}

function target({ command, paths }: Approval["effect"]): { target?: string } {
  const what = command ?? paths.map(({ path }) => path).join(", ");
  return what === "" ? {} : { target: what };
}

function said(scope: GrantScope): string {
  if (scope.kind === "directories") return `in ${scope.directories.join(", ")}`;
  if (scope.kind === "program") return `program ${scope.program}`;
  if (scope.kind === "command") return `exactly ${scope.command} in ${scope.directory}`;
  return scope.kind === "call" ? `call ${scope.digest}` : "unprivileged";
}
