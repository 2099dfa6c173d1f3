import { isDeepStrictEqual } from "node:util";
import { AuditRecord, type PersonalFields } from "../contract/audit.ts";
import { type JournalLine, type Store, StoreError, UnreadableError } from "../contract/store.ts";
import { BEGINNING, type Head, hashOf } from "./chain.ts";
import { JOURNAL, LINE_KIND, linesAfter, notedHead } from "./journal.ts";
import { checkPersonal, personalFields } from "./personal.ts";
import { type Commitment, type VerifiedJournals, verifyJournals } from "./verify-journals.ts";

/** Where a chain is broken, and why it must be. */
export interface Break {
  /** The number the record has or should have. */
  readonly number: number;
  readonly why: string;
}

export interface Verified {
  /** How many records were looked at. */
  readonly records: number;
  readonly head: Head;
  readonly breaks: readonly Break[];
}

export interface VerifiedStore extends Verified {
  readonly journals: VerifiedJournals;
}

/**
 * Reads the whole chain in the store, and the journals of all conversations. It finds every record that was changed, removed, added or moved, and
 * records cut off the end as far as the note of the end still tells. It cannot find out that somebody wrote
 * the whole chain and the note anew: for that, compare the head with one that was kept elsewhere.
 */
export async function verifyStore(store: Store, expected?: string): Promise<VerifiedStore> {
  const check = createCheck(BEGINNING);
  let last = 0;
  const readOn = async () => {
    for await (const line of readableLines(store, last)) {
      if (line instanceof Error) check.unreadable(line.message);
      else {
        const record = check.line(line);
        check.personal(record && (await readableFields(store, record)));
      }
      last = line instanceof Error ? last + 1 : line.seq;
    }
    return check.commitments();
  };
  const noted = await notedHead(store).catch(meddledWith); // before the last records, which the bot may still write
  const journals = await verifyJournals(store, readOn);
  const { records, head, breaks } = check.result();
  return {
    records,
    head,
    breaks: [
      ...breaks,
      ...check.unexplained(),
      ...endBreaks(check, noted),
      ...check.missing(expected),
    ],
    journals,
  };
}

/** Undefined where they are there and cannot be read. */
async function readableFields(store: Store, record: AuditRecord) {
  try {
    return await personalFields(store, record);
  } catch (error) {
    if (error instanceof StoreError && !(error instanceof UnreadableError)) throw error;
    return undefined;
  }
}

/** Every line, and an error for one that the store cannot give though it gives the next. */
async function* readableLines(store: Store, after: number): AsyncGenerator<JournalLine | Error> {
  let last = after;
  while (true) {
    try {
      for await (const line of linesAfter(store, last)) {
        yield line;
        last = line.seq;
      }
      return;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const lines = await oneByOne(store, last);
      yield* lines;
      last += lines.length;
    }
  }
}

/** From `after` on until a line that cannot be read, with the error in its place. */
async function oneByOne(store: Store, after: number): Promise<(JournalLine | Error)[]> {
  const lines: (JournalLine | Error)[] = [];
  while (true) {
    const number = after + lines.length;
    const read = store.read(JOURNAL, { after: number, limit: 1 });
    const line = await read.then(
      ([first]) => first,
      (error: Error) => error,
    );
    if (line instanceof Error) await store.read(JOURNAL, { after: number + 1, limit: 1 }); // throws when the store is gone
    if (line) lines.push(line);
    if (!line || line instanceof Error) return lines;
  }
}

/** A note that cannot be read is a break; a store that cannot be read is not. */
function meddledWith(error: Error): Error {
  if (error instanceof StoreError) throw error;
  return error;
}

function endBreaks(check: Check, noted: Head | Error | undefined): Break[] {
  const { head } = check.result();
  if (noted instanceof Error) return [{ number: head.number, why: noted.message }];
  if (!noted)
    return head.number === 0
      ? []
      : [{ number: head.number, why: "the stored end of the chain is missing" }];
  if (noted.number > head.number)
    return [
      {
        number: head.number + 1,
        why: `${noted.number} records were written, but the chain ends at ${head.number}`,
      },
    ];
  if (check.hashAt(noted.number) !== noted.hash)
    return [
      {
        number: noted.number,
        why: "the record differs from the stored end of the chain",
      },
    ];
  return [];
}

export interface Check {
  /** Gives the record, where it can be read. */
  line(line: JournalLine): AuditRecord | undefined;
  /** A record is there that cannot be read. */
  unreadable(why: string): void;
  /** A record of a file, and where the chain may have a gap because the others were not exported. */
  record(data: unknown, gapsAllowed: boolean): AuditRecord | undefined;
  /** What is kept beside the last record; undefined where it cannot be read. */
  personal(fields: PersonalFields | undefined): void;
  /** Breaks for personal fields that are gone although no erasure of them is on record. */
  unexplained(): Break[];
  hashAt(number: number): string | undefined;
  /** The lines of journals that sound records commit to. */
  commitments(): readonly Commitment[];
  /** A break when no record has this hash. */
  missing(hash: string | undefined): Break[];
  result(): Verified;
}

/** Looks at one record after the other, from `start` on. */
export function createCheck(start: Head): Check {
  const hashes = new Map<number, string>();
  const commitments: Commitment[] = [];
  const breaks: Break[] = [];
  /** By record and path. */
  const gone = new Map<string, number>();
  const erased = new Set<string>();
  let head = start;
  let records = 0;
  let last: AuditRecord | undefined;

  function broken(number: number, why: string): void {
    breaks.push({ number, why });
  }

  function unreadable(why: string): void {
    records += 1;
    broken(head.number + 1, why);
    head = { number: head.number + 1, hash: "" };
  }

  function record(data: unknown, gapsAllowed: boolean): AuditRecord | undefined {
    last = undefined;
    const parsed = AuditRecord.safeParse(data);
    if (!parsed.success || !isDeepStrictEqual(parsed.data, data)) {
      unreadable("the record cannot be parsed");
      return undefined;
    }
    const { number, hash } = parsed.data;
    const place = gapsAllowed ? Math.max(number, head.number + 1) : head.number + 1;
    if (hashOf(parsed.data) !== hash) {
      broken(place, "the record was changed: its hash does not match its content");
      head = { number: place, hash: "" };
    } else {
      const why = reasonAgainst(parsed.data, head, gapsAllowed);
      if (why) broken(place, why);
      head = { number, hash };
      const { entry, journal } = parsed.data;
      if (journal && entry.conversation !== undefined)
        commitments.push({ conversation: entry.conversation, record: number, ...journal });
      if (entry.kind === "journals.committed")
        commitments.push(...entry.ends.map((end) => ({ ...end, record: number })));
      if (entry.kind === "personal.erased")
        for (const one of entry.erased)
          for (const path of one.fields) erased.add(JSON.stringify([one.record, path]));
      last = parsed.data;
    }
    records += 1;
    hashes.set(number, hash);
    return last;
  }

  function personal(fields: PersonalFields | undefined): void {
    if (!last?.personal) return;
    const { number } = last;
    const found = fields && checkPersonal(last.personal, fields);
    if (!found || found.changed.length > 0)
      broken(number, "the personal fields of the record were changed");
    for (const path of found?.gone ?? []) gone.set(JSON.stringify([number, path]), number);
  }

  return {
    record,
    personal,
    unexplained: () => {
      const numbers = [...gone].flatMap(([key, number]) => (erased.has(key) ? [] : [number]));
      const why = "personal fields of the record are missing, and no erasure was recorded";
      return [...new Set(numbers)].map((number) => ({ number, why }));
    },
    unreadable,
    line({ seq, kind, data }) {
      const number = head.number + 1;
      if (seq !== number) broken(number, `found line ${seq} where line ${number} should be`);
      if (kind !== LINE_KIND) broken(seq, `a line of the kind "${kind}"`);
      return record(data, false);
    },
    hashAt: (number) => hashes.get(number),
    commitments: () => commitments,
    missing: (hash) =>
      hash === undefined || [...hashes.values()].includes(hash)
        ? []
        : [{ number: head.number, why: `no record has the hash ${hash}` }],
    result: () => ({ records, head, breaks }),
  };
}

/** Why a record that is sound in itself cannot stand after `head`. Where that one is damaged, nobody can tell. */
function reasonAgainst(record: AuditRecord, head: Head, gapsAllowed: boolean): string | undefined {
  const { number, previous } = record;
  if (gapsAllowed && number > head.number + 1) return undefined;
  if (number !== head.number + 1) return `record ${number} comes after record ${head.number}`;
  return previous === head.hash || head.hash === ""
    ? undefined
    : "it does not continue the previous record, which was changed or replaced";
}
