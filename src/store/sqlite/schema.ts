import type { DatabaseSync } from "node:sqlite";
import { StoreError } from "../../contract/store.ts";

/** "Deck": marks the file as ours in its header, beside the schema's version. */
export const APPLICATION_ID = 0x4465636b;

/**
 * How a file of version n becomes one of version n + 1; the first makes an empty one. Never change one that was
 * released: add another.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE conversation (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    seq INTEGER NOT NULL DEFAULT 0,
    fence INTEGER NOT NULL DEFAULT 0,
    holder TEXT,
    held_until INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE journal (
    conversation INTEGER NOT NULL REFERENCES conversation,
    seq INTEGER NOT NULL,
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (conversation, seq)
  ) STRICT;
  CREATE INDEX journal_kind ON journal (conversation, kind, seq);
  CREATE TABLE claim (
    name TEXT PRIMARY KEY,
    conversation INTEGER NOT NULL REFERENCES conversation
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE inbox (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    conversation TEXT NOT NULL,
    data TEXT, -- NULL once finished: then only the id is kept
    due_at INTEGER NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0,
    worker TEXT,
    held_until INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX inbox_due ON inbox (due_at, seq) WHERE data IS NOT NULL;
  CREATE TABLE document (
    key TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL,
    expires_at INTEGER
  ) STRICT;
  CREATE INDEX document_expiry ON document (expires_at) WHERE expires_at IS NOT NULL;
  `,
  // Lines are chained by hashes from here on; those that are there already are not covered.
  `
  ALTER TABLE journal ADD COLUMN hash TEXT;
  ALTER TABLE conversation ADD COLUMN head TEXT;
  ALTER TABLE conversation ADD COLUMN covered_from INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE conversation ADD COLUMN covered_since INTEGER;
  UPDATE conversation SET covered_from = seq + 1,
    covered_since = CAST(strftime('%s', 'now') AS INTEGER) * 1000 WHERE seq > 0;
  `,
  // Ends of journals that the audit does not commit to yet. By name, so that a removed conversation leaves a trace.
  `
  CREATE TABLE uncommitted (
    conversation TEXT PRIMARY KEY,
    seq INTEGER NOT NULL,
    hash TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO uncommitted SELECT name, seq, head FROM conversation WHERE head IS NOT NULL;
  `,
];

export function schemaVersion(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.user_version);
}

/** Brings a file to the newest schema in one transaction: all of it, or nothing. */
export function migrate(database: DatabaseSync, file: string, migrations = MIGRATIONS): void {
  if (schemaVersion(database) === migrations.length) return;
  database.exec("BEGIN EXCLUSIVE");
  try {
    // Read again: another process may have migrated while this one waited for the lock.
    const version = schemaVersion(database);
    refuseNewer(file, version, migrations.length);
    for (const migration of migrations.slice(version)) database.exec(migration);
    database.exec(`PRAGMA user_version = ${migrations.length}; COMMIT`);
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

export function refuseNewer(file: string, found: number, known = MIGRATIONS.length): void {
  if (found <= known) return;
  throw new StoreError(
    `The database ${file} was written by a newer Deckhand (schema ${found}, this version supports ${known}): run that version, or move the file away to start empty.`,
  );
}

const OWN = new Set(
  MIGRATIONS.flatMap((text) => [...text.matchAll(/CREATE (TABLE|INDEX) (\w+)/g)]).map(
    ([, type = "", name]) => `${type.toLowerCase()} ${name}`,
  ),
);

/** A trigger or a view in the file would change or hide rows without a word in any journal. */
export function refuseStrangers(database: DatabaseSync, file: string): void {
  const parts = database.prepare("SELECT type, name FROM sqlite_master").all();
  const stranger = parts
    .filter(({ name }) => !String(name).startsWith("sqlite_"))
    .map(({ type, name }) => `${type} ${name}`)
    .find((part) => !OWN.has(part));
  if (stranger === undefined) return;
  throw new StoreError(
    `The database ${file} has the ${stranger}, which Deckhand did not create and which could change or hide records: find out where it comes from, then remove it with DROP ${stranger.toUpperCase().split(" ")[0]}. The file was not changed.`,
  );
}
