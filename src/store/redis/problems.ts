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
    return `${place} does not let Deckhand in: correct the user and password in REDIS_URL, or the user's rights.`;
  }
  if (/^MISCONF/.test(said)) {
    return `${place} cannot write to its disk: free some space there and see its log. Nothing was written.`;
  }
  if (/^OOM/.test(said)) {
    return `${place} has no memory left: raise its maxmemory. Nothing was written.`;
  }
  if (/^(READONLY|MASTERDOWN|NOREPLICAS)/.test(said)) {
    return `${place} does not take writes: set REDIS_URL to the primary. Nothing was written.`;
  }
  if (/^OTHERSTORE/.test(said)) {
    return `${place} was emptied, replaced or upgraded while Deckhand used it: bring its data back, then restart Deckhand.`;
  }
  if (/^LOADING/.test(said)) return `${place} is still reading its file: wait until it is ready.`;
  if (/^[A-Z]{2,} /.test(said)) {
    return `${place} refused what Deckhand asked: it needs Redis 6 or newer with scripts allowed.`;
  }
  return `${place} cannot be reached: start it, or correct REDIS_URL. Whether the last write was kept is not known until then.`;
}
