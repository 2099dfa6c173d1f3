import { createHash } from "node:crypto";
import type { Audit, AuditEntry } from "../contract/audit.ts";
import type { CallState, StateChange } from "../contract/call-state.ts";
import type { Gate, PlannedCall, Verdict } from "../contract/gate.ts";
import type { ToolContext } from "../contract/tool-call.ts";
import { canonicalJson } from "../lib/canonical-json.ts";

export interface CallAudit {
  /** The given gate; what it decides is part of what is recorded of the call. */
  readonly gate: Gate;
  /** Told every step of every call, and waited for. */
  readonly onState: (change: StateChange) => Promise<void>;
}

type CallEntry = Extract<AuditEntry, { kind: "call" }>;
type Facts = Pick<CallEntry, "actor" | "operation"> & Partial<Omit<CallEntry, "kind" | "states">>;

interface Trail {
  readonly states: CallState[];
  facts: Facts;
}

/** At these points all that is known of a call is written down: before it runs, before it waits, and at its end. */
const WRITTEN_AT: ReadonlySet<CallState> = new Set(["Executing", "BlockingWait", "AddEvents"]);
const OUTCOMES: Partial<Record<CallState, NonNullable<CallEntry["outcome"]>>> = {
  Success: "success",
  Failure: "failure",
};

/** Writes every call to the audit, two or three records each instead of one per state. */
export function createCallAudit(audit: Audit, gate: Gate): CallAudit {
  const trails = new Map<string, Trail>();

  function trailOf(conversation: string, callId: string, operation: string): Trail {
    const key = JSON.stringify([conversation, callId]);
    const trail = trails.get(key) ?? { states: [], facts: { actor: "bot", operation } };
    trails.set(key, trail);
    return trail;
  }

  async function onState({
    conversation,
    callId,
    operationKey,
    state,
  }: StateChange): Promise<void> {
    const trail = trailOf(conversation, callId, operationKey);
    trail.states.push(state);
    const outcome = OUTCOMES[state];
    trail.facts = { ...trail.facts, operation: operationKey, ...(outcome && { outcome }) };
    if (!WRITTEN_AT.has(state)) return;
    const states = trail.states.splice(0);
    if (state === "AddEvents") trails.delete(JSON.stringify([conversation, callId]));
    await audit.record({ kind: "call", ...trail.facts, conversation, callId, states });
  }

  return {
    onState,
    gate: {
      async check(call, context) {
        const verdict = await gate.check(call, context);
        const trail = trailOf(context.conversation, context.callId, call.operationKey);
        const wasAsked = trail.states.includes("UserResponded");
        trail.facts = { ...trail.facts, ...factsOf(call, context, verdict, wasAsked) };
        return verdict;
      },
    },
  };
}

function factsOf(
  call: PlannedCall,
  { userId, sessionId, requestText }: ToolContext,
  verdict: Verdict,
  wasAsked: boolean,
): Facts {
  const allowed = verdict.outcome === "allowed" ? verdict : undefined;
  const question = verdict.outcome === "ask" ? verdict.question : undefined;
  return {
    actor: userId ?? "bot",
    operation: call.operationKey,
    session: sessionId,
    target: call.definition.line(call.params),
    digest: question?.digest ?? digestOf(call),
    decision: verdict.outcome,
    reason: verdict.reason,
    ...(requestText !== undefined && { request: requestText }),
    ...(allowed && { how: howOf(allowed.ground, wasAsked) }),
    ...(allowed?.grant !== undefined && { grant: allowed.grant }),
    ...(allowed?.approvers && { approvers: [...allowed.approvers] }),
    ...(allowed?.as === "root" && { as: allowed.as }),
  };
}

function howOf(
  ground: Extract<Verdict, { outcome: "allowed" }>["ground"],
  wasAsked: boolean,
): NonNullable<CallEntry["how"]> {
  if (wasAsked) return "asked";
  if (ground === "user-initiated") return "userInitiated";
  if (ground === "auto-approve") return "autoApprove";
  return ground === "grant" ? "grant" : "auto";
}

function digestOf({ operationKey, params }: PlannedCall): string {
  return createHash("sha256").update(canonicalJson({ operationKey, params })).digest("hex");
}
