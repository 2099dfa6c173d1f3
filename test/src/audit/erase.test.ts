import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { erasePerson } from "../../../src/audit/erase.ts";
import { exported, verifyExport } from "../../../src/audit/export.ts";
import { verifyStore } from "../../../src/audit/verify.ts";
import type { AuditEntry } from "../../../src/contract/audit.ts";
import { type AuditLab, auditLab } from "../../support/audit.ts";

const ADA = "slack:T1:ADA";
const BOB = "slack:T1:BOB";
const THREAD = "slack:T1:C1:1";

const ENTRIES: readonly AuditEntry[] = [
  {
    kind: "call",
    actor: ADA,
    conversation: THREAD,
    operation: "terminal_operations.run_command",
    states: ["Queued"],
    request: "please restart it, the number of my door is 42",
    approvers: [BOB, ADA, "auto-approve"],
    details: { contributors: [BOB], subagent: "s1" },
  },
  {
    kind: "approval.decided",
    actor: BOB,
    operation: "x.y",
    approval: "a1",
    decision: "deny",
    reason: "not on my watch",
  },
  {
    kind: "grant.created",
    actor: `${ADA}, ${BOB}`,
    grant: "g",
    operation: "x.y",
    scope: "unprivileged",
    oneTime: true,
  },
  { kind: "workspace.reset", actor: "bot", conversation: THREAD },
  { kind: "setting.changed", actor: ADA, setting: "topic", from: "nothing", to: "my divorce" },
  { kind: "setting.changed", actor: BOB, setting: "maxIterations", from: 3, to: "4" },
];
const PRIVATE = [ADA, "the number of my door", "my divorce"];

async function filled(): Promise<AuditLab> {
  const lab = await auditLab();
  for (const entry of ENTRIES) await lab.audit.record(entry);
  await lab.audit[Symbol.asyncDispose]();
  return lab;
}

/** Everything that the database's tables say. */
function dump(file: string): string {
  using database = new DatabaseSync(file);
  const rows = ["journal", "document"].map((table) =>
    database.prepare(`SELECT * FROM ${table}`).all(),
  );
  return JSON.stringify(rows);
}

describe("the audit and its people", () => {
  it("gives entries as they were recorded, and keeps people and their words out of the chain", async () => {
    await using lab = await filled();
    expect((await lab.audit.tail(9)).map(({ entry }) => entry)).toEqual(ENTRIES);
    const chain = JSON.stringify(await lab.store.read("audit"));
    for (const text of [...PRIVATE, BOB, "not on my watch"]) expect(chain).not.toContain(text);
    expect(chain).toContain("auto-approve");
    const [first] = await lab.audit.forConversation(THREAD);
    expect(first?.entry).toEqual(ENTRIES[0]);
  });

  it("salts each digest, so that equal fields have different ones", async () => {
    await using lab = await auditLab();
    const entry: AuditEntry = { kind: "workspace.reset", actor: ADA };
    const records = [await lab.audit.record(entry), await lab.audit.record(entry)];
    const digests = records.map(({ personal }) => personal?.digests.actor);
    expect(new Set(digests).size).toBe(2);
  });

  it("erases a person and what they wrote, and nobody else, while the chain stays whole", async () => {
    await using lab = await filled();
    const head = (await verifyStore(lab.store)).head;
    expect(await erasePerson(lab.store, lab.audit, ADA)).toBe(3);
    await lab.audit[Symbol.asyncDispose]();
    const kept = dump(lab.file);
    for (const text of PRIVATE) expect(kept).not.toContain(text);
    const entries = (await lab.audit.tail(9)).map(({ entry }) => entry);
    expect(entries[0]).toEqual({
      ...ENTRIES[0],
      actor: "(erased)",
      request: "(erased)",
      approvers: [BOB, "(erased)", "auto-approve"],
    });
    expect(entries.slice(1, 6)).toEqual([
      ENTRIES[1],
      { ...ENTRIES[2], actor: "(erased)" },
      ENTRIES[3],
      { ...ENTRIES[4], actor: "(erased)", from: "(erased)", to: "(erased)" },
      ENTRIES[5],
    ]);
    expect(entries[6]).toMatchObject({ kind: "personal.erased", actor: "operator" });
    const { breaks, records, journals } = await verifyStore(lab.store, head.hash);
    expect({ breaks, records, journals: journals.breaks }).toEqual({
      breaks: [],
      records: 7,
      journals: [],
    });
    const lines = await Array.fromAsync(exported(lab.store, {}));
    expect((await verifyExport(lines)).breaks).toEqual([]);
    for (const text of PRIVATE) expect(lines.join("")).not.toContain(text);
    expect(await erasePerson(lab.store, lab.audit, ADA)).toBe(0);
  });

  it("is completed by another run where it was cut off after its record", async () => {
    await using lab = await filled();
    const cut = { ...lab.store, documents: lab.store.documents.bind(lab.store) };
    cut.documents = (namespace) => ({
      ...lab.store.documents(namespace),
      ...(namespace === "audit-personal" && { set: () => Promise.reject(new Error("killed")) }),
    });
    await expect(erasePerson(cut, lab.audit, BOB)).rejects.toThrow("killed");
    expect((await verifyStore(lab.store)).breaks).toEqual([]);
    expect(await erasePerson(lab.store, lab.audit, BOB)).toBeGreaterThan(0);
    expect(dump(lab.file)).not.toContain(BOB);
    expect((await verifyStore(lab.store)).breaks).toEqual([]);
  });

  it.each([
    [
      "another person",
      "UPDATE document SET value = replace(value, 'T1:BOB', 'T1:EVE') WHERE value LIKE '%watch%'",
      2,
    ],
    [
      "other words",
      "UPDATE document SET value = replace(value, 'not on', 'yes, on') WHERE value LIKE '%watch%'",
      2,
    ],
    [
      "another salt",
      `UPDATE document SET value = json_set(value, '$.actor.salt', '00') WHERE value LIKE '%watch%'`,
      2,
    ],
    ["no JSON", "UPDATE document SET value = 'x' WHERE value LIKE '%watch%'", 2],
    [
      "a field less, and no erasure on record",
      `UPDATE document SET value = json_remove(value, '$.request') WHERE value LIKE '%door%'`,
      1,
    ],
    ["nothing, and no erasure on record", "DELETE FROM document WHERE value LIKE '%watch%'", 2],
  ])("P-X5 it is found when what is kept beside a record becomes %s", async (_, sql, number) => {
    await using lab = await filled();
    const database = new DatabaseSync(lab.file);
    expect(database.prepare(sql).run().changes).toBe(1);
    database.close();
    const { breaks } = await verifyStore(lab.store);
    expect(breaks.map((one) => one.number)).toEqual([number]);
  });
});
