import { StoreError } from "../../contract/store.ts";

// Primary result codes of SQLite (sqlite.org/rescode.html).
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;
const IOERR_FSYNC = 1034;

function resultCode(error: unknown): number {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === "number" ? code : 0;
}

const primary = (error: unknown) => resultCode(error) & 0xff;

export function isBusy(error: unknown): boolean {
  return [BUSY, LOCKED].includes(primary(error));
}

/** After these nobody knows what the file holds, so nothing may be read or written until somebody has looked. */
export function isFatal(error: unknown): boolean {
  return [CORRUPT, NOTADB].includes(primary(error)) || resultCode(error) === IOERR_FSYNC;
}

/** What SQLite or the file system said, as what the operator must do. */
export function sqliteProblem(file: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const said = error instanceof Error ? error.message : String(error);
  return new StoreError(`${adviceFor(file, error)} (${said})`, { cause: error });
}

function adviceFor(file: string, error: unknown): string {
  switch (primary(error)) {
    case BUSY:
    case LOCKED:
      return `Another process has locked the database ${file}: stop that process, then try again. Nothing was written.`;
    case FULL:
      return `The disk with the database ${file} is full: free some space. Nothing was written.`;
    case READONLY:
    case CANTOPEN:
      return `The database ${file} cannot be opened for writing: give Deckhand's user write access to the file and its directory.`;
    case IOERR:
      return `The disk with the database ${file} reported an error: check its space, quota and health, then restart Deckhand.`;
    case CORRUPT:
    case NOTADB:
      return `The database ${file} is damaged: stop Deckhand and restore the file from a backup, or move it away to start empty.`;
    default:
      return `SQLite cannot use the database ${file}: fix the cause and restart Deckhand.`;
  }
}
