import { type Audit, AuditEntry, type AuditRecord } from "../contract/audit.ts";
import type { Redactor } from "../contract/redactor.ts";
import { type Json, type Store, StoreError } from "../contract/store.ts";
import { chained, type Head } from "./chain.ts";
import { createConversationIndex } from "./conversation-index.ts";
import { HeadNote, JOURNAL, LINE_KIND, linesAfter, readHead, wholeRecord } from "./journal.ts";
import { type Separated, separate } from "./personal.ts";

export interface AuditOptions {
  readonly store: Store;
  readonly redactor: Pick<Redactor, "redactDeep">;
  readonly clock?: () => Date;
}

interface Waiting {
  readonly entry: AuditEntry;
  readonly separated: Separated;
  readonly resolve: (record: AuditRecord) => void;
  readonly reject: (error: unknown) => void;
}

/** So often another replica may be faster before we say that something is wrong. */
const MOST_TRIES = 100;
const LONGEST_TEXT = 16_384;

/** Disposing of it waits for the last note of the chain's end. */
export function createAudit({
  store,
  redactor,
  clock = () => new Date(),
}: AuditOptions): Audit & AsyncDisposable {
  const index = createConversationIndex(store);
  const note = new HeadNote(store);
  let waiting: Waiting[] = [];
  let isWriting = false;
  let head: Head | undefined;

  /** Everything that waits is written at once, and what comes meanwhile goes with the next. */
  async function writeAll(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        const records = await append(batch.map(({ separated }) => separated));
        for (const [at, { entry, resolve }] of batch.entries())
          resolve({ ...(records[at] as AuditRecord), entry });
      } catch (error) {
        head = undefined; // what was written, if anything, is read anew
        for (const { reject } of batch) reject(error);
      }
    }
    isWriting = false;
  }

  async function append(all: readonly Separated[]): Promise<AuditRecord[]> {
    const journals = await journalHeads(store, all);
    const documents = all.flatMap(({ document }) => document ?? []);
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      head ??= await readHead(store);
      const records = chainAll(head, clock().toISOString(), all, journals);
      const lines = records.map((record) => ({ kind: LINE_KIND, data: record as unknown as Json }));
      const [appended] = await Promise.all([
        store.append(JOURNAL, head.number, lines, { documents }),
        note.write(),
      ]);
      if (appended.outcome === "written") {
        head = records.at(-1) as AuditRecord;
        await note.moveTo(head);
        return records;
      }
      head = undefined; // another replica has written: build on its record
    }
    throw new StoreError(
      "The audit record could not be written because other replicas kept writing first, so nothing was done. Try again.",
    );
  }

  return {
    record(given) {
      // Names of conversations and hashes must stay as they are, or nothing could be compared with them.
      const isVerbatim = given.kind === "journals.committed";
      const entry = AuditEntry.parse(isVerbatim ? given : clipped(redactor.redactDeep(given)));
      return new Promise((resolve, reject) => {
        waiting.push({ entry, separated: separate(entry), resolve, reject });
        if (!isWriting) void writeAll();
      });
    },
    forConversation: (conversation, { limit = 20, before } = {}) =>
      index.read(conversation, limit, before),
    async tail(limit) {
      const { number } = await readHead(store);
      const records: AuditRecord[] = [];
      for await (const line of linesAfter(store, Math.max(0, number - limit)))
        records.push(await wholeRecord(store, line));
      return records.slice(-limit);
    },
    [Symbol.asyncDispose]: () => note.write(),
  };
}

type JournalHeads = ReadonlyMap<string, AuditRecord["journal"]>;

async function journalHeads(store: Store, all: readonly Separated[]): Promise<JournalHeads> {
  const conversations = new Set(all.flatMap(({ entry }) => entry.conversation || []));
  const heads = [...conversations].map(async (conversation) => {
    const head = await store.head(conversation, { mayLag: true });
    const journal = head?.hash === undefined ? undefined : { seq: head.seq, hash: head.hash };
    return [conversation, journal] as const;
  });
  return new Map(await Promise.all(heads));
}

function chainAll(
  head: Head,
  at: string,
  all: readonly Separated[],
  journals: JournalHeads,
): AuditRecord[] {
  const records: AuditRecord[] = [];
  for (const { entry, personal } of all) {
    const journal = journals.get(entry.conversation ?? "");
    records.push(chained(records.at(-1) ?? head, at, { entry, personal, journal }));
  }
  return records;
}

/** What is too long for a record is cut; the digest beside it stands for the whole. */
function clipped(value: unknown): unknown {
  if (typeof value === "string" && value.length > LONGEST_TEXT)
    return `${value.slice(0, LONGEST_TEXT)}… (${value.length - LONGEST_TEXT} more characters)`;
  if (Array.isArray(value)) return value.map(clipped);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, clipped(member)]));
}
