import type { AuditRecord } from "../contract/audit.ts";
import type { Store } from "../contract/store.ts";
import { asRecord, JOURNAL, linesAfter, wholeRecord } from "./journal.ts";

export interface ConversationIndex {
  read(conversation: string, limit: number, before: number | undefined): Promise<AuditRecord[]>;
}

/** Remembers which records belong to which conversation, so that each record is read through only once. */
export function createConversationIndex(store: Store): ConversationIndex {
  const numbers = new Map<string, number[]>();
  let seen = 0;
  let catchingUp: Promise<void> = Promise.resolve();

  async function catchUp(): Promise<void> {
    for await (const line of linesAfter(store, seen)) {
      const { conversation } = asRecord(line).entry;
      seen = line.seq;
      if (conversation === undefined) continue;
      const known = numbers.get(conversation);
      if (known) known.push(line.seq);
      else numbers.set(conversation, [line.seq]);
    }
  }

  async function recordAt(number: number): Promise<AuditRecord[]> {
    const lines = await store.read(JOURNAL, { after: number - 1, limit: 1 });
    return Promise.all(lines.map((line) => wholeRecord(store, line)));
  }

  return {
    async read(conversation, limit, before = Number.POSITIVE_INFINITY) {
      catchingUp = catchingUp.catch(() => {}).then(catchUp); // one after another; a failure is told to its own caller
      await catchingUp;
      const own = (numbers.get(conversation) ?? []).filter((number) => number < before);
      const records = await Promise.all(own.slice(-limit).map(recordAt));
      return records.flat();
    },
  };
}
