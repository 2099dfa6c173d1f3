import { AuditRecord } from "../contract/audit.ts";
import type { JournalLine, Json, Store } from "../contract/store.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { BEGINNING, type Head } from "./chain.ts";
import { personalFields, withPersonal } from "./personal.ts";

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
  throw new OperatorError(
    `Audit record ${line.seq} cannot be read, so Deckhand records and runs nothing more. Run "npm run audit -- verify" and restore the store from a backup.`,
    { cause: parsed.error },
  );
}

/** The same with what is kept beside it. */
export async function wholeRecord(store: Store, line: JournalLine): Promise<AuditRecord> {
  const record = asRecord(line);
  return withPersonal(record, await personalFields(store, record));
}

const HEAD = "head";
/** How long the last record may stand without a note, where no other follows. */
const LAG_MS = 100;

/**
 * The end of the chain is also kept beside it: whoever cuts records off the end has to change this, too. It is
 * written after its record, so it may lag behind but never be ahead. The first is waited for; every other goes along
 * with the record after it, where it costs no write of its own, or alone when none comes.
 */
export class HeadNote {
  readonly #store: Store;
  #isThere = false;
  #due: Head | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing = Promise.resolve();

  constructor(store: Store) {
    this.#store = store;
  }

  /** The chain ends here now. */
  async moveTo(head: Head): Promise<void> {
    this.#due = head;
    if (!this.#isThere) return this.write();
    // The next record tells what is wrong, should this fail.
    this.#timer ??= setTimeout(() => void this.write().catch(() => undefined), LAG_MS).unref();
  }

  /** To be called in the instant in which the next record is written: then the store writes both at once. */
  write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#due) this.#writing = this.#note(this.#due);
    this.#due = undefined;
    return this.#writing;
  }

  async #note(head: Head): Promise<void> {
    try {
      const { number, hash } = head;
      const noted = await notedHead(this.#store);
      if (!noted || noted.number < number) {
        await this.#store.documents(JOURNAL).set(HEAD, { number, hash });
      }
      this.#isThere = true;
    } catch (error) {
      this.#due ??= head;
      throw error;
    }
  }
}

export async function notedHead(store: Store): Promise<Head | undefined> {
  const noted = await store.documents(JOURNAL).get(HEAD);
  return noted === undefined ? undefined : parsedHead(noted);
}

function parsedHead(noted: Json): Head {
  const parsed = AuditRecord.pick({ number: true, hash: true }).safeParse(noted);
  if (parsed.success) return parsed.data;
  throw new OperatorError(
    `The stored end of the audit was changed by another program. Run "npm run audit -- verify".`,
    { cause: parsed.error },
  );
}
