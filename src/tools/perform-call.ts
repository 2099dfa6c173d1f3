import { randomUUID } from "node:crypto";
import type { Audit } from "../contract/audit.ts";
import type { Allowed, Guard } from "../contract/permission/gate.ts";
import { StillWaitingError } from "../contract/permission/question.ts";
import { ToolError } from "../contract/tools/operation.ts";
import type { Permission, ToolContext, ToolResult } from "../contract/tools/tool-call.ts";
import type { CallOutcome, Decision, TurnContext } from "../contract/tools/toolbox.ts";
import { CallReport, type ReportDeps } from "./call/call-report.ts";
import type { PreparedCall } from "./call/prepare-call.ts";
import { orAborted, type Serial } from "./call/serial.ts";
import { type ResultDraft, successResult } from "./results/tool-results.ts";

export interface CallDeps extends ReportDeps {
  readonly guard: Guard;
  readonly audit: Pick<Audit, "record">;
  /** Calls that are not parallel wait for each other here. */
  readonly serial: Serial;
  /** Called for each call that was understood, before anything else becomes of it. */
  readonly onCall?: (conversation: string, tool: string) => void;
  /** Shortens what is too long for a model. */
  readonly bound: (conversation: string, result: ToolResult) => Promise<ToolResult>;
}

/** How long a tool has to end by itself once it was cancelled. */
const GRACE_MS = 1000;

/**
 * Every call of every door goes through here, in this order, and nothing runs before it is recorded: parse, preview,
 * decide, wait, checkpoint, journal, audit, run, bound, journal, audit. With a decision, it continues where it had stopped
 * to ask. What goes wrong is the call's result; only a result that cannot be written down is thrown.
 */
export async function performCall(
  deps: CallDeps,
  call: PreparedCall,
  turn: TurnContext,
  decision?: Decision,
): Promise<CallOutcome> {
  const { guard, audit } = deps;
  const { conversation, journal, signal } = turn;
  const report = new CallReport(deps, call, turn, decision);
  let draft: ResultDraft;
  try {
    signal.throwIfAborted();
    if (decision) report.answered(decision);
    else report.enter("Validating");
    if ("refused" in call.plan) throw call.plan.refused;
    const { tool, call: planned } = call.plan;
    deps.onCall?.(conversation, planned.tool);
    const context = contextOf(call, turn, report);

    // The guard decides anew after an answer: what it looked at may have changed while a human was thinking.
    report.enter("CheckingAuth");
    const decide = async () => {
      const begun = await journal.begun(call.callId);
      if (begun) return begun;
      const preview = await guard.preview(planned, context);
      return await journal.withUsedApproval(call.callId, await guard.decide(preview));
    };
    const verdict = await orAborted(decide(), signal);
    report.decided(planned, context, verdict);
    if (verdict.outcome === "denied") {
      throw new ToolError("permissionDenied", `Refused: ${verdict.reason}`);
    }

    if (verdict.outcome === "ask") {
      const waiting = report.ask(planned, verdict);
      if (turn.asks) {
        await audit.record(report.entry());
        return waiting;
      }
      draft = waiting.result;
    } else {
      signal.throwIfAborted();
      report.enter("Executing");
      await journal.checkpoint(planned);
      await journal.started(call.callId, planned, verdict);
      await audit.record(report.entry());

      const run = async () => {
        signal.throwIfAborted();
        report.enter(...(tool.definition.single ? [] : ROUTED), "DirectExecution");
        const params = verdict.params ?? planned.params;
        const permission = permissionOf(verdict);
        const running = tool.run(planned.operation, params, { ...context, permission });
        return await orAborted(running, signal, { graceMs: GRACE_MS });
      };
      const isSerial = call.execution === "serial";
      const answer = await (isSerial ? deps.serial.run(conversation, signal, run) : run());
      draft = successResult(call, answer, deps.redactor);
      report.enter("Success");
    }
  } catch (error) {
    if (error instanceof StillWaitingError) return report.awaitPeople(error);
    journal.throwIfLeft();
    draft = report.fail(error);
  }
  const result = await deps.bound(conversation, report.finish(draft));
  await journal.finished(result);
  // It is over: the end is recorded beside what comes next, and before anything else begins.
  audit.record(report.entry()).catch((error: unknown) => report.warn("its end", error));
  return { outcome: "finished", result };
}

const ROUTED = ["Routing", "InternalTool"] as const;

function permissionOf({ as, run, paths, shell }: Allowed): Permission {
  return {
    ...(as !== undefined && { as }),
    ...(run !== undefined && { run }),
    ...(paths !== undefined && { paths }),
    ...(shell !== undefined && { shell }),
  };
}

function contextOf({ callId }: PreparedCall, turn: TurnContext, report: CallReport): ToolContext {
  const { conversation, initiatedBy, userId, contributors, journal } = turn;
  const { requestText, workingDirectory, steps } = turn;
  const { checkpointGap } = journal;
  return {
    conversation,
    callId,
    sessionId: randomUUID(),
    timestamp: new Date().toISOString(),
    isUserInitiated: initiatedBy === "human",
    isExternalCall: turn.isExternalCall ?? false,
    scope: turn.scope ?? conversation,
    metadata: turn.metadata ?? {},
    signal: turn.signal,
    workspace: turn.workspace,
    progress: (message, fraction) => report.progress(message, fraction),
    ...(checkpointGap !== undefined && { checkpointGap }),
    ...(userId !== undefined && { userId }),
    ...(contributors !== undefined && { contributors }),
    ...(requestText !== undefined && { requestText }),
    ...(workingDirectory !== undefined && { workingDirectory }),
    ...(steps !== undefined && { steps }),
  };
}
