import { describe, expect, it } from "vitest";
import { createAudit } from "../../../src/audit/audit.ts";
import { verifyStore } from "../../../src/audit/verify.ts";
import type { AuditEntry } from "../../../src/contract/audit.ts";
import { StoreError } from "../../../src/contract/store.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { auditLab, sampleEntry } from "../../support/audit.ts";
import { canaries, ENCODINGS, leaks } from "../../support/canaries.ts";
import { until } from "../../support/until.ts";

const redactor = createRedactor({ secrets: {} });

describe("the audit", () => {
  it("11.34 keeps every entry in order, with its time and the hash of the one before", async () => {
    await using lab = await auditLab();
    const entries = Array.from({ length: 10 }, (_, index) => sampleEntry(index));
    for (const entry of entries) await lab.audit.record(entry);
    const records = await lab.audit.tail(100);
    expect(records.map(({ entry }) => entry)).toEqual(entries);
    expect(records.map(({ number }) => number)).toEqual(entries.map((_, index) => index + 1));
    for (const [index, record] of records.entries())
      expect(record.previous).toBe(records[index - 1]?.hash ?? "0".repeat(64));
    expect((await lab.audit.tail(3)).map(({ number }) => number)).toEqual([8, 9, 10]);
  });

  it("11.34 has no way to change or delete an entry", async () => {
    await using lab = await auditLab();
    expect(Object.keys(lab.audit).sort()).toEqual(["forConversation", "record", "tail"]);
  });

  it("writes what waits together in one append", async () => {
    await using lab = await auditLab();
    let appends = 0;
    const store = {
      ...lab.store,
      append: (...args: Parameters<typeof lab.store.append>) => {
        appends += 1;
        return lab.store.append(...args);
      },
    };
    const audit = createAudit({ store, redactor });
    await Promise.all(Array.from({ length: 100 }, (_, index) => audit.record(sampleEntry(index))));
    expect(appends).toBeLessThanOrEqual(2);
    expect((await verifyStore(lab.store)).records).toBe(100);
  });

  it("P-X5 two replicas write one chain, interleaved, without a gap", async () => {
    await using lab = await auditLab();
    await using other = await openStore({ kind: "sqlite", file: lab.file });
    const audits = [lab.audit, createAudit({ store: other, redactor })];
    const write = async (replica: number) => {
      for (let index = 0; index < 60; index += 1)
        await audits[replica]?.record({
          kind: "security.notice",
          actor: `bot-${replica}`,
          message: `${index}`,
        });
    };
    await Promise.all([write(0), write(1)]);
    const { records, breaks } = await verifyStore(lab.store);
    expect({ records, breaks }).toEqual({ records: 120, breaks: [] });
    const actors = (await lab.audit.tail(120)).map(({ entry }) => entry.actor);
    expect(actors.filter((actor) => actor === "bot-0")).toHaveLength(60);
  });

  it("4.31 gives the records of a conversation, the newest page first asked, and sees what other replicas write", async () => {
    await using lab = await auditLab();
    for (let index = 0; index < 30; index += 1)
      await lab.audit.record({
        kind: "workspace.reset",
        actor: "web:me",
        conversation: `c${index % 2}`,
      });
    const page = await lab.audit.forConversation("c0", { limit: 5 });
    expect(page.map(({ number }) => number)).toEqual([21, 23, 25, 27, 29]);
    const earlier = await lab.audit.forConversation("c0", { limit: 5, before: 21 });
    expect(earlier.map(({ number }) => number)).toEqual([11, 13, 15, 17, 19]);
    await createAudit({ store: lab.store, redactor }).record({
      kind: "workspace.reset",
      actor: "x",
      conversation: "c0",
    });
    expect((await lab.audit.forConversation("c0", { limit: 1 }))[0]?.number).toBe(31);
    expect(await lab.audit.forConversation("nobody")).toEqual([]);
  });

  it("throws when the store cannot write, so that nobody acts, and works again when it can", async () => {
    await using lab = await auditLab();
    let broken = true;
    const audit = createAudit({
      redactor,
      store: {
        ...lab.store,
        append: (...args) =>
          broken ? Promise.reject(new StoreError("The disk is full.")) : lab.store.append(...args),
      },
    });
    await expect(audit.record(sampleEntry(0))).rejects.toThrow("The disk is full.");
    broken = false;
    await expect(audit.record(sampleEntry(1))).resolves.toMatchObject({ number: 1 });
  });

  it("throws when the note of its end cannot be written", async () => {
    await using lab = await auditLab();
    const documents = {
      ...lab.store.documents("audit"),
      set: () => Promise.reject(new StoreError("No.")),
    };
    const audit = createAudit({ redactor, store: { ...lab.store, documents: () => documents } });
    await expect(audit.record(sampleEntry(0))).rejects.toThrow(StoreError);
  });

  it.each([{}, null, "end", { number: 1 }, { number: "1", hash: "x" }])(
    "records nothing more once the note of its end is damaged: %j",
    async (damaged) => {
      await using lab = await auditLab();
      await lab.audit.record(sampleEntry(0));
      await lab.store.documents("audit").set("head", damaged);
      const audit = createAudit({ store: lab.store, redactor });
      await expect(audit.record(sampleEntry(1))).rejects.toThrow("npm run audit -- verify");
    },
  );

  it("P-X5 notes its end a moment after the last record, also where nobody ends it in order", async () => {
    await using lab = await auditLab();
    const end = async () => (await lab.store.documents("audit").get("head")) as { number: number };
    await lab.audit.record(sampleEntry(0));
    expect(await end()).toMatchObject({ number: 1 });
    for (let index = 1; index < 4; index += 1) {
      await lab.audit.record(sampleEntry(index));
      expect((await end()).number).toBeLessThanOrEqual(index + 1);
    }
    await until(async () => (await end()).number === 4, "the note of the last record");
    expect((await verifyStore(lab.store)).breaks).toEqual([]);
  });

  it("refuses an entry that is none", async () => {
    await using lab = await auditLab();
    const nonsense = {
      kind: "call",
      actor: "",
      operation: "x",
      states: [],
    } as unknown as AuditEntry;
    await expect(async () => lab.audit.record(nonsense)).rejects.toThrow();
    expect(await lab.audit.tail(1)).toEqual([]);
  });

  it("cuts what is too long and says so", async () => {
    await using lab = await auditLab();
    await lab.audit.record({ kind: "security.notice", actor: "bot", message: "a ".repeat(20_000) });
    const [record] = await lab.audit.tail(1);
    expect(JSON.stringify(record).length).toBeLessThan(20_000);
    expect(JSON.stringify(record)).toContain("more characters");
  });

  it("P-X1 200 canaries in every encoding and every field: none reaches the database", async () => {
    const all = canaries(200);
    await using lab = await auditLab(
      Object.fromEntries(all.map(({ name, value }) => [name, value])),
    );
    await Promise.all(
      all.flatMap(({ value }) => {
        const texts = Object.values(ENCODINGS)
          .map((encode) => encode(value))
          .join(" | ");
        const details = { [texts]: [texts, { nested: texts }] };
        return [
          lab.audit.record({
            kind: "call",
            actor: "web:me",
            operation: texts,
            target: texts,
            reason: texts,
            request: texts,
            states: ["Queued"],
          }),
          lab.audit.record({
            kind: "setting.changed",
            actor: texts,
            setting: texts,
            from: texts,
            to: details,
            details,
          }),
        ];
      }),
    );
    const records = await lab.audit.tail(400);
    expect(records).toHaveLength(400);
    for (const [index, { value }] of all.entries()) {
      const written = JSON.stringify(records.slice(index * 2, index * 2 + 2));
      const shown = Object.values(ENCODINGS).map((encode) =>
        JSON.stringify(encode(value)).slice(1, -1),
      );
      expect(shown.filter((encoded) => leaks(written, value, encoded))).toEqual([]);
    }
  });
});
