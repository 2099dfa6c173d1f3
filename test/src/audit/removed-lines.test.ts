import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createAudit } from "../../../src/audit/audit.ts";
import { JournalCommits } from "../../../src/audit/journal-commits.ts";
import { verifyStore } from "../../../src/audit/verify.ts";
import { lineHash, startHash } from "../../../src/contract/conversation/journal-chain.ts";
import type { Store } from "../../../src/contract/store.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { MIGRATIONS, migrate } from "../../../src/store/sqlite/schema.ts";
import { makeDataDirectory } from "../../support/data-directory.ts";
import { fillJournals } from "../../support/journals.ts";

let directory: string;
let file: string;
let store: Store;
let database: DatabaseSync;
beforeEach(async () => {
  directory = makeDataDirectory("removed");
  file = join(directory, "deckhand.sqlite");
  store = await openStore({ kind: "sqlite", file });
  await fillJournals(store, 8);
  database = new DatabaseSync(file);
  database.exec("PRAGMA foreign_keys = OFF");
});
afterEach(async () => {
  database.close();
  await store[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

const id = (name: string) => `(SELECT id FROM conversation WHERE name = '${name}')`;

/** Cuts a journal after a line, as an attacker does who knows the schema: nothing in its own rows shows it. */
const cut = (name: string, seq: number) => `
  DELETE FROM journal WHERE conversation = ${id(name)} AND seq > ${seq};
  UPDATE conversation SET seq = ${seq},
    head = (SELECT hash FROM journal WHERE conversation = ${id(name)} AND seq = ${seq})
    WHERE name = '${name}';
  DELETE FROM uncommitted WHERE conversation = '${name}';`;

const remove = (name: string) => `
  DELETE FROM journal WHERE conversation = ${id(name)};
  DELETE FROM conversation WHERE name = '${name}';
  DELETE FROM uncommitted WHERE conversation = '${name}';`;

/** The note of the audit's end says what an attacker wants it to say. */
const cutAudit = (seq: number) => `${cut("audit", seq)}
  UPDATE document SET value = (SELECT json_object('number', seq, 'hash', json_extract(data, '$.hash'))
    FROM journal WHERE conversation = ${id("audit")} AND seq = ${seq}) WHERE key = 'audit:head';`;

/** Writes a journal anew with all its hashes, after its rows were changed. */
function rehash(name: string): void {
  let head = startHash({ conversation: name, coveredFrom: 1 });
  const rows = database
    .prepare(`SELECT * FROM journal WHERE conversation = ${id(name)} ORDER BY seq`)
    .all() as { seq: number; at: string; kind: string; data: string; conversation: number }[];
  for (const { seq, at, kind, data, conversation } of rows) {
    head = lineHash(head, { seq, at, kind, data });
    database
      .prepare("UPDATE journal SET hash = ? WHERE conversation = ? AND seq = ?")
      .run(head, conversation, seq);
  }
  database
    .prepare("UPDATE conversation SET seq = ?, head = ? WHERE name = ?")
    .run(rows.length, head, name);
}

const passOffAsOld = (name: string) => `
  UPDATE journal SET hash = NULL, data = '{"text":"invented"}' WHERE conversation = ${id(name)};
  UPDATE conversation SET covered_from = 9, head = NULL, covered_since = 4102444800000 WHERE name = '${name}';
  DELETE FROM uncommitted WHERE conversation = '${name}';`;

/** Tampering, then the conversation, the line and the reason that the verification gives. */
const CASES: readonly [string, () => void, string, number, RegExp][] = [
  [
    "the last line of a conversation that nothing was audited in",
    () => database.exec(cut("slack:three", 7)),
    ...(["slack:three", 8, /line 8 missing: record 3 of the audit/] as const),
  ],
  [
    "the last five lines of it",
    () => database.exec(cut("slack:three", 3)),
    ...(["slack:three", 4, /lines 4 to 8 missing: record 3 of the audit/] as const),
  ],
  [
    "the last lines of an audited conversation",
    () => database.exec(cut("web:one", 6)),
    ...(["web:one", 7, /lines 7 to 8 missing/] as const),
  ],
  [
    "a whole conversation",
    () => database.exec(remove("slack:three")),
    ...(["slack:three", 1, /lines 1 to 8 missing/] as const),
  ],
  [
    "a whole audited conversation",
    () => database.exec(remove("web:two")),
    ...(["web:two", 1, /lines 1 to 8 missing/] as const),
  ],
  [
    "a hash",
    () =>
      database.exec(
        `UPDATE journal SET hash = NULL WHERE conversation = ${id("slack:three")} AND seq = 5`,
      ),
    ...(["slack:three", 5, /line's hash is missing/] as const),
  ],
  [
    "all hashes, as if an older version had written the lines",
    () => database.exec(passOffAsOld("slack:three")),
    ...([
      "slack:three",
      8,
      /record 3 of the audit commits to this line, which has no hash/,
    ] as const),
  ],
  [
    "a line, which stands at the end of another conversation with new hashes in both",
    () => {
      database.exec(`UPDATE journal SET conversation = ${id("web:two")}, seq = 9
        WHERE conversation = ${id("slack:three")} AND seq = 8`);
      rehash("slack:three");
      rehash("web:two");
    },
    ...(["slack:three", 8, /line 8 missing/] as const),
  ],
  [
    "a line, whose place one of another conversation takes with new hashes",
    () => {
      database.exec(`UPDATE journal SET (at, kind, data) = (SELECT at, kind, replace(data, 'ada', 'eve')
        FROM journal WHERE conversation = ${id("web:one")} AND seq = 2)
        WHERE conversation = ${id("slack:three")} AND seq = 2`);
      rehash("slack:three");
    },
    ...(["slack:three", 8, /record 3 of the audit commits to a different line/] as const),
  ],
  [
    "the last records of the audit, with the note of its end",
    () => database.exec(cutAudit(2)),
    ...(["slack:three", 1, /no audit record commits to lines 1 to 8/] as const),
  ],
];

describe("audit verify names the conversation and the line", () => {
  it.each(CASES)("after somebody removed %s (P-X5)", async (_, tamper, conversation, seq, why) => {
    expect((await verifyStore(store)).journals.breaks).toEqual([]);
    tamper();
    expect((await verifyStore(store)).journals.breaks).toContainEqual({
      conversation,
      seq,
      why: expect.stringMatching(why),
    });
  });

  it("of lines that no record commits to yet, by the store's record", async () => {
    await store.append("web:new", 0, [
      { kind: "k", data: 1 },
      { kind: "k", data: 2 },
    ]);
    expect((await verifyStore(store)).journals.breaks).toEqual([]);
    database.exec(cut("web:new", 1).replace(/DELETE FROM uncommitted.*/, ""));
    expect((await verifyStore(store)).journals.breaks).toEqual([
      { conversation: "web:new", seq: 2, why: expect.stringMatching(/line 2 missing: the store/) },
    ]);
  });

  it("of lines added behind the committed end", async () => {
    database.exec(`INSERT INTO journal SELECT conversation, 9, at, kind, data, hash FROM journal
      WHERE conversation = ${id("web:one")} AND seq = 8`);
    rehash("web:one");
    expect((await verifyStore(store)).journals.breaks).toEqual([
      { conversation: "web:one", seq: 9, why: expect.stringMatching(/no audit record .* line 9/) },
    ]);
  });

  it("of a removed end with all commitments only by a head that was kept elsewhere", async () => {
    const { head } = await verifyStore(store);
    database.exec(`${remove("slack:three")} ${cutAudit(2)}`);
    expect(await verifyStore(store)).toMatchObject({ breaks: [], journals: { breaks: [] } });
    expect((await verifyStore(store, head.hash)).breaks).toEqual([
      { number: 2, why: expect.stringContaining(head.hash) },
    ]);
  });
});

describe("commitments to journals", () => {
  const commits = (on: Store) =>
    new JournalCommits({
      store: on,
      audit: createAudit({ store: on, redactor: createRedactor({ secrets: {} }) }),
      warn: (message) => expect.unreachable(message),
    });

  it("are made once for each end, and by one of two replicas", async () => {
    await using other = await openStore({ kind: "sqlite", file });
    const [one, two] = [commits(store), commits(other)];
    await store.append("web:new", 0, [{ kind: "k", data: 1 }]);
    await Promise.all([one.commit(), two.commit()]);
    await one.commit();
    const records = await store.read("audit");
    const ends = records.flatMap(
      ({ data }) => (data as { entry: { ends?: object[] } }).entry.ends ?? [],
    );
    expect(ends.filter((end) => "conversation" in end && end.conversation === "web:new")).toEqual([
      { conversation: "web:new", seq: 1, hash: (await store.head("web:new"))?.hash },
    ]);
    expect((await store.uncommittedEnds()).map(({ conversation }) => conversation)).toEqual([
      "audit",
    ]);
  });

  it("are no reason for an alarm while the bot writes and commits", async () => {
    await using other = await openStore({ kind: "sqlite", file });
    const [committing, verifying] = [commits(other), new AbortController()];
    const writing = (async () => {
      for (let seq = 0; !verifying.signal.aborted; seq += 1) {
        const conversations = ["web:busy", `web:new-${seq}`];
        await other.append(conversations[0] ?? "", seq, [{ kind: "k", data: seq }]);
        await other.append(conversations[1] ?? "", 0, [{ kind: "k", data: seq }]);
        await committing.commit();
      }
    })();
    for (let round = 0; round < 25; round += 1) {
      const { breaks, journals } = await verifyStore(store);
      expect([...breaks, ...journals.breaks]).toEqual([]);
    }
    verifying.abort();
    await writing;
  });

  it.each(["uncommittedEnds", "lease", "markCommitted"] as const)(
    "follow where %s was cut off, before or after it did its work",
    async (verb) => {
      await store.append("web:new", 0, [{ kind: "k", data: 1 }]);
      for (const when of ["before", "after"]) {
        const warned: string[] = [];
        let isCut = true;
        const cut = new Proxy(store, {
          get:
            (target, name: keyof Store) =>
            async (...args: never[]) => {
              const fails = name === verb && isCut;
              if (fails && when === "before") throw new Error("cut off");
              const result = await (target[name] as (...all: never[]) => Promise<unknown>)(...args);
              if (fails) throw new Error("cut off");
              return result;
            },
        });
        const audit = createAudit({ store, redactor: createRedactor({ secrets: {} }) });
        const warn = (message: string) => warned.push(message);
        const committing = new JournalCommits({ store: cut, audit, warn });
        await store.append(`web:${when}`, 0, [{ kind: "k", data: 1 }]);
        await committing.commit();
        expect(warned).toEqual([expect.stringContaining("cut off")]);
        isCut = false;
        await committing.commit();
        const left = (await store.uncommittedEnds()).map(({ conversation }) => conversation);
        expect(left).toEqual(["audit"]);
        const { breaks, journals } = await verifyStore(store);
        expect([...breaks, ...journals.breaks]).toEqual([]);
      }
    },
  );

  it("keep an end that moves on while it is committed to", async () => {
    await store.append("web:new", 0, [{ kind: "k", data: 1 }]);
    const ends = await store.uncommittedEnds();
    await store.append("web:new", 1, [{ kind: "k", data: 2 }]);
    await store.markCommitted(ends);
    expect(await store.uncommittedEnds()).toContainEqual(
      expect.objectContaining({ conversation: "web:new", seq: 2 }),
    );
  });

  it("cover the journals of an upgraded store", async () => {
    const old = join(directory, "old.sqlite");
    const before = new DatabaseSync(old);
    migrate(before, old, MIGRATIONS.slice(0, 2));
    before.exec(`PRAGMA application_id = ${0x4465636b};`);
    const line = { seq: 1, at: "2026-01-01T00:00:00.000Z", kind: "k", data: "1" };
    const hash = lineHash(startHash({ conversation: "web:old", coveredFrom: 1 }), line);
    before
      .prepare("INSERT INTO conversation (id, name, seq, head) VALUES (1, 'web:old', 1, ?)")
      .run(hash);
    before.prepare("INSERT INTO journal VALUES (1, 1, ?, 'k', '1', ?)").run(line.at, hash);
    before.close();
    await using upgraded = await openStore({ kind: "sqlite", file: old });
    expect((await verifyStore(upgraded)).journals.breaks).toEqual([]);
    await commits(upgraded).commit();
    const after = new DatabaseSync(old);
    after.exec(remove("web:old"));
    after.close();
    expect((await verifyStore(upgraded)).journals.breaks).toEqual([
      expect.objectContaining({ conversation: "web:old", seq: 1 }),
    ]);
  });
});
