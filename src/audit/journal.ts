import { AuditRecord } from "../contract/audit.ts";
import type { JournalLine, Json, Store } from "../contract/store.ts";
import { BEGINNING, type Head } from "./chain.ts";

/** The audit is one journal for the whole bot: every replica writes to the end of the same chain. */
export const JOURNAL = "audit";
/** All lines are of one kind, so that the store can give the last one at once. */
export const LINE_KIND = "audit";
const PAGE = 500;

/** Lines of the audit's journal, as they stand there. */
export async function* linesAfter(store: Store, after: number): AsyncGenerator<JournalLine> {
  let last = after;
  while (true) {
    const lines = await store.read(JOURNAL, { after: last, limit: PAGE });
    yield* lines;
    const end = lines.at(-1);
    if (!end || lines.length < PAGE) return;
    last = end.seq;
  }
}

export async function readHead(store: Store): Promise<Head> {
  const line = await store.last(JOURNAL, LINE_KIND);
  return line ? asRecord(line) : BEGINNING;
}

/** A record that cannot be read means that somebody has meddled: nothing is built upon it. */
export function asRecord(line: JournalLine): AuditRecord {
  const parsed = AuditRecord.safeParse(line.data);
  if (parsed.success) return parsed.data;
  throw new Error(
    `Record ${line.seq} of the audit cannot be read, so nothing more is recorded and nothing is done. Run "npm run audit -- verify" and restore the store from a backup.`,
    { cause: parsed.error },
  );
}

const HEAD = "head";

/**
 * The end of the chain is also kept beside it: whoever cuts records off the end has to change this, too. It is
 * written after its record, so it may lag behind but never be ahead.
 */
export async function noteHead(store: Store, head: Head): Promise<void> {
  const noted = await notedHead(store);
  if (noted && noted.number >= head.number) return;
  await store.documents(JOURNAL).set(HEAD, { number: head.number, hash: head.hash });
}

export async function notedHead(store: Store): Promise<Head | undefined> {
  const noted = await store.documents(JOURNAL).get(HEAD);
  return noted === undefined ? undefined : parsedHead(noted);
}

function parsedHead(noted: Json): Head {
  const parsed = AuditRecord.pick({ number: true, hash: true }).safeParse(noted);
  if (parsed.success) return parsed.data;
  throw new Error(
    `The note of the audit's end cannot be read: somebody has changed it. Run "npm run audit -- verify".`,
    { cause: parsed.error },
  );
}
