import { randomUUID } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../../contract/store.ts";
import { APPLICATION_ID, migrate, refuseNewer, refuseStrangers, schemaVersion } from "./schema.ts";

const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\0";
const APPLICATION_ID_OFFSET = 68;

/** How long SQLite itself waits for a lock, which stops the whole process. We wait longer, without that. */
const BUSY_TIMEOUT_MS = 50;
const WAL_KEPT_BYTES = 64 * 1024 * 1024;

/** Opens the file for reading and writing; makes it when there is none. What is not ours is refused, untouched. */
export function openFile(file: string): DatabaseSync {
  if (!existsSync(file)) createFile(file);
  refuseForeign(file);
  refuseDamaged(file);
  chmodSync(file, 0o600);
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    configure(database, file);
    migrate(database, file);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * The file gets its name when it is complete, and never in place of another. So whatever bears the name and is not a
 * database of ours is damage or a mistake, never one that was just about to be made.
 */
function createFile(file: string): void {
  if (existsSync(`${file}-wal`)) {
    throw new StoreError(
      `The database ${file} is missing, but its log ${file}-wal exists: restore the file, or move the log away to start empty.`,
    );
  }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}.new`;
  try {
    closeSync(openSync(draft, "wx", 0o600));
    const database = new DatabaseSync(draft);
    database.exec(`PRAGMA synchronous = FULL; PRAGMA application_id = ${APPLICATION_ID}`);
    migrate(database, file);
    database.close();
    linkUnlessThere(draft, file);
    syncDirectory(dirname(file));
  } finally {
    rmSync(draft, { force: true });
  }
}

function linkUnlessThere(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    // Another process was faster: its file is as good as this one.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** Looks at the header itself: SQLite would take an empty file for an empty database. */
function refuseForeign(file: string): void {
  const header = Buffer.alloc(HEADER_BYTES);
  if (statSync(file).isFile()) {
    const descriptor = openSync(file, "r");
    readSync(descriptor, header, 0, HEADER_BYTES, 0);
    closeSync(descriptor);
  }
  const isSqlite = header.toString("latin1", 0, MAGIC.length) === MAGIC;
  if (isSqlite && header.readUInt32BE(APPLICATION_ID_OFFSET) === APPLICATION_ID) return;
  const found = isSqlite ? "another program's database" : "not a database";
  throw new StoreError(
    `${file} is ${found}, or it is damaged: restore Deckhand's database from a backup, or move the file away to start empty. It was not changed.`,
  );
}

/** Only reads: closing a connection that may write would already change a file whose log is not merged yet. */
function refuseDamaged(file: string): void {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  try {
    refuseNewer(file, schemaVersion(database));
    const found = String(database.prepare("PRAGMA quick_check(1)").get()?.quick_check);
    if (found === "ok") {
      refuseStrangers(database, file);
      return;
    }
    throw new StoreError(
      `The database ${file} is damaged (${found.replaceAll("\n", " ")}): restore it from a backup, or move it away to start empty. It was not changed.`,
    );
  } finally {
    database.close();
  }
}

function configure(database: DatabaseSync, file: string): void {
  const mode = database.prepare("PRAGMA journal_mode = WAL").get()?.journal_mode;
  if (mode !== "wal") {
    throw new StoreError(
      `The database ${file} is on a file system without shared memory, which SQLite needs: set DECKHAND_DATA_DIR to a local disk.`,
    );
  }
  database.exec(
    `PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA journal_size_limit = ${WAL_KEPT_BYTES}`,
  );
}
