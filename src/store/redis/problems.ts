import { StoreError } from "../../contract/store.ts";

/** What Redis or the way to it said, as what the operator must do. `place` holds no password. */
export function redisProblem(place: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const said = sayOf(error);
  return new StoreError(`${adviceFor(place, said)} (${said})`, { cause: error });
}

function sayOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A connection that is tried at several addresses fails with an error without words.
  const { code } = error as NodeJS.ErrnoException;
  return error.message || code || error.name;
}

function adviceFor(place: string, said: string): string {
  if (/^(NOAUTH|WRONGPASS|NOPERM)/.test(said)) {
    return `${place} rejected Deckhand's login: correct the user and password in REDIS_URL, or the user's permissions.`;
  }
  if (/^MISCONF/.test(said)) {
    return `${place} cannot write to its disk: free some space and check its log. Nothing was written.`;
  }
  if (/^OOM/.test(said)) {
    return `${place} is out of memory: raise its maxmemory. Nothing was written.`;
  }
  if (/^(READONLY|MASTERDOWN|NOREPLICAS)/.test(said)) {
    return `${place} is read-only: set REDIS_URL to the primary. Nothing was written.`;
  }
  if (/^OTHERSTORE/.test(said)) {
    return `${place} was emptied, replaced or upgraded while Deckhand used it: restore its data, then restart Deckhand.`;
  }
  if (/^LOADING/.test(said)) return `${place} is still loading its data: wait until it is ready.`;
  if (/^[A-Z]{2,} /.test(said)) {
    return `${place} rejected a command: Deckhand needs Redis 6 or newer with scripts allowed.`;
  }
  return `${place} cannot be reached: start it, or correct REDIS_URL. Until then it is unknown whether the last write was stored.`;
}
