import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { keyOf, type Lab, permissionLab, person } from "../../../support/permission-lab.ts";

const DELETE = "file_operations.delete_file";

let lab: Lab;
beforeEach(async () => {
  lab = await permissionLab();
});
afterEach(() => lab[Symbol.asyncDispose]());

async function kinds(): Promise<string[]> {
  const records = await lab.audit.forConversation("A");
  return records.map(({ entry }) => entry.kind);
}

async function ask() {
  const question = await lab.question(DELETE, { filePath: "a.txt" });
  return (await lab.authorization.approvals.ask("A", question, "call-1")).approval;
}

const alice = { conversation: "A", presence: person("alice") };

describe("4.31 what people permit is on record", () => {
  it("with who decided what about which call, and the grant that came of it", async () => {
    const approval = await ask();
    await lab.authorization.approvals.decide({ ...alice, approval: approval.id, choice: "once" });
    const records = await lab.audit.forConversation("A");
    expect(records.map(({ entry }) => entry)).toMatchObject([
      { kind: "approval.asked", actor: keyOf("alice"), operation: DELETE, callId: "call-1" },
      {
        kind: "approval.decided",
        actor: keyOf("alice"),
        decision: "once",
        digest: approval.digest,
      },
      { kind: "grant.created", operation: DELETE, oneTime: true },
    ]);
    await lab.authorization.grants.revoke("A", { by: keyOf("alice") });
    expect((await kinds()).at(-1)).toBe("grant.revoked");
  });

  it("with the reason of a refusal, and nothing for a click that came too late", async () => {
    const approval = await ask();
    const deny = { ...alice, approval: approval.id, choice: "deny", reason: "not today" } as const;
    await lab.authorization.approvals.decide(deny);
    await lab.authorization.approvals.decide({ ...deny, choice: "once" });
    const records = await lab.audit.forConversation("A");
    expect(records.at(-1)?.entry).toMatchObject({ decision: "deny", reason: "not today" });
    expect(await kinds()).toEqual(["approval.asked", "approval.decided"]);
  });

  it("with auto-approve being turned on, as a warning", async () => {
    const owner = person("olga", { kind: "owner" });
    await lab.authorization.autoApprove.turnOn("A", owner);
    const records = await lab.audit.forConversation("A");
    expect(records.at(-1)?.entry).toMatchObject({
      kind: "setting.changed",
      setting: "auto-approve",
      severity: "warning",
    });
  });

  it("or it is not decided at all: without the record nothing is permitted", async () => {
    const approval = await ask();
    const guard = lab.again({
      audit: { record: () => Promise.reject(new Error("the disk is full")) },
    });
    const click = { ...alice, approval: approval.id, choice: "once" } as const;
    await expect(guard.approvals.decide(click)).rejects.toThrow("the disk is full");
  });
});
