import { createHash } from "node:crypto";
import { inspect } from "node:util";
import type { AuditEntry } from "../../contract/audit.ts";
import { failureOf } from "../../contract/display.ts";
import type { PlannedCall, Verdict } from "../../contract/permission/gate.ts";
import type { StillWaitingError } from "../../contract/permission/question.ts";
import type { CallState } from "../../contract/tools/call-state.ts";
import { ToolError } from "../../contract/tools/operation.ts";
import type {
  AuthorizationNeeded,
  ToolContext,
  ToolResult,
} from "../../contract/tools/tool-call.ts";
import type { CallOutcome, Decision, TurnContext } from "../../contract/tools/toolbox.ts";
import { canonicalJson } from "../../lib/canonical-json.ts";
import { asToolError, failureResult, type ResultDraft } from "../results/tool-results.ts";
import { CallEvents, type CallEventsDeps } from "./call-events.ts";
import type { PreparedCall } from "./prepare-call.ts";

export interface ReportDeps extends CallEventsDeps {
  readonly warn: (message: string) => void;
}

type CallEntry = Extract<AuditEntry, { kind: "call" }>;
type Facts = Partial<Omit<CallEntry, "kind" | "states" | "conversation" | "callId">>;
type AskVerdict = Extract<Verdict, { outcome: "ask" }>;
type WaitingOutcome = Extract<CallOutcome, { outcome: "waiting" }>;

/** Where a call ends up that fails in a state; before all of these it counts as cancelled. */
const FAILURE: Partial<Record<CallState, CallState>> = {
  Validating: "ValidationFailed",
  CheckingAuth: "AuthDenied",
  Executing: "Failure",
  Routing: "Failure",
  InternalTool: "Failure",
  DirectExecution: "Failure",
};

/** What people, the model and the audit learn of one call. It records, and decides nothing. */
export class CallReport {
  readonly #deps: ReportDeps;
  readonly #call: PreparedCall;
  readonly #turn: TurnContext;
  readonly #events: CallEvents;
  readonly #startedMs = performance.now();
  readonly #wasApproved: boolean;
  /** Since the audit's last entry. */
  readonly #states: CallState[] = [];
  #state: CallState = "BlockingWait";
  #facts: Facts;

  constructor(deps: ReportDeps, call: PreparedCall, turn: TurnContext, decision?: Decision) {
    this.#deps = deps;
    this.#call = call;
    this.#turn = turn;
    this.#events = new CallEvents(deps, call, turn);
    this.#wasApproved = decision?.outcome === "approved";
    this.#facts = decision === undefined ? {} : askedFacts(call, turn);
    if (decision) return;
    this.#events.started();
    this.enter("Queued");
  }

  enter(...states: CallState[]): void {
    this.#states.push(...states);
    this.#state = states.at(-1) ?? this.#state;
  }

  /** What a human said. Throws for a no. */
  answered(decision: Decision): void {
    this.enter(decision.outcome === "approved" ? "UserResponded" : "UserRejected");
    if (decision.outcome === "approved") return;
    const why = decision.reason === undefined ? "" : ` They say: ${decision.reason}`;
    throw new ToolError(
      "permissionDenied",
      `A human rejected ${this.#key}.${why} Do not try it again: continue without it, or ask what to do.`,
      { rejected: true },
    );
  }

  decided(call: PlannedCall, context: ToolContext, verdict: Verdict): void {
    this.#facts = factsOf(call, context, verdict, this.#wasApproved);
  }

  progress(message: string, fraction?: number): void {
    // Before it runs and after it has ended a tool has no progress.
    if (this.#state !== "DirectExecution") return;
    this.#events.progress(message, fraction);
    this.enter("EmitProgress", "DirectExecution");
  }

  /** Nothing has run. Either a human is asked, or its result tells the model how to ask. */
  ask(planned: PlannedCall, { question, reason: given }: AskVerdict): WaitingOutcome {
    this.enter("AuthPending");
    const reason = this.#redact(sentence(given));
    const needed = {
      operationKey: planned.operationKey,
      reason,
      suggestedPrompt: `${this.#events.title}. ${reason} May I?`,
    };
    const refused = new ToolError("permissionDenied", howToAsk(needed));
    const draft = failureResult(this.#call, refused, this.#deps.redactor, needed);
    if (this.#turn.asks) {
      this.#events.waiting(reason);
      this.enter("BlockingWait");
    }
    return { ...this.#waiting(planned, reason, draft), ...(question && { question }) };
  }

  /** The call itself has asked people something, and continues once they have answered. */
  awaitPeople({ question }: StillWaitingError): WaitingOutcome {
    const { plan } = this.#call;
    if ("refused" in plan) throw plan.refused;
    this.#events.waiting("Waiting for your response");
    const refused = new ToolError("executionFailed", "No one has answered yet.");
    const draft = failureResult(this.#call, refused, this.#deps.redactor);
    return { ...this.#waiting(plan.call, refused.message, draft), asked: question };
  }

  fail(error: unknown): ResultDraft {
    const isCancelled = this.#turn.signal.aborted && !(error instanceof ToolError);
    const hasRun = this.#state === "DirectExecution";
    const failure = isCancelled ? cancelled(this.#key, hasRun) : this.#explain(error);
    if (this.#state !== "UserRejected") {
      const end = isCancelled && !hasRun ? "Cancelled" : FAILURE[this.#state];
      this.enter(end ?? "Cancelled");
    }
    return failureResult(this.#call, failure, this.#deps.redactor);
  }

  /** Tells people how it ended. */
  finish(draft: ResultDraft): ToolResult {
    this.enter("GenerateResult", "AddMetrics", "AddEvents");
    if (draft.success) this.#events.completed();
    else this.#events.failed(failureOf(draft.output.content));
    return this.#measured(draft);
  }

  /** For the audit: all that is known, and the states since its last entry. */
  entry(): CallEntry {
    const { callId } = this.#call;
    const { conversation } = this.#turn;
    const states = this.#states.splice(0);
    const ended = states.find((state) => state === "Success" || state === "Failure");
    return {
      kind: "call",
      actor: "bot",
      operation: this.#key,
      ...this.#facts,
      ...(ended && { outcome: ended === "Success" ? "success" : "failure" }),
      conversation,
      callId,
      states,
    };
  }

  warn(what: string, error: unknown): void {
    this.#deps.warn(
      this.#redact(`${this.#key} (call ${this.#call.callId}), ${what}: ${inspect(error)}`),
    );
  }

  /** The stack is for the log; people and the model get the message. */
  #explain(error: unknown): ToolError {
    if (error instanceof ToolError) return error;
    if (this.#state === "CheckingAuth") {
      this.warn("the permission check failed", error);
      const message = `The permission check failed, so ${this.#key} was not run.`;
      return new ToolError("permissionDenied", message, {}, { cause: error });
    }
    this.warn("it broke", error);
    const failure = asToolError(error, this.#key);
    this.#events.broke(this.#redact(failure.message));
    return failure;
  }

  #waiting(call: PlannedCall, reason: string, draft: ResultDraft): WaitingOutcome {
    const { callId } = this.#call;
    return { outcome: "waiting", callId, call, reason, result: this.#measured(draft) };
  }

  #measured(draft: ResultDraft): ToolResult {
    const executionTimeMs = Math.ceil(performance.now() - this.#startedMs);
    return { ...draft, performance: { executionTimeMs }, progressEvents: [...this.#events.told] };
  }

  get #key(): string {
    const { plan, toolName } = this.#call;
    return "call" in plan ? plan.call.operationKey : toolName;
  }

  #redact(text: string): string {
    return this.#deps.redactor.redact(text);
  }
}

/** What the audit knows of a call that waited for a human. */
function askedFacts({ plan }: PreparedCall, { userId, requestText }: TurnContext): Facts {
  return {
    actor: userId ?? "bot",
    decision: "ask",
    ...("call" in plan && { target: plan.call.definition.line(plan.call.params) }),
    ...(requestText !== undefined && { request: requestText }),
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

function howToAsk({ operationKey, reason, suggestedPrompt }: AuthorizationNeeded): string {
  const call = JSON.stringify({ prompt: suggestedPrompt, authorize_operation: operationKey });
  return (
    `${operationKey} needs a human's approval: ${reason} To ask, call user_collaboration with ${call}, ` +
    "and repeat this call unchanged once it is approved."
  );
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function cancelled(key: string, hasRun: boolean): ToolError {
  const how = hasRun
    ? "while it was running; changes it made until then remain"
    : "before it started; nothing was done";
  return new ToolError("executionFailed", `${key} was cancelled ${how}.`, { cancelled: true });
}
