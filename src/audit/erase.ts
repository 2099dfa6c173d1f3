import type { Audit, AuditRecord, PersonalFields } from "../contract/audit.ts";
import type { Store } from "../contract/store.ts";
import { asRecord, linesAfter } from "./journal.ts";
import { keepPersonalFields, personalFields } from "./personal.ts";

/** So many records are named in one record of their erasure. */
const RECORDS_AT_ONCE = 500;

/** Paths of what the person who did it wrote. */
const WORDS = ["request", "reason", "from", "to"];

interface Erasure {
  readonly record: AuditRecord;
  readonly paths: readonly string[];
  readonly left: PersonalFields;
}

/**
 * Erases a person from the audit: their key wherever it stands, and what they wrote. The chain stays as it is and commits
 * to what was there; the erasure itself is on record before it is done. Answers the number of records.
 */
export async function erasePerson(
  store: Store,
  audit: Pick<Audit, "record">,
  person: string,
): Promise<number> {
  let erased = 0;
  let waiting: Erasure[] = [];
  const eraseAll = async () => {
    if (waiting.length === 0) return;
    const fields = waiting.map(({ record, paths }) => ({
      record: record.number,
      fields: [...paths],
    }));
    await audit.record({ kind: "personal.erased", actor: "operator", erased: fields });
    for (const { record, left } of waiting)
      if (record.personal) await keepPersonalFields(store, record.personal, left);
    erased += waiting.length;
    waiting = [];
  };
  for await (const line of linesAfter(store, 0)) {
    const record = asRecord(line);
    const erasure = erasureOf(record, await personalFields(store, record), person);
    if (erasure) waiting.push(erasure);
    if (waiting.length >= RECORDS_AT_ONCE) await eraseAll();
  }
  await eraseAll();
  return erased;
}

function erasureOf(
  record: AuditRecord,
  fields: PersonalFields,
  person: string,
): Erasure | undefined {
  const isOfPerson = (text: string) => text.split(", ").includes(person);
  const isTheirDeed = isOfPerson(fields.actor?.value ?? "");
  const [gone, left] = Object.entries(fields).reduce<[string[], Record<string, Field>]>(
    ([paths, others], [path, field]) => {
      const isTheirText = isTheirDeed && WORDS.includes(path);
      if (isTheirText || isOfPerson(field.value)) return [[...paths, path], others];
      return [paths, { ...others, [path]: field }];
    },
    [[], {}],
  );
  return gone.length === 0 ? undefined : { record, paths: gone, left };
}

type Field = PersonalFields[string];
