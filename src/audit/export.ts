import { createHash, type Hash } from "node:crypto";
import { z } from "zod";
import { AuditRecord, PersonalFields } from "../contract/audit.ts";
import type { Store } from "../contract/store.ts";
import { canonicalJson } from "../lib/canonical-json.ts";
import { BEGINNING } from "./chain.ts";
import { asRecord, linesAfter } from "./journal.ts";
import { personalFields, withPersonal } from "./personal.ts";
import { type Break, createCheck, type Verified } from "./verify.ts";

/** Which records are wanted. */
export interface Selection {
  readonly conversation?: string | undefined;
  /** ISO 8601. */
  readonly since?: string | undefined;
}

/** The last line of an export, by which it is known to be whole. */
const Closing = z.strictObject({
  end: z.strictObject({
    records: z.int().min(0),
    /** SHA-256 of all lines before, line feeds included. */
    sha256: z.string(),
    conversation: z.string().optional(),
    since: z.string().optional(),
  }),
});

/** As people read them. */
export async function* selected(store: Store, selection: Selection): AsyncGenerator<AuditRecord> {
  for await (const record of chosen(store, selection))
    yield withPersonal(record, await personalFields(store, record));
}

/** As they stand in the chain. */
async function* chosen(store: Store, selection: Selection): AsyncGenerator<AuditRecord> {
  for await (const line of linesAfter(store, 0)) {
    const record = asRecord(line);
    if (isWanted(record, selection)) yield record;
  }
}

function isWanted({ at, entry }: AuditRecord, { conversation, since }: Selection): boolean {
  if (since !== undefined && Date.parse(at) < Date.parse(since)) return false;
  return conversation === undefined || entry.conversation === conversation;
}

/**
 * Lines of canonical JSON, each with its line feed: the records with their hashes and what is kept beside them, and one that
 * closes the file.
 */
export async function* exported(store: Store, selection: Selection): AsyncGenerator<string> {
  const hash = createHash("sha256");
  let records = 0;
  for await (const record of chosen(store, selection)) {
    const fields = record.personal && (await personalFields(store, record));
    const line = `${canonicalJson({ ...record, ...(fields && { fields }) })}\n`;
    hash.update(line);
    records += 1;
    yield line;
  }
  yield `${canonicalJson({ end: { records, sha256: hash.digest("hex"), ...selection } })}\n`;
}

/**
 * Checks an export without the store. Every changed byte, and every line that was dropped, added or moved, is
 * found; whoever can compute hashes can make a whole new file, so compare the head with one kept elsewhere.
 */
export async function verifyExport(
  lines: AsyncIterable<string> | Iterable<string>,
  expected?: string,
): Promise<Verified> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  const closing = closingOf(all.at(-1));
  const content = closing ? all.slice(0, -1) : all;
  const check = createCheck(startOf(content[0], closing));
  const hash = createHash("sha256");
  const breaks: Break[] = [];
  for (const line of content) {
    hash.update(line);
    const number = check.result().head.number + 1;
    const data = canonical(line);
    if (data === undefined) breaks.push({ number, why: "the line was changed after the export" });
    const { fields, ...record } = Object(data);
    check.record(record, closing?.conversation !== undefined);
    check.personal(PersonalFields.safeParse(fields ?? {}).data);
  }
  // The record of an erasure may not be in a part.
  const isPart = closing?.conversation !== undefined || closing?.since !== undefined;
  const gone = isPart ? [] : check.unexplained();
  const { records, head } = check.result();
  const found = [...breaks, ...check.result().breaks, ...gone, ...check.missing(expected)];
  return {
    records,
    head,
    breaks: [...found, ...closingBreaks(closing, records, hash, head.number)],
  };
}

type End = z.infer<typeof Closing>["end"];

function closingOf(line: string | undefined): End | undefined {
  const parsed = Closing.safeParse(line === undefined ? undefined : canonical(line));
  return parsed.success ? parsed.data.end : undefined;
}

function closingBreaks(
  closing: End | undefined,
  records: number,
  hash: Hash,
  last: number,
): Break[] {
  const number = last + 1;
  if (!closing)
    return [{ number, why: "the closing line is missing or damaged, so the export is incomplete" }];
  const why: string[] = [];
  if (closing.records !== records)
    why.push(`the export should have ${closing.records} records, but has ${records}`);
  if (closing.sha256 !== hash.digest("hex")) why.push("the lines differ from those exported");
  return why.map((reason) => ({ number, why: reason }));
}

/** An export of a part begins in the middle of the chain: its first record is taken as it is. */
function startOf(first: string | undefined, closing: End | undefined) {
  const isPart = closing?.since !== undefined || closing?.conversation !== undefined;
  const record = isPart && first ? AuditRecord.safeParse(canonical(first)) : undefined;
  if (!record?.success) return BEGINNING;
  return { number: record.data.number - 1, hash: record.data.previous };
}

/** What a line says, if it is written in the one way it can have been exported. */
function canonical(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line);
    return `${canonicalJson(value)}\n` === line ? value : undefined;
  } catch {
    return undefined; // not JSON: that is what the caller wants to know
  }
}
