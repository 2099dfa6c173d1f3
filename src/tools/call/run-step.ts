import type { Execution } from "../../contract/tools/operation.ts";
import type { ToolResult } from "../../contract/tools/tool-call.ts";
import type {
  CallOutcome,
  Decision,
  StepOutcome,
  StepSoFar,
  ToolCall,
  TurnContext,
  WaitingCall,
} from "../../contract/tools/toolbox.ts";
import type { PreparedCall } from "./prepare-call.ts";

export interface StepDeps {
  prepare(call: ToolCall, turn: TurnContext): PreparedCall;
  run(call: PreparedCall, turn: TurnContext, decision?: Decision): Promise<CallOutcome>;
  /** A call that cannot be run at all, e.g. one whose id another call of the step bears. */
  refuse(call: PreparedCall, why: string): Promise<CallOutcome>;
}

/** Runs the calls of one step in the model's order and stops where a human has to be asked. */
export async function runStep(
  deps: StepDeps,
  calls: readonly ToolCall[],
  turn: TurnContext,
  soFar: StepSoFar = {},
): Promise<StepOutcome> {
  const prepared = calls.map((call) => deps.prepare(call, turn));
  const results = new Map<PreparedCall, ToolResult>();
  const first = firstOfEachId(prepared);

  for (const batch of batches(prepared.map(({ execution }) => execution))) {
    const waiting: WaitingCall[] = [];
    await Promise.all(
      batch.map(async (index) => {
        const call = prepared[index];
        if (!call) return;
        const outcome = await settle(deps, call, turn, soFar, first.has(call));
        if (outcome.outcome === "finished") results.set(call, outcome.result);
        else waiting.push(outcome);
      }),
    );
    if (waiting.length > 0) return { outcome: "waiting", results: byId(results), waiting };
  }
  return { outcome: "finished", results: prepared.flatMap((call) => results.get(call) ?? []) };
}

async function settle(
  deps: StepDeps,
  call: PreparedCall,
  turn: TurnContext,
  soFar: StepSoFar,
  isFirstOfItsId: boolean,
): Promise<CallOutcome> {
  if (!isFirstOfItsId) {
    const why = "Another call in this step has the same id. Send this call again alone.";
    return await deps.refuse(call, why);
  }
  const known = soFar.results?.get(call.callId);
  if (known) return { outcome: "finished", result: known };
  return await deps.run(call, turn, soFar.decisions?.get(call.callId));
}

/**
 * Which calls run together, in order: neighbours that are parallel. Every other call is a barrier: what stands before it has
 * ended when it begins, and what stands behind it begins when it has ended.
 * @internal for tests
 */
export function batches(executions: readonly Execution[]): number[][] {
  const all: number[][] = [];
  for (const [index, execution] of executions.entries()) {
    const last = all.at(-1);
    const isTogether =
      last !== undefined && execution === "parallel" && executions[index - 1] === "parallel";
    if (isTogether) last.push(index);
    else all.push([index]);
  }
  return all;
}

/** A workspace never runs an id twice: a second call of the same id would get the first one's result. */
function firstOfEachId(calls: readonly PreparedCall[]): Set<PreparedCall> {
  const first = new Map<string, PreparedCall>();
  for (const call of calls) if (!first.has(call.callId)) first.set(call.callId, call);
  return new Set(first.values());
}

function byId(results: ReadonlyMap<PreparedCall, ToolResult>): Map<string, ToolResult> {
  return new Map(Array.from(results, ([{ callId }, result]) => [callId, result]));
}
