import { createHash, timingSafeEqual } from "node:crypto";
import type { Approval, Choice, Decision } from "../../contract/permission/approval.ts";
import type { Act, Presence } from "../../contract/platform/actor.ts";
import type { PermissionLine } from "../../journal/lines.ts";
import type { Proposal } from "./ledger.ts";

/** Somebody's answer to an approval, by whatever door. */
export interface Click {
  readonly conversation: string;
  readonly approval: string;
  readonly choice: Choice;
  /** As the platform vouches for them at this moment. */
  readonly presence: Presence;
  /** As others know them; it is shown and decides nothing. */
  readonly name?: string;
  /** Why it is denied, in the words of whoever denies. */
  readonly reason?: string;
  /** What was typed, where the card asks for a phrase. */
  readonly phrase?: string;
}

/** What became of an answer. Every one of them is told to whoever gave it. */
export type ClickOutcome =
  | { readonly outcome: "decided"; readonly approval: Approval; readonly decision: Decision }
  /** Counted, and more people are needed. */
  | { readonly outcome: "counted"; readonly approval: Approval; readonly missing: number }
  | { readonly outcome: "already"; readonly approval: Approval; readonly decision: Decision }
  | { readonly outcome: "refused"; readonly reason: string }
  | { readonly outcome: "unknown"; readonly reason: string };

/** Something that waits for a person. */
export interface Waiting {
  readonly conversation: string;
  readonly approval: Approval;
  readonly since: string;
  readonly requester: string | null;
  readonly approvedBy: readonly string[];
}

export function approveAct({ risk, call, isUnparsed }: Approval): Act {
  const { operation, requester, contributors } = call;
  return {
    kind: "approve",
    risk,
    operation,
    requester: requester ?? undefined,
    contributors,
    isUnparsed,
  };
}

/** At the instant of its expiry it is over. */
export function isOpen({ decision, expiresAt }: Approval, now: Date): boolean {
  return !decision && (expiresAt === undefined || Date.parse(expiresAt) > now.getTime());
}

export function settle(
  approval: Approval,
  decision: Decision,
  lines: readonly PermissionLine[],
): Proposal<ClickOutcome> {
  return {
    lines,
    claims: [claimOf(approval.id)],
    answer: { outcome: "decided", approval: { ...approval, decision }, decision },
  };
}

export const claimOf = (id: string) => `approval:${id}`;

export function decided(approval: string, decision: Decision): PermissionLine {
  return { kind: "approval.decided", data: { approval, ...decision } };
}

export function already(approval: Approval, decision: Decision): ClickOutcome {
  return { outcome: "already", approval: { ...approval, decision }, decision };
}

export function refused(reason: string): Extract<ClickOutcome, { outcome: "refused" }> {
  return { outcome: "refused", reason };
}

export const UNKNOWN = "This request belongs to another thread or no longer exists.";

export function unknown(): ClickOutcome {
  return { outcome: "unknown", reason: UNKNOWN };
}

export function waitingIn(conversation: string, approval: Approval): Waiting {
  return {
    conversation,
    approval,
    since: approval.askedAt,
    requester: approval.call.requester,
    approvedBy: approval.votes.map(({ by }) => by),
  };
}

export function isSame(one: string, other: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(one), hash(other));
}
