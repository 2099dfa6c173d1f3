import { z } from "zod";
import type { DeepReadonly } from "../lib/deep-readonly.ts";
import { CALL_STATES } from "./tools/call-state.ts";

/** Why a call was allowed to run: no one had to be asked, auto-approve, a grant, a human's own command, or an answer. */
const How = z.enum(["auto", "autoApprove", "grant", "userInitiated", "asked"]);

const Digest = z.string().regex(/^[0-9a-f]{64}$/);

/** What every entry may say. */
const common = {
  /** Who did it: a person's key, or the part of the bot that acted by itself. */
  actor: z.string().min(1),
  conversation: z.string().optional(),
  session: z.string().optional(),
  callId: z.string().optional(),
  severity: z.enum(["info", "warning", "critical"]).optional(),
  details: z.record(z.string(), z.json()).optional(),
};

/** What is asked for or done, in the words of the guard. */
const operation = {
  operation: z.string(),
  /** The path, command or address it works on. */
  target: z.string().optional(),
  /** SHA-256 of exactly what runs. */
  digest: Digest.optional(),
};

/**
 * One thing that happened. It is written before its effect, so an entry without an outcome says "this was
 * about to happen", and the next entry of the same call says what became of it.
 */
export const AuditEntry = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("call"),
    ...common,
    ...operation,
    /** The states since the last entry of this call. */
    states: z.array(z.enum(CALL_STATES)).min(1),
    decision: z.enum(["allowed", "denied", "ask"]).optional(),
    how: How.optional(),
    /** The grant that was used, where `how` is "grant" or "asked". */
    grant: z.string().optional(),
    approvers: z.array(z.string()).optional(),
    reason: z.string().optional(),
    as: z.literal("root").optional(),
    /** What the person who asked had written. */
    request: z.string().optional(),
    outcome: z.enum(["success", "failure", "unknown"]).optional(),
  }),
  z.object({
    kind: z.literal("approval.asked"),
    ...common,
    ...operation,
    approval: z.string(),
    risk: z.string(),
    reason: z.string(),
  }),
  z.object({
    kind: z.literal("approval.decided"),
    ...common,
    ...operation,
    approval: z.string(),
    decision: z.string(),
    reason: z.string().optional(),
    grant: z.string().optional(),
  }),
  z.object({
    kind: z.literal("grant.created"),
    ...common,
    grant: z.string(),
    operation: z.string(),
    scope: z.string(),
    expiresAt: z.string().optional(),
    oneTime: z.boolean(),
  }),
  z.object({ kind: z.literal("grant.used"), ...common, ...operation, grant: z.string() }),
  z.object({
    kind: z.literal("grant.revoked"),
    ...common,
    grant: z.string(),
    reason: z.string().optional(),
  }),
  z.object({
    kind: z.literal("setting.changed"),
    ...common,
    setting: z.string(),
    from: z.json().optional(),
    to: z.json(),
  }),
  z.object({ kind: z.literal("policy.loaded"), ...common, source: z.string(), digest: Digest }),
  z.object({
    kind: z.literal("policy.changed"),
    ...common,
    source: z.string(),
    from: Digest.optional(),
    digest: Digest,
  }),
  z.object({
    kind: z.literal("role.refused"),
    ...common,
    act: z.string(),
    target: z.string().optional(),
    reason: z.string(),
  }),
  z.object({ kind: z.literal("workspace.reset"), ...common, reason: z.string().optional() }),
  /** Ends of journals: rewriting or removing a line of them means rewriting this record and all after it. */
  z.object({
    kind: z.literal("journals.committed"),
    ...common,
    ends: z.array(z.object({ conversation: z.string(), seq: z.int().positive(), hash: Digest })),
  }),
  /** What people have said about hosts in a thread. */
  z.object({
    kind: z.literal("network.ruled"),
    ...common,
    hosts: z.array(z.string()).min(1),
    ruling: z.enum(["denied", "no longer denied"]),
  }),
  /** Connections of a workspace to a host that have ended since the last entry about it. */
  z.object({
    kind: z.literal("network.used"),
    ...common,
    host: z.string(),
    port: z.int(),
    connections: z.int().min(1),
    bytesUp: z.number().min(0),
    bytesDown: z.number().min(0),
  }),
  z.object({ kind: z.literal("security.notice"), ...common, message: z.string() }),
  /** From here on these personal fields may be gone. */
  z.object({
    kind: z.literal("personal.erased"),
    ...common,
    erased: z.array(z.object({ record: z.int().positive(), fields: z.array(z.string()).min(1) })),
  }),
  z.object({
    kind: z.literal("plan"),
    ...common,
    execution: z.string(),
    event: z.enum([
      "PLAN_GENERATED",
      "EXECUTION_STARTED",
      "EXECUTION_CANCELLED",
      "EXECUTION_COMPLETED",
      "EXECUTION_FAILED",
      "ROLLBACK_STARTED",
      "ROLLBACK_COMPLETED",
      "ROLLBACK_FAILED",
    ]),
  }),
]);
export type AuditEntry = DeepReadonly<z.infer<typeof AuditEntry>>;

/** What may be erased of a record one day, by its path in the entry. Kept beside the chain. */
export const PersonalFields = z.record(
  z.string(),
  z.object({ salt: z.string(), value: z.string() }).strict(),
);
export type PersonalFields = DeepReadonly<z.infer<typeof PersonalFields>>;

/** An entry as it stands in the chain. */
export const AuditRecord = z.object({
  /** Counts from 1 without gaps. */
  number: z.int().positive(),
  at: z.iso.datetime(),
  entry: AuditEntry,
  /** Hash of the record before; zeros for the first. */
  previous: Digest,
  /** A line of the conversation's journal and its hash: rewriting an earlier line means rewriting this record. */
  journal: z.object({ seq: z.int().positive(), hash: Digest }).optional(),
  /** The entry has these fields no more: a salted digest of each, and the name under which they are kept. */
  personal: z
    .object({ id: z.string().min(1), digests: z.record(z.string(), Digest) })
    .strict()
    .optional(),
  /** SHA-256 over the canonical JSON of all of the above. */
  hash: Digest,
});
export type AuditRecord = DeepReadonly<z.infer<typeof AuditRecord>>;

/** What happened, written before its effect. There is no way to change or delete a record. */
export interface Audit {
  /**
   * Durable once it resolves. Whoever is about to act waits for it; when it throws, nothing may be done,
   * because nobody would ever know.
   */
  record(entry: AuditEntry): Promise<AuditRecord>;
  /** Of one conversation, the oldest first: the last ones, or the last ones before the record `before`. */
  forConversation(
    conversation: string,
    options?: { readonly limit?: number; readonly before?: number },
  ): Promise<AuditRecord[]>;
  /** The last records of all, the oldest first. */
  tail(limit: number): Promise<AuditRecord[]>;
}
