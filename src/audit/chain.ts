import { createHash } from "node:crypto";
import type { AuditRecord } from "../contract/audit.ts";
import { canonicalJson } from "../lib/canonical-json.ts";

/** Where the chain stands: the last record's number and hash. */
export interface Head {
  readonly number: number;
  readonly hash: string;
}

/** Before the first record. */
export const BEGINNING: Head = { number: 0, hash: "0".repeat(64) };

/** What a record says beside its place in the chain. */
type Content = Pick<AuditRecord, "entry" | "personal" | "journal">;

/** The next record after `head`; `journal` commits to the conversation's journal as it is now. */
export function chained(
  head: Head,
  at: string,
  { entry, personal, journal }: Content,
): AuditRecord {
  const content = {
    number: head.number + 1,
    at,
    entry,
    previous: head.hash,
    ...(journal && { journal }),
    ...(personal && { personal }),
  };
  return { ...content, hash: hashOf(content) };
}

/** A record of an older version has no journal and keeps nothing beside it, and has the hash that it was written with. */
export function hashOf(record: Omit<AuditRecord, "hash">): string {
  const { number, at, entry, previous, journal, personal } = record;
  const covered = {
    number,
    at,
    entry,
    previous,
    ...(journal && { journal }),
    ...(personal && { personal }),
  };
  return createHash("sha256").update(canonicalJson(covered)).digest("hex");
}
