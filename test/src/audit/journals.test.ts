import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { verifyStore } from "../../../src/audit/verify.ts";
import { lineHash, startHash } from "../../../src/contract/conversation/journal-chain.ts";
import type { Store } from "../../../src/contract/store.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { MIGRATIONS, migrate } from "../../../src/store/sqlite/schema.ts";
import { makeDataDirectory } from "../../support/data-directory.ts";
import { CONVERSATIONS, fillJournals, flipBit, randomNumbers } from "../../support/journals.ts";
import { caseCount } from "../../support/thorough.ts";

let directory: string;
let store: Store;
let database: DatabaseSync;
beforeEach(async () => {
  directory = makeDataDirectory("journals");
  store = await openStore({ kind: "sqlite", file: join(directory, "deckhand.sqlite") });
  await fillJournals(store, 8);
  database = new DatabaseSync(join(directory, "deckhand.sqlite"));
  database.exec(`PRAGMA synchronous = OFF;
    CREATE TEMP TABLE old_journal AS SELECT * FROM journal;
    CREATE TEMP TABLE old_conversation AS SELECT * FROM conversation;`);
});
afterEach(async () => {
  database.close();
  await store[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

function restore(): void {
  database.exec(`BEGIN; PRAGMA defer_foreign_keys = ON;
    DELETE FROM journal; DELETE FROM conversation;
    INSERT INTO conversation SELECT * FROM old_conversation;
    INSERT INTO journal SELECT * FROM old_journal; COMMIT;`);
}

async function isNoticed(): Promise<boolean> {
  const { breaks, journals } = await verifyStore(store).catch(() => ({
    breaks: ["unreadable"],
    journals: { breaks: [] },
  }));
  return breaks.length + journals.breaks.length > 0;
}

const ONE = "(SELECT id FROM conversation WHERE name = 'web:one')";
const THREE = "(SELECT id FROM conversation WHERE name = 'slack:three')";
const LINE = `conversation = ${ONE} AND seq = 4`;

/** Statements that a person with the database file may run; none of them was noticed without the chain. */
const TAMPERING: readonly [string, string][] = [
  ["words are changed", `UPDATE journal SET data = replace(data, 'ada', 'eve') WHERE ${LINE}`],
  ["a blank is added", `UPDATE journal SET data = data || ' ' WHERE ${LINE}`],
  ["a time is changed", `UPDATE journal SET at = '2001-01-01T00:00:00.000Z' WHERE ${LINE}`],
  ["a kind is changed", `UPDATE journal SET kind = 'other' WHERE ${LINE}`],
  ["a hash is removed", `UPDATE journal SET hash = NULL WHERE ${LINE}`],
  ["a line is removed", `DELETE FROM journal WHERE ${LINE}`],
  ["the first line is removed", `DELETE FROM journal WHERE conversation = ${ONE} AND seq = 1`],
  ["the last line is removed", `DELETE FROM journal WHERE conversation = ${THREE} AND seq = 8`],
  [
    "the last line is removed and the end moved",
    `DELETE FROM journal WHERE conversation = ${THREE} AND seq = 8; UPDATE conversation SET seq = 7 WHERE name = 'slack:three'`,
  ],
  [
    "a line is added at the end",
    `INSERT INTO journal SELECT conversation, 9, at, kind, data, hash FROM journal WHERE conversation = ${ONE} AND seq = 8`,
  ],
  [
    "a line is added before the first",
    `INSERT INTO journal SELECT conversation, 0, at, kind, data, hash FROM journal WHERE ${LINE}`,
  ],
  [
    "a line is added for no conversation",
    `PRAGMA foreign_keys = OFF; INSERT INTO journal SELECT 99, 1, at, kind, data, hash FROM journal WHERE ${LINE}`,
  ],
  [
    "two lines change places",
    `UPDATE journal SET seq = -seq WHERE conversation = ${ONE} AND seq IN (4, 5); UPDATE journal SET seq = 9 + seq WHERE seq < 0`,
  ],
  [
    "a line moves to another conversation",
    `UPDATE journal SET conversation = ${THREE}, seq = 9 WHERE conversation = ${ONE} AND seq = 8`,
  ],
  [
    "a conversation is renamed",
    "UPDATE conversation SET name = 'web:x' WHERE name = 'slack:three'",
  ],
  ["a conversation is hidden", "UPDATE conversation SET seq = 0 WHERE name = 'slack:three'"],
  ["a head is changed", "UPDATE conversation SET head = hex(1) WHERE name = 'slack:three'"],
  ["a head is removed", "UPDATE conversation SET head = NULL WHERE name = 'slack:three'"],
  [
    "covered lines are passed off as old ones",
    `UPDATE conversation SET covered_from = 9, covered_since = 4102444800000, head = NULL WHERE name = 'web:one'; UPDATE journal SET hash = NULL WHERE conversation = ${ONE}`,
  ],
  [
    "a time of the audit's own journal is changed",
    "UPDATE journal SET at = '2001-01-01T00:00:00.000Z' WHERE kind = 'audit' AND seq = 1",
  ],
];

describe("journals of conversations in SQLite", () => {
  it("are whole when nobody touched them", async () => {
    const { breaks, journals } = await verifyStore(store);
    expect(breaks).toEqual([]);
    expect(journals).toEqual({ conversations: 4, lines: 27, breaks: [], uncovered: [] });
  });

  it.each(TAMPERING)("show that %s (P-X5)", async (_, sql) => {
    database.exec(sql);
    expect((await verifyStore(store)).journals.breaks).not.toEqual([]);
  });

  it("show that a line was rewritten with all hashes after it, by what the audit commits to", async () => {
    const id = database.prepare("SELECT id FROM conversation WHERE name = 'web:one'").get()?.id;
    let head = startHash({ conversation: "web:one", coveredFrom: 1 });
    for (const row of database
      .prepare("SELECT * FROM journal WHERE conversation = ? ORDER BY seq")
      .all(Number(id))) {
      const { seq, at, kind } = row as { seq: number; at: string; kind: string };
      const data = String(row.data).replace("ada", "eve");
      head = lineHash(head, { seq, at, kind, data });
      database
        .prepare("UPDATE journal SET data = ?, hash = ? WHERE conversation = ? AND seq = ?")
        .run(data, head, Number(id), seq);
    }
    database.prepare("UPDATE conversation SET head = ? WHERE id = ?").run(head, Number(id));
    expect((await verifyStore(store)).journals.breaks).toEqual([
      expect.objectContaining({
        conversation: "web:one",
        seq: 8,
        why: expect.stringMatching(/audit/),
      }),
    ]);
  });

  it("notice a flipped bit in any field of any row (P-X5)", async () => {
    const random = randomNumbers(23);
    const rows = database.prepare("SELECT conversation, seq FROM journal").all();
    const fields = ["at", "kind", "data", "hash"] as const;
    const missed: string[] = [];
    for (let tried = 0; tried < caseCount({ perChange: 300, all: 10_000 }); ) {
      const { conversation, seq } = rows[random(rows.length)] as Record<string, number>;
      const field = fields[random(fields.length)];
      const row = "WHERE conversation = ? AND seq = ?";
      const place = [Number(conversation), Number(seq)];
      const old = String(
        database.prepare(`SELECT ${field} AS old FROM journal ${row}`).get(...place)?.old,
      );
      const flipped = flipBit(old, random);
      if (flipped === undefined || flipped.includes("\0")) continue;
      tried += 1;
      const update = database.prepare(`UPDATE journal SET ${field} = ? ${row}`);
      update.run(flipped, ...place);
      if (!(await isNoticed())) missed.push(`${field} of ${place}: ${old} → ${flipped}`);
      update.run(old, ...place);
    }
    expect(missed).toEqual([]);
    expect(await isNoticed()).toBe(false);
  }, 600_000);

  it("notice any removed, repeated or exchanged row (P-X5)", async () => {
    const rows = database.prepare("SELECT rowid AS id, seq FROM journal").all();
    for (const { id } of rows) {
      database.prepare("DELETE FROM journal WHERE rowid = ?").run(Number(id));
      expect(await isNoticed(), `removed ${id}`).toBe(true);
      restore();
    }
    const exchange =
      "UPDATE journal SET (at, kind, data, hash) = (SELECT at, kind, data, hash FROM old_journal o WHERE o.conversation = ? AND o.seq = ?) WHERE conversation = ? AND seq = ?";
    for (let seq = 1; seq < 8; seq += 1) {
      const id = Number(database.prepare(`SELECT ${THREE} AS id`).get()?.id);
      database.prepare(exchange).run(id, seq, id, seq + 1);
      expect(await isNoticed(), `repeated ${seq}`).toBe(true);
      database.prepare(exchange).run(id, seq + 1, id, seq);
      expect(await isNoticed(), `exchanged ${seq}`).toBe(true);
      restore();
    }
    expect(await isNoticed()).toBe(false);
  });

  it("a verification without the chain notices none of this: the control", async () => {
    database.exec(
      `UPDATE journal SET data = replace(data, 'ada', 'eve') WHERE conversation = ${ONE}`,
    );
    expect((await verifyStore(store)).breaks).toEqual([]);
  });
});

describe("journals of an older version", () => {
  it("are reported as not covered, and what follows is", async () => {
    const file = join(directory, "old.sqlite");
    const old = new DatabaseSync(file);
    migrate(old, file, MIGRATIONS.slice(0, 1));
    old.exec(`PRAGMA application_id = ${0x4465636b};
      INSERT INTO conversation (id, name, seq) VALUES (1, 'web:old', 2), (2, 'web:still', 1);
      INSERT INTO journal VALUES (1, 1, '2020-01-01T00:00:00.000Z', 'k', '1'),
        (1, 2, '2020-01-02T00:00:00.000Z', 'k', '2'), (2, 1, '2020-01-01T00:00:00.000Z', 'k', '3');`);
    old.close();
    await using upgraded = await openStore({ kind: "sqlite", file });
    await upgraded.append("web:old", 2, [{ kind: "k", data: 3 }]);
    const { journals } = await verifyStore(upgraded);
    expect(journals).toMatchObject({ conversations: 2, lines: 4, breaks: [] });
    expect(journals.uncovered).toEqual([
      { conversation: "web:old", lines: 2, before: expect.stringMatching(/^20\d\d-/) },
      { conversation: "web:still", lines: 1, before: expect.stringMatching(/^20\d\d-/) },
    ]);
    const changed = new DatabaseSync(file);
    changed.exec(
      "UPDATE journal SET at = '2020-01-09T00:00:00.000Z' WHERE data = '3' AND conversation = 1",
    );
    changed.close();
    expect((await verifyStore(upgraded)).journals.breaks).toMatchObject([
      { conversation: "web:old", seq: 3 },
    ]);
  });
});

it("the conversations of the tests are the ones that are verified", async () => {
  expect(await store.conversations()).toEqual(["audit", ...CONVERSATIONS].sort());
});
