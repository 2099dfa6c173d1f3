import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StoreError } from "../../../src/contract/store.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { Connection } from "../../../src/store/sqlite/connection.ts";
import { APPLICATION_ID, MIGRATIONS, migrate } from "../../../src/store/sqlite/schema.ts";
import { makeDataDirectory } from "../../support/data-directory.ts";
import { startStoreProcess } from "../../support/store-process.ts";

const isRoot = process.getuid?.() === 0;

let directory: string;
let file: string;
const open = () => openStore({ kind: "sqlite", file });

beforeEach(() => {
  directory = makeDataDirectory("store");
  file = join(directory, "data", "deckhand.sqlite");
});
afterEach(() => rmSync(directory, { recursive: true }));

/** A store with one line, closed again. */
async function madeStore(): Promise<void> {
  await using store = await open();
  await store.append("c", 0, [{ kind: "note", data: "kept" }]);
}

function madeByHand(sql: string): void {
  mkdirSync(join(directory, "data"), { recursive: true });
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

/** Opening is refused with this sentence, and the file is the same afterwards. */
async function expectRefusal(sentence: string | RegExp): Promise<void> {
  const before = readFileSync(file);
  const refusal = open();
  await expect(refusal).rejects.toThrow(sentence);
  await expect(refusal).rejects.toThrow(StoreError);
  expect(readFileSync(file).equals(before)).toBe(true);
}

describe("the database file", () => {
  it("and all that belongs to it can be read by its owner only", async () => {
    await using store = await open();
    await store.append("c", 0, [{ kind: "note", data: 1 }]);
    for (const end of ["", "-wal", "-shm"]) {
      expect(statSync(`${file}${end}`).mode & 0o777).toBe(0o600);
    }
    expect(statSync(join(directory, "data")).mode & 0o777).toBe(0o700);
  });

  it("is closed to others when it was open to them", async () => {
    await madeStore();
    chmodSync(file, 0o644);
    await using _ = await open();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("has a log of its own and waits for the disk at every write", async () => {
    const connection = await Connection.open(file);
    const pragma = (name: string) => connection.read((sql) => sql(`PRAGMA ${name}`).get()?.[name]);
    expect(await pragma("journal_mode")).toBe("wal");
    // 2 is FULL.
    expect(await pragma("synchronous")).toBe(2);
    await connection.close();
  });

  it("can be made by several processes at once", async () => {
    const stores = await Promise.all(Array.from({ length: 8 }, open));
    const appends = stores.map((store, index) =>
      store.append(`c${index}`, 0, [{ kind: "note", data: index }]),
    );
    await Promise.all(appends);
    expect(await stores[0]?.conversations()).toHaveLength(8);
    for (const store of stores) await store[Symbol.asyncDispose]();
  });

  it("is refused when another program made it", async () => {
    madeByHand("CREATE TABLE theirs (x)");
    await expectRefusal(
      /is another program's database, .* move the file away .*It was not changed/,
    );
  });

  it.each([
    ["text", Buffer.from("this is not a database, it is a letter\n".repeat(50))],
    ["nothing at all", Buffer.alloc(0)],
  ])("is refused when it holds %s", async (_, content) => {
    mkdirSync(join(directory, "data"));
    writeFileSync(file, content);
    await expectRefusal(/is not a database, .*restore Deckhand's database from a backup/);
  });

  it("is refused when a part of it was lost", async () => {
    await madeStore();
    const whole = readFileSync(file);
    writeFileSync(file, whole.subarray(0, whole.length / 2));
    await expectRefusal(/is damaged.*restore .* from a backup/);
    whole.fill(0xff, 4_096, 8_192);
    writeFileSync(file, whole);
    await expectRefusal(/is damaged.*restore .* from a backup/);
  });

  it("is refused when it is a directory", async () => {
    mkdirSync(file, { recursive: true });
    await expect(open()).rejects.toThrow(/is not a database/);
  });

  it("is not begun anew while the log of a lost one is there", async () => {
    mkdirSync(join(directory, "data"));
    writeFileSync(`${file}-wal`, "log");
    await expect(open()).rejects.toThrow(/is missing, but its log .* exists: restore the file/);
    expect(existsSync(file)).toBe(false);
  });

  it("takes no write once it was moved away, or replaced by another", async () => {
    await using store = await open();
    renameSync(file, `${file}.old`);
    const append = () => store.append("c", 0, [{ kind: "note", data: 1 }]);
    await expect(append()).rejects.toThrow(/was moved or replaced while Deckhand used it/);
    copyFileSync(`${file}.old`, file);
    await expect(append()).rejects.toThrow(/was moved or replaced/);
    renameSync(`${file}.old`, file);
    expect(await append()).toMatchObject({ outcome: "written" });
  });

  it("is refused with a sentence where it cannot be written", async () => {
    writeFileSync(join(directory, "data"), "in the way");
    await expect(open()).rejects.toThrow(
      /cannot use the database .*: .* restart Deckhand. \(EEXIST/,
    );
  });

  it("that stays locked is refused after a while, and works again afterwards", async () => {
    await using store = await open();
    const intruder = new DatabaseSync(file);
    intruder.exec("BEGIN IMMEDIATE");
    const append = () => store.append("c", 0, [{ kind: "note", data: 1 }], { claims: ["x"] });
    const refusal = append();
    // Others are not kept waiting meanwhile.
    expect(await store.read("c")).toEqual([]);
    await expect(refusal).rejects.toThrow(/Another process has locked the database/);
    intruder.exec("ROLLBACK");
    intruder.close();
    expect(await append()).toMatchObject({ outcome: "written" });
  });
});

describe("the schema", () => {
  it("of an empty file of ours is made when it is opened", async () => {
    madeByHand(`PRAGMA application_id = ${APPLICATION_ID}`);
    await madeStore();
    const database = new DatabaseSync(file);
    expect(database.prepare("PRAGMA user_version").get()).toEqual({
      user_version: MIGRATIONS.length,
    });
    database.close();
  });

  it.each([
    ["trigger t", "CREATE TRIGGER t AFTER INSERT ON journal BEGIN DELETE FROM journal; END"],
    ["trigger u", "CREATE TRIGGER u AFTER INSERT ON claim BEGIN DELETE FROM claim; END"],
    ["trigger v", "CREATE TRIGGER v AFTER UPDATE ON document BEGIN DELETE FROM document; END"],
    ["trigger w", "CREATE TRIGGER w AFTER DELETE ON inbox BEGIN DELETE FROM inbox; END"],
    ["view hidden", "CREATE VIEW hidden AS SELECT * FROM journal"],
    ["table more", "CREATE TABLE more (x)"],
    [
      "view journal",
      "ALTER TABLE journal RENAME TO kept; CREATE VIEW journal AS SELECT * FROM kept",
    ],
  ])("with a %s that is not ours is refused", async (part, statements) => {
    await madeStore();
    const database = new DatabaseSync(file);
    database.exec(statements);
    database.close();
    const found = part === "view journal" ? "(?:table kept|view journal)" : part;
    await expectRefusal(new RegExp(`has the ${found}, which Deckhand did not create`));
  });

  it("of a newer Deckhand is refused with a sentence", async () => {
    madeByHand(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 99`);
    await expectRefusal(/was written by a newer Deckhand \(schema 99, this version supports 3\)/);
  });

  it("takes no more writes from an old Deckhand once a newer one has upgraded it", async () => {
    await using store = await open();
    madeByHand("PRAGMA user_version = 99");
    await expect(store.append("c", 0, [])).rejects.toThrow(/upgraded by another version/);
  });

  it("is brought up to date from version 1 on, and what was kept stays", async () => {
    await madeStore();
    const database = new DatabaseSync(file);
    const more = [
      "ALTER TABLE journal ADD COLUMN extra TEXT DEFAULT 'new'",
      "CREATE TABLE more (x)",
    ];
    migrate(database, file, [...MIGRATIONS, ...more]);
    expect(database.prepare("PRAGMA user_version").get()).toEqual({
      user_version: MIGRATIONS.length + 2,
    });
    expect(database.prepare("SELECT data, extra FROM journal").all()).toEqual([
      { data: '"kept"', extra: "new" },
    ]);
    database.close();
  });

  it("stays as it was when a step of the way fails", async () => {
    await madeStore();
    const database = new DatabaseSync(file);
    const more = ["CREATE TABLE more (x)", "INSERT INTO nowhere VALUES (1)"];
    expect(() => migrate(database, file, [...MIGRATIONS, ...more])).toThrow("no such table");
    expect(database.prepare("PRAGMA user_version").get()).toEqual({
      user_version: MIGRATIONS.length,
    });
    expect(database.prepare("SELECT * FROM sqlite_schema WHERE name = 'more'").all()).toEqual([]);
    database.close();
    await using store = await open();
    expect(await store.read("c")).toHaveLength(1);
  });
});

describe("P-D8 a full disk", () => {
  const shell = (command: string) => ["sh", "-c", `${command} && exec "$@"`, "sh"];

  it.runIf(isRoot)(
    "is said, loses nothing and allows nothing, and work goes on when there is space",
    async () => {
      const mount = `mount -t tmpfs -o size=4m none ${directory}`;
      await expectRefusalWhenFull(
        ["unshare", "--mount", ...shell(mount)],
        /is full: free some space/,
      );
    },
  );

  it("is said as well where it is the user's quota", async () => {
    // 512-byte blocks, for each file.
    await expectRefusalWhenFull(shell("ulimit -f 2048"), /check its space, quota/);
  });

  /** See "fill" in store-program.ts. */
  async function expectRefusalWhenFull(through: string[], sentence: RegExp): Promise<void> {
    const program = startStoreProcess({ kind: "sqlite", file }, "fill", "c", through);
    const facts = [];
    for await (const fact of program.facts) facts.push(fact);
    expect(await program.ended).toEqual([0, null]);
    const [full, after] = facts;
    expect(full).toMatchObject({ name: "StoreError" });
    expect(full?.message).toMatch(sentence);
    expect(full?.acknowledged).toBeGreaterThan(3);
    expect(full?.claimed).toBe("StoreError");
    expect(after).toEqual({ lines: full?.acknowledged, integrity: "ok", claim: "written" });
  }
});
