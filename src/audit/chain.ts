import { createHash } from "node:crypto";
import type { AuditEntry, AuditRecord } from "../contract/audit.ts";
import { canonicalJson } from "../lib/canonical-json.ts";

/** Where the chain stands: the last record's number and hash. */
export interface Head {
  readonly number: number;
  readonly hash: string;
}

/** Before the first record. */
export const BEGINNING: Head = { number: 0, hash: "0".repeat(64) };

/** The next record after `head`. */
export function chained(head: Head, at: string, entry: AuditEntry): AuditRecord {
  const content = { number: head.number + 1, at, entry, previous: head.hash };
  return { ...content, hash: hashOf(content) };
}

export function hashOf({ number, at, entry, previous }: Omit<AuditRecord, "hash">): string {
  return createHash("sha256").update(canonicalJson({ number, at, entry, previous })).digest("hex");
}
