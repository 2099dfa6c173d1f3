import { createHash, randomBytes, randomUUID } from "node:crypto";
import { z } from "zod";
import { type AuditEntry, type AuditRecord, PersonalFields } from "../contract/audit.ts";
import type { NewDocument, Store } from "../contract/store.ts";
import { OperatorError } from "../lib/operator-error.ts";

/** Stands in the chain for what is kept beside it, and is all that is left of what was erased. */
const ERASED = "(erased)";

const NAMESPACE = "audit-personal";
const SALT_BYTES = 16;

type Personal = NonNullable<AuditRecord["personal"]>;

/** An entry as it goes into the chain, with what is kept beside it. */
export interface Separated {
  readonly entry: AuditEntry;
  /** Absent where nothing in it is personal. */
  readonly personal?: Personal;
  readonly document?: NewDocument;
}

/**
 * Takes out who the people of an entry are and what they wrote. The chain keeps a digest of each, with a salt that is erased
 * with it: without the salt nobody can find out whose key it was by trying all.
 */
export function separate(entry: AuditEntry): Separated {
  const fields: Record<string, z.infer<typeof PersonalFields>[string]> = {};
  const digests: Record<string, string> = {};
  const rest = mapPersonal(entry, (path, value) => {
    const field = { salt: randomBytes(SALT_BYTES).toString("hex"), value };
    fields[path] = field;
    digests[path] = digestOf(path, field);
    return ERASED;
  });
  if (Object.keys(fields).length === 0) return { entry };
  const id = randomUUID();
  return {
    entry: rest,
    personal: { id, digests },
    document: { namespace: NAMESPACE, key: id, value: fields },
  };
}

/** The record with its personal fields, as far as they were not erased. */
export function withPersonal(record: AuditRecord, fields: PersonalFields): AuditRecord {
  if (!record.personal) return record;
  const { digests } = record.personal;
  const entry = mapPersonal(record.entry, (path, value) => {
    return digests[path] === undefined ? value : (fields[path]?.value ?? value);
  });
  return { ...record, entry };
}

export async function personalFields(
  store: Pick<Store, "documents">,
  { number, personal }: AuditRecord,
): Promise<PersonalFields> {
  if (!personal) return {};
  const kept = await store.documents(NAMESPACE).get(personal.id);
  const fields = PersonalFields.safeParse(kept ?? {});
  if (fields.success) return fields.data;
  throw new OperatorError(
    `The personal fields of record ${number} of the audit cannot be read: they were changed from outside. Run "npm run audit -- verify".`,
    { cause: fields.error },
  );
}

export async function keepPersonalFields(
  store: Pick<Store, "documents">,
  { id }: Personal,
  fields: PersonalFields,
): Promise<void> {
  const documents = store.documents(NAMESPACE);
  if (Object.keys(fields).length === 0) await documents.delete(id);
  else await documents.set(id, fields);
}

/** Why these cannot be the fields that a record commits to, and the paths of those that are gone. */
export function checkPersonal({ digests }: Personal, fields: PersonalFields) {
  const changed = Object.entries(fields)
    .filter(([path, field]) => digests[path] !== digestOf(path, field))
    .map(([path]) => path);
  const gone = Object.keys(digests).filter((path) => fields[path] === undefined);
  return { changed, gone };
}

function digestOf(path: string, { salt, value }: { salt: string; value: string }): string {
  return createHash("sha256")
    .update(JSON.stringify([salt, path, value]))
    .digest("hex");
}

type Change = (path: string, value: string) => string;

/** Every personal field of an entry, by its path. */
function mapPersonal(entry: AuditEntry, change: Change): AuditEntry {
  const keys = (path: string, all: readonly string[]) =>
    all.map((value, index) => (isPerson(value) ? change(`${path}/${index}`, value) : value));
  const { details } = entry;
  const contributors = z.array(z.string()).safeParse(details?.contributors).data;
  const common = {
    ...entry,
    ...(isPerson(entry.actor) ? { actor: change("actor", entry.actor) } : {}),
    ...(contributors
      ? { details: { ...details, contributors: keys("details/contributors", contributors) } }
      : {}),
  };
  if (common.kind !== "call" || !common.approvers) return mapWords(common, change);
  return mapWords({ ...common, approvers: keys("approvers", common.approvers) }, change);
}

/** What people wrote: requests, reasons and topics. */
function mapWords(entry: AuditEntry, change: Change): AuditEntry {
  switch (entry.kind) {
    case "call": {
      const { request } = entry;
      return request === undefined ? entry : { ...entry, request: change("request", request) };
    }
    case "approval.decided":
    case "workspace.reset": {
      const { reason } = entry;
      return reason === undefined ? entry : { ...entry, reason: change("reason", reason) };
    }
    case "setting.changed": {
      const { setting, from, to } = entry;
      if (setting !== "topic") return entry;
      return {
        ...entry,
        ...(typeof from === "string" ? { from: change("from", from) } : {}),
        ...(typeof to === "string" ? { to: change("to", to) } : {}),
      };
    }
    default:
      return entry;
  }
}

/** People's keys have a colon; the parts of the bot that act by themselves have names without. */
function isPerson(actor: string): boolean {
  return actor.includes(":") || actor === ERASED;
}
