import { describe, expect, it } from "vitest";
import { createCallAudit } from "../../../src/audit/call-audit.ts";
import type { AuditEntry } from "../../../src/contract/audit.ts";
import type { CallState } from "../../../src/contract/call-state.ts";
import type { PlannedCall, Verdict } from "../../../src/contract/gate.ts";
import type { ToolContext } from "../../../src/contract/tool-call.ts";
import { CallStates } from "../../../src/tools/call-states.ts";
import { type AuditLab, auditLab } from "../../support/audit.ts";

const call = {
  operationKey: "file_operations.create_file",
  params: { filePath: "/etc/motd", content: "hello" },
  definition: { line: () => "Creating file: /etc/motd" },
} as unknown as PlannedCall;

const context = {
  conversation: "web:1",
  callId: "call-1",
  sessionId: "session-1",
  userId: "web:ann",
  requestText: "please greet everybody",
} as unknown as ToolContext;

/** A call that goes through the states as the dispatcher does, and asks the gate where it says "CheckingAuth". */
async function go(
  lab: AuditLab,
  states: readonly CallState[],
  verdicts: Verdict[],
  effect = () => {},
) {
  const { gate, onState } = createCallAudit(lab.audit, {
    check: async () => verdicts.shift() ?? { outcome: "denied", reason: "no verdict" },
  });
  const tell = (state: CallState) =>
    onState({
      conversation: "web:1",
      callId: "call-1",
      operationKey: call.operationKey,
      state,
      at: "",
    });
  const way = new CallStates("Queued", tell);
  await tell("Queued");
  for (const state of states) {
    await way.to(state);
    if (state === "CheckingAuth") await gate.check(call, context);
    if (state === "DirectExecution") effect();
  }
  return (await lab.audit.tail(100)).map(
    ({ entry }) => entry as Extract<AuditEntry, { kind: "call" }>,
  );
}

describe("calls in the audit", () => {
  it("1.37 4.31 a create outside the workspace that was approved shows all its states, and both users", async () => {
    await using lab = await auditLab();
    const way: CallState[] = [
      "Validating",
      "CheckingAuth",
      "AuthPending",
      "BlockingWait",
      "UserResponded",
      "CheckingAuth",
      "Executing",
      "Routing",
      "InternalTool",
      "DirectExecution",
      "Success",
      "GenerateResult",
      "AddMetrics",
      "AddEvents",
    ];
    const entries = await go(lab, way, [
      { outcome: "ask", reason: "outside the workspace" },
      {
        outcome: "allowed",
        reason: "approved",
        ground: "grant",
        grant: "g1",
        approvers: ["web:bob"],
        as: "root",
      },
    ]);
    expect(entries.flatMap(({ states }) => states)).toEqual(["Queued", ...way]);
    expect(entries.map(({ decision }) => decision)).toEqual(["ask", "allowed", "allowed"]);
    expect(entries.at(-1)).toMatchObject({
      actor: "web:ann",
      approvers: ["web:bob"],
      how: "asked",
      grant: "g1",
      as: "root",
      session: "session-1",
      request: "please greet everybody",
      target: "Creating file: /etc/motd",
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      outcome: "success",
    });
  });

  it("is written before the effect", async () => {
    await using lab = await auditLab();
    let written: Promise<number> | undefined;
    await go(
      lab,
      ["Validating", "CheckingAuth", "Executing", "DirectExecution"],
      [{ outcome: "allowed", reason: "reads only", ground: "no-risk" }],
      () => {
        written = lab.audit.tail(1).then((records) => records.length);
      },
    );
    expect(await written).toBe(1);
  });

  it("a call that tells how far it is does not write each time", async () => {
    await using lab = await auditLab();
    const progress = Array.from({ length: 20 }, (): CallState[] => [
      "EmitProgress",
      "DirectExecution",
    ]).flat();
    const entries = await go(
      lab,
      [
        "Validating",
        "CheckingAuth",
        "Executing",
        "DirectExecution",
        ...progress,
        "Failure",
        "GenerateResult",
        "AddMetrics",
        "AddEvents",
      ],
      [{ outcome: "allowed", reason: "own command", ground: "user-initiated" }],
    );
    expect(entries).toHaveLength(2);
    expect(entries[0]).toMatchObject({ how: "userInitiated", decision: "allowed" });
    expect(entries[1]).toMatchObject({ outcome: "failure" });
  });

  it("says auto-approve where that let a call pass [4.23]", async () => {
    await using lab = await auditLab();
    const entries = await go(
      lab,
      ["Validating", "CheckingAuth", "Executing", "DirectExecution"],
      [{ outcome: "allowed", reason: "Auto-approve is on.", ground: "auto-approve" }],
    );
    expect(entries[0]).toMatchObject({ how: "autoApprove", decision: "allowed" });
  });

  it("a denied call says why, and a call that was never understood is there, too", async () => {
    await using lab = await auditLab();
    const end: CallState[] = ["GenerateResult", "AddMetrics", "AddEvents"];
    await go(lab, ["Validating", "ValidationFailed", ...end], []);
    const entries = await go(
      lab,
      ["Validating", "CheckingAuth", "AuthDenied", ...end],
      [{ outcome: "denied", reason: "a rule of the policy" }],
    );
    expect(entries).toHaveLength(2);
    expect(entries[1]).toMatchObject({ decision: "denied", reason: "a rule of the policy" });
  });

  it("stops the call when it cannot be recorded", async () => {
    await using lab = await auditLab();
    const audit = { ...lab.audit, record: () => Promise.reject(new Error("The disk is full.")) };
    let effects = 0;
    const run = go(
      { ...lab, audit },
      ["Validating", "CheckingAuth", "Executing", "DirectExecution"],
      [{ outcome: "allowed", reason: "reads only" }],
      () => {
        effects += 1;
      },
    );
    await expect(run).rejects.toThrow("The disk is full.");
    expect(effects).toBe(0);
  });
});
