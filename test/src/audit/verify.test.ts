import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { exported, verifyExport } from "../../../src/audit/export.ts";
import { verifyStore } from "../../../src/audit/verify.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { type AuditLab, auditLab, sampleEntry } from "../../support/audit.ts";

async function filled(count: number): Promise<AuditLab> {
  const lab = await auditLab();
  for (let index = 0; index < count; index += 1) await lab.audit.record(sampleEntry(index));
  await lab.audit[Symbol.asyncDispose]();
  return lab;
}

/** Always the same numbers. */
function randoms(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

/** As a program reads it that refuses what is not UTF-8. */
function linesOf(bytes: Buffer): string[] {
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  return text.split(/(?<=\n)/);
}

describe("verifying an export", () => {
  it("16.7 an export that nobody touched is whole, also in part", async () => {
    await using lab = await filled(20);
    const lines = await Array.fromAsync(exported(lab.store, {}));
    expect(lines).toHaveLength(21);
    expect(await verifyExport(lines)).toMatchObject({
      records: 20,
      breaks: [],
      head: { number: 20 },
    });
    const part = await Array.fromAsync(exported(lab.store, { conversation: "web:thread-1" }));
    expect(await verifyExport(part)).toMatchObject({ breaks: [] });
    expect(part.length).toBeLessThan(lines.length);
    const since = (await lab.audit.tail(20))[9]?.at;
    const later = await Array.fromAsync(exported(lab.store, { since }));
    expect(await verifyExport(later)).toMatchObject({ breaks: [] });
    expect(
      await verifyExport(await Array.fromAsync(exported(lab.store, { since: "2999-01-01" }))),
    ).toMatchObject({ records: 0, breaks: [] });
  });

  it("P-X5 1000 flipped bytes: each is found, and where it is", async () => {
    await using lab = await filled(20);
    const bytes = Buffer.from((await Array.fromAsync(exported(lab.store, {}))).join(""));
    const random = randoms(7);
    for (let mutation = 0; mutation < 1_000; mutation += 1) {
      const at = random(bytes.length);
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ (1 << random(8));
      const line = bytes.subarray(0, at).toString().split("\n").length;
      let lines: string[];
      try {
        lines = linesOf(changed);
      } catch {
        continue; // not UTF-8 any more: refused before anything is read
      }
      const { breaks } = await verifyExport(lines);
      expect(breaks.length).toBeGreaterThan(0);
      expect(breaks.map(({ number }) => number)).toContain(line);
    }
  });

  it("P-X5 lines that were dropped, doubled, swapped or added: each is found", async () => {
    await using lab = await filled(12);
    const lines = await Array.fromAsync(exported(lab.store, {}));
    const line = (at: number) => lines[at] ?? "";
    for (let at = 0; at < lines.length; at += 1) {
      const dropped = await verifyExport(lines.toSpliced(at, 1));
      expect(dropped.breaks.length).toBeGreaterThan(0);
      const doubled = await verifyExport(lines.toSpliced(at, 0, line(at)));
      expect(doubled.breaks.length).toBeGreaterThan(0);
      if (at > 0) {
        const swapped = await verifyExport(lines.toSpliced(at - 1, 2, line(at), line(at - 1)));
        expect(swapped.breaks.length).toBeGreaterThan(0);
      }
      const cut = await verifyExport(lines.slice(0, at));
      expect(cut.breaks.length).toBeGreaterThan(0);
    }
    expect((await verifyExport(lines.toSpliced(4, 1))).breaks[0]).toEqual({
      number: 5,
      why: "record 6 comes after record 4",
    });
  });

  it("a head that was kept elsewhere must be among the records", async () => {
    await using lab = await filled(5);
    const lines = await Array.fromAsync(exported(lab.store, {}));
    const head = (await lab.audit.tail(2))[0]?.hash;
    expect((await verifyExport(lines, head)).breaks).toEqual([]);
    expect((await verifyExport(lines, "f".repeat(64))).breaks).toHaveLength(1);
    expect((await verifyStore(lab.store, head)).breaks).toEqual([]);
    expect((await verifyStore(lab.store, "f".repeat(64))).breaks).toHaveLength(1);
  });
});

const AUDIT = "(SELECT id FROM conversation WHERE name = 'audit')";

/** Every statement of SQL that somebody could run, and the record at which it must be noticed. */
const TAMPERING: readonly (readonly [string, string, number])[] = [
  ["a record is deleted", `DELETE FROM journal WHERE conversation = ${AUDIT} AND seq = 7`, 7],
  [
    "the first record is deleted",
    `DELETE FROM journal WHERE conversation = ${AUDIT} AND seq = 1`,
    1,
  ],
  [
    "the last record is deleted",
    `DELETE FROM journal WHERE conversation = ${AUDIT} AND seq = 20`,
    20,
  ],
  ["all records are deleted", `DELETE FROM journal WHERE conversation = ${AUDIT}`, 1],
  [
    "an actor is changed",
    `UPDATE document SET value = replace(value, 'web:user-2', 'web:user-9') WHERE key LIKE 'audit-personal:' || (SELECT json_extract(data, '$.personal.id') FROM journal WHERE conversation = ${AUDIT} AND seq = 3)`,
    3,
  ],
  [
    "a time is changed",
    `UPDATE journal SET data = json_set(data, '$.at', '2001-01-01T00:00:00.000Z') WHERE conversation = ${AUDIT} AND seq = 5`,
    5,
  ],
  [
    "something is added",
    `UPDATE journal SET data = json_set(data, '$.more', 1) WHERE conversation = ${AUDIT} AND seq = 5`,
    5,
  ],
  [
    "a hash is changed",
    `UPDATE journal SET data = json_set(data, '$.hash', '${"a".repeat(64)}') WHERE conversation = ${AUDIT} AND seq = 5`,
    5,
  ],
  [
    "the kind of a line is changed",
    `UPDATE journal SET kind = 'other' WHERE conversation = ${AUDIT} AND seq = 5`,
    5,
  ],
  [
    "two records change places",
    `UPDATE journal SET seq = CASE seq WHEN 4 THEN -5 ELSE -4 END WHERE conversation = ${AUDIT} AND seq IN (4, 5); UPDATE journal SET seq = -seq WHERE seq < 0`,
    4,
  ],
];

describe("verifying the store", () => {
  it.each(TAMPERING)("P-X5 it is found when %s", async (_, sql, number) => {
    await using lab = await filled(20);
    expect((await verifyStore(lab.store)).breaks).toEqual([]);
    const database = new DatabaseSync(lab.file);
    database.exec(sql);
    database.close();
    await using reopened = await openStore({ kind: "sqlite", file: lab.file });
    const { breaks } = await verifyStore(reopened);
    expect(breaks.map((one) => one.number)).toContain(number);
  });

  it("P-X5 1000 changed characters of the database's records: each is found, and where it is", async () => {
    await using lab = await filled(10);
    const database = new DatabaseSync(lab.file);
    const read = database.prepare(
      `SELECT data FROM journal WHERE conversation = ${AUDIT} AND seq = ?`,
    );
    const write = database.prepare(
      `UPDATE journal SET data = ? WHERE conversation = ${AUDIT} AND seq = ?`,
    );
    const random = randoms(11);
    let tried = 0;
    while (tried < 1_000) {
      const seq = 1 + random(10);
      const data = String(read.get(seq)?.data);
      const at = random(data.length);
      const changed = `${data.slice(0, at)}${String.fromCharCode(data.charCodeAt(at) ^ (1 << random(7)))}${data.slice(at + 1)}`;
      if (!isOther(data, changed)) continue;
      tried += 1;
      write.run(changed, seq);
      const { breaks } = await verifyStore(lab.store);
      expect(breaks.map(({ number }) => number)).toContain(seq);
      write.run(data, seq);
    }
    database.close();
    expect((await verifyStore(lab.store)).breaks).toEqual([]);
  });
});

/** White space between the parts of JSON says nothing. */
function isOther(data: string, changed: string): boolean {
  try {
    return JSON.stringify(JSON.parse(changed)) !== data;
  } catch {
    return true;
  }
}
