import type { AuditEntry, AuditRecord } from "../contract/audit.ts";
import { count } from "../contract/display.ts";
import { UNTIL_REVOKED } from "../contract/permission/hosts.ts";
import { sizeInWords } from "../lib/text/sizes.ts";
import { clockTime } from "../lib/text/times.ts";

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

/** Display names of people, by their key. */
type NameOf = (key: string) => string;

/** `nameOf` is for people who know each other by name; an operator looks people up by their keys. */
export function describe(
  { number, at, entry }: AuditRecord,
  nameOf: NameOf = (key) => key,
): Description {
  return {
    number: String(number),
    time: timeInWords(at),
    actor: printable(nameOf(entry.actor)),
    conversation: printable(entry.conversation ?? ""),
    what: printable(joined([whatOf(entry), whoseOf(entry)], " ")),
    result: printable(resultOf(entry, nameOf)),
  };
}

const DAY = new Intl.DateTimeFormat("en-GB", {
  ...{ day: "2-digit", month: "short", year: "numeric", timeZone: "UTC" },
});

/** "18 Nov 2026 06:38:12 UTC": each as long as the others, for columns. */
function timeInWords(at: string): string {
  return `${DAY.format(new Date(at))} ${at.slice(11, 19)} UTC`;
}

/** Who did it where that was not the thread's own agent. */
function whoseOf({ details }: AuditEntry): string | undefined {
  return details?.subagent === undefined ? undefined : `(subagent ${details.subagent})`;
}

function whatOf(entry: AuditEntry): string {
  switch (entry.kind) {
    case "call":
      return entry.target === undefined ? callInWords(entry) : lineInWords(entry.target, entry);
    case "approval.asked":
      return `Approval needed for ${callInWords(entry)}`;
    case "approval.decided":
      return `${DECISIONS[entry.decision] ?? entry.decision}: ${callInWords(entry)}`;
    case "grant.used":
      return `Permission used for ${callInWords(entry)}`;
    case "grant.created":
      return joined(
        ["Permission given for", inWords(entry.operation), scopeInWords(entry.scope)],
        " ",
      );
    case "grant.revoked":
      return "Permission revoked";
    case "setting.changed":
      return `Setting ${entry.setting} changed`;
    case "policy.loaded":
      return `Policy loaded from ${entry.source}`;
    case "policy.changed":
      return `Policy changed in ${entry.source}`;
    case "role.refused":
      return joined(["Refused:", entry.act, entry.target], " ");
    case "workspace.reset":
      return "Workspace reset";
    case "network.ruled":
      return `${entry.hosts.join(", ")}: ${entry.ruling}`;
    case "network.used":
      return `${count(entry.connections, "connection")} to ${entry.host}:${entry.port}, ${sizeInWords(entry.bytesUp)} sent, ${sizeInWords(entry.bytesDown)} received`;
    case "security.notice":
      return entry.message;
    case "journals.committed":
      return `Committed to the ends of ${count(entry.ends.length, "journal")}`;
    case "personal.erased":
      return `Erased a person from ${count(entry.erased.length, "record")}`;
    case "plan":
      return PLAN_EVENTS[entry.event];
  }
}

const RUN_COMMAND = "terminal_operations.run_command";

/** A command as people type it, anything else by its operation. */
function callInWords({ operation, target }: { operation: string; target?: string | undefined }) {
  if (operation === RUN_COMMAND && target !== undefined) return `$ ${target}`;
  return joined([inWords(operation), target], " ");
}

/** The line by which a call is shown is a sentence already. */
function lineInWords(line: string, { operation }: { operation: string }): string {
  return operation === RUN_COMMAND ? `$ ${line.replace(/^Running: /, "")}` : line;
}

/** "file_operations.delete_file" is "delete file". */
function inWords(operation: string): string {
  return operation.slice(operation.lastIndexOf(".") + 1).replaceAll("_", " ");
}

/** A permission for one call is bound by a digest, which says nothing to people. */
function scopeInWords(scope: string): string | undefined {
  if (scope.startsWith("call ")) return undefined;
  return scope === "unprivileged" ? "without root" : scope;
}

const DECISIONS: Readonly<Record<string, string>> = {
  once: "Approved once",
  timed: "Approved for a limited time",
  thread: "Approved for the thread",
  deny: "Denied",
  cancel: "Cancelled",
  expired: "Expired",
};

const PLAN_EVENTS: Readonly<Record<Extract<AuditEntry, { kind: "plan" }>["event"], string>> = {
  PLAN_GENERATED: "Plan made",
  EXECUTION_STARTED: "Plan started",
  EXECUTION_CANCELLED: "Plan cancelled",
  EXECUTION_COMPLETED: "Plan completed",
  EXECUTION_FAILED: "Plan failed",
  ROLLBACK_STARTED: "Rollback of a plan started",
  ROLLBACK_COMPLETED: "Rollback of a plan completed",
  ROLLBACK_FAILED: "Rollback of a plan failed",
};

function resultOf(entry: AuditEntry, nameOf: NameOf): string {
  switch (entry.kind) {
    case "call":
      return callResult(entry, nameOf);
    case "approval.asked":
      return withoutEnd(entry.reason, `: ${entry.target}`);
    case "grant.created":
      return joined([
        entry.oneTime ? "once" : undefined,
        entry.expiresAt &&
          (entry.expiresAt === UNTIL_REVOKED
            ? "until it is revoked"
            : `until ${clockTime(entry.expiresAt)}`),
      ]);
    case "setting.changed":
      return `${entry.from === undefined ? "" : `${JSON.stringify(entry.from)} → `}${JSON.stringify(entry.to)}`;
    case "approval.decided":
    case "role.refused":
    case "grant.revoked":
    case "workspace.reset":
      return entry.reason ?? "";
    case "policy.loaded":
    case "policy.changed":
    case "grant.used":
    case "network.ruled":
    case "network.used":
    case "security.notice":
    case "journals.committed":
    case "personal.erased":
    case "plan":
      return entry.severity ?? "";
  }
}

/** The reason repeats the command, which stands in front of it here. */
function withoutEnd(text: string, end: string): string {
  return text.endsWith(end) ? text.slice(0, -end.length) : text;
}

type Call = Extract<AuditEntry, { kind: "call" }>;

function callResult(entry: Call, nameOf: NameOf): string {
  const { decision, approvers = [], as, outcome, reason } = entry;
  return joined([
    permissionOf(entry, approvers.map(nameOf)),
    as && `as ${as}`,
    outcome && OUTCOMES[outcome],
    decision === "denied" ? reason : undefined,
  ]);
}

const OUTCOMES: Readonly<Record<NonNullable<Call["outcome"]>, string>> = {
  success: "succeeded",
  failure: "failed",
  unknown: "outcome unknown",
};

function permissionOf({ decision }: Call, approvers: readonly string[]): string | undefined {
  if (decision === "denied") return "denied";
  if (decision === "ask") return "waits for approval";
  return approvers.length > 0 ? `approved by ${approvers.join(" and ")}` : undefined;
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
