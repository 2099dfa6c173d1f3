import { describe, expect, it } from "vitest";
import { describe as describeRecord } from "../../../src/audit/describe.ts";
import type { AuditEntry, AuditRecord } from "../../../src/contract/audit.ts";

const ADA = "slack:T0123ABC:U0456DEF";
const DIGEST = "ab12".repeat(16);
const nameOf = (key: string) => (key === ADA ? "Ada" : key);
const run = { operation: "terminal_operations.run_command", target: "npm test", digest: DIGEST };
const common = { actor: ADA, conversation: "slack:T0123ABC:C1:1.000001" };
const call = { kind: "call", ...common, ...run, states: ["CREATED"] } as unknown as AuditEntry;
const UNTIL = "2026-11-18T14:05:00.000Z";

const created = { ...call, operation: "file_operations.create_file" } as AuditEntry;

/** One of each kind, and of each outcome of a call. */
const ENTRIES: readonly (readonly [AuditEntry, string, string])[] = [
  [call, "$ npm test", ""],
  [{ ...call, target: "Running: npm test" } as AuditEntry, "$ npm test", ""],
  [{ ...created, target: "Creating file: a.md" } as AuditEntry, "Creating file: a.md", ""],
  [{ ...call, decision: "allowed", outcome: "success" } as AuditEntry, "$ npm test", "succeeded"],
  [
    {
      ...{ ...call, decision: "allowed", how: "asked", approvers: [ADA], as: "root" },
      outcome: "failure",
    } as AuditEntry,
    "$ npm test",
    "approved by Ada, as root, failed",
  ],
  [
    { ...call, decision: "denied", reason: "not here" } as AuditEntry,
    "$ npm test",
    "denied, not here",
  ],
  [{ ...call, decision: "ask" } as AuditEntry, "$ npm test", "waits for approval"],
  [
    {
      kind: "approval.asked",
      ...common,
      ...run,
      approval: "a1",
      risk: "click",
      reason: "It writes: npm test",
    },
    "Approval needed for $ npm test",
    "It writes",
  ],
  [
    { kind: "approval.decided", ...common, ...run, approval: "a1", decision: "once", grant: "g1" },
    "Approved once: $ npm test",
    "",
  ],
  [
    {
      ...{ kind: "approval.decided", ...common, approval: "a1", decision: "deny", reason: "no" },
      ...{ operation: "file_operations.delete_file", target: "a.txt" },
    },
    "Denied: delete file a.txt",
    "no",
  ],
  [
    {
      ...{ kind: "grant.created", ...common, grant: "g1", operation: run.operation },
      ...{ scope: `call ${DIGEST}`, oneTime: true },
    },
    "Permission given for run command",
    "once",
  ],
  [
    {
      ...{ kind: "grant.created", ...common, grant: "g1", operation: run.operation },
      ...{ scope: "program npm", oneTime: false, expiresAt: UNTIL },
    },
    "Permission given for run command program npm",
    "until 14:05 UTC",
  ],
  [{ kind: "grant.used", ...common, ...run, grant: "g1" }, "Permission used for $ npm test", ""],
  [{ kind: "grant.revoked", ...common, grant: "g1" }, "Permission revoked", ""],
  [
    { kind: "setting.changed", ...common, setting: "maxIterations", from: 5, to: 9 },
    "Setting maxIterations changed",
    "5 → 9",
  ],
  [
    { kind: "policy.loaded", ...common, source: "policy.yaml", digest: DIGEST },
    "Policy loaded from policy.yaml",
    "",
  ],
  [
    { kind: "policy.changed", ...common, source: "policy.yaml", digest: DIGEST },
    "Policy changed in policy.yaml",
    "",
  ],
  [
    { kind: "role.refused", ...common, act: "stop", reason: "not a member" },
    "Refused: stop",
    "not a member",
  ],
  [{ kind: "workspace.reset", ...common }, "Workspace reset", ""],
  [{ kind: "security.notice", ...common, message: "A forged click." }, "A forged click.", ""],
  [
    { kind: "plan", ...common, execution: "e1", event: "ROLLBACK_FAILED" },
    "Rollback of a plan failed",
    "",
  ],
];

describe("a record of the audit, for people", () => {
  it.each(ENTRIES)("%j", (entry, what, result) => {
    const record = { number: 7, at: "2026-11-18T06:38:12.345Z", entry } as AuditRecord;
    const described = describeRecord(record, nameOf);
    expect(described).toMatchObject({ actor: "Ada", what, time: "18 Nov 2026 06:38:12 UTC" });
    expect(described.result).toContain(result);
    if (result === "") expect(described.result).toBe("");
    const { actor, time } = described;
    const seen = [actor, time, described.what, described.result].join("\n");
    expect(seen).not.toMatch(
      /[0-9a-f]{12}|\d{4}-\d\d-\d\dT|[UT]0[0-9A-Z]{5}|grant\.|approval\.|\w_\w/,
    );
  });

  it("shows an operator whose keys they are", () => {
    const record = { number: 7, at: UNTIL, entry: call } as AuditRecord;
    expect(describeRecord(record).actor).toBe(ADA);
  });
});
