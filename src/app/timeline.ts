import type { TimelineEntry } from "../../adapters/web/protocol.ts";
import { describe } from "../audit/describe.ts";
import type { AuditEntry, AuditRecord } from "../contract/audit.ts";
import type { ThreadId } from "../contract/platform/incoming.ts";
import type { Core } from "./core.ts";

interface Page {
  readonly limit: number;
  readonly before?: number;
}

/** What people did and decided in a thread, the newest first. The audit keeps every step; here each call stands once. */
export async function timelineOf(
  { audit, namesIn }: Pick<Core, "audit" | "namesIn">,
  thread: ThreadId,
  { limit, before }: Page,
): Promise<TimelineEntry[]> {
  const shown: AuditRecord[] = [];
  const calls = { followed: new Set<string>(), mayRun: before === undefined };
  for (let page: Page = { limit, ...(before !== undefined && { before }) }; ; ) {
    const records = (await audit.forConversation(thread, page)).toReversed();
    shown.push(...records.filter((record) => isShown(record, calls)));
    const oldest = records.at(-1)?.number;
    if (oldest === undefined || records.length < limit || shown.length >= limit) break;
    page = { limit, before: oldest };
  }
  const entries = shown.slice(0, limit);
  const nameOf = await namesIn(
    thread,
    entries.map(({ entry }) => entry.actor),
  );
  const decided = new Set(
    shown.flatMap(({ entry }) => (entry.kind === "approval.decided" ? [entry.approval] : [])),
  );
  const isOpen = (approval: string) => before === undefined && !decided.has(approval);
  return entries.map((record) => ({
    ...shownRecord(record, nameOf),
    tone: toneOf(record.entry, isOpen),
  }));
}

interface Calls {
  /** Something newer is recorded of these. */
  readonly followed: Set<string>;
  /** Only the newest page has calls that are under way. */
  readonly mayRun: boolean;
}

function isShown({ entry }: AuditRecord, { followed, mayRun }: Calls): boolean {
  if (entry.kind === "grant.used") return false;
  if (entry.kind === "grant.created") return !entry.oneTime;
  if (entry.kind !== "call") return true;
  const { callId, decision, outcome } = entry;
  const isFollowed = callId !== undefined && followed.has(callId);
  if (callId !== undefined) followed.add(callId);
  if (outcome !== undefined || decision === "denied") return true;
  // Its approval says that it waits, and how that ended.
  return mayRun && !isFollowed && decision !== "ask";
}

const TONES = { allowed: "plain", denied: "bad", ask: "waiting" } as const;

function shownRecord(record: AuditRecord, nameOf: (key: string) => string) {
  const { number, at } = record;
  const { actor, what, result } = describe(record, nameOf);
  return {
    number,
    at,
    who: actor,
    what,
    ...(result === "" ? {} : { detail: result }),
  };
}

function toneOf(entry: AuditEntry, isOpen: (approval: string) => boolean): TimelineEntry["tone"] {
  if (entry.kind === "approval.asked") return isOpen(entry.approval) ? "waiting" : "plain";
  if (entry.kind === "approval.decided") return entry.decision === "deny" ? "bad" : "plain";
  if (entry.kind !== "call") return "plain";
  if (entry.outcome === "failure") return "bad";
  return entry.decision ? TONES[entry.decision] : "plain";
}
