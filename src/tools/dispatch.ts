import { randomUUID } from "node:crypto";
import type { PlannedCall, Verdict } from "../contract/gate.ts";
import { ToolError } from "../contract/operation.ts";
import { StillWaiting } from "../contract/question.ts";
import type { Answer, Permission, RunnableTool, ToolContext } from "../contract/tool-call.ts";
import type { CallOutcome, Decision, TurnContext } from "../contract/toolbox.ts";
import { CallProgress, type DispatchDeps } from "./call-progress.ts";
import type { PreparedCall } from "./prepare-call.ts";
import { orAborted, Serial } from "./serial.ts";

/** How long a tool has to end by itself once it was cancelled. */
const GRACE_MS = 1000;

/** Brings calls to their end. Never throws for what a call did. */
export class Dispatcher {
  readonly #deps: DispatchDeps;
  readonly #serial = new Serial();

  constructor(deps: DispatchDeps) {
    this.#deps = deps;
  }

  /** With a decision, the call goes on where it had stopped to ask. */
  async run(call: PreparedCall, turn: TurnContext, decision?: Decision): Promise<CallOutcome> {
    const progress = new CallProgress(this.#deps, call, turn, decision);
    try {
      if (decision) await progress.takeDecision(decision);
      else await progress.begin();
      const { tool, planned } = await progress.validate(decision !== undefined);
      const context = contextOf(call, turn, (message, fraction) =>
        progress.report(message, fraction),
      );
      const verdict = await this.#check(progress, planned, context);
      if (verdict.outcome === "ask") return await progress.ask(planned, verdict);
      const allowed = { ...planned, params: verdict.params ?? planned.params };
      const execution = { ...context, permission: permissionOf(verdict) };
      const answer = await this.#execute(progress, tool, allowed, execution);
      return await progress.succeed(answer);
    } catch (error) {
      if (error instanceof StillWaiting) return progress.await(error);
      return await progress.fail(error);
    }
  }

  async #check(
    progress: CallProgress,
    planned: PlannedCall,
    context: ToolContext,
  ): Promise<Exclude<Verdict, { outcome: "denied" }>> {
    await progress.states.to("CheckingAuth");
    const { operationKey } = planned;
    const verdict = await orAborted(this.#deps.gate.check(planned, context), context.signal).catch(
      (error: unknown) => {
        if (error instanceof ToolError || context.signal.aborted) throw error;
        this.#deps.warn(`The permission check of ${operationKey} failed: ${String(error)}`);
        const message = `The permission check failed, so ${operationKey} was not run.`;
        throw new ToolError("permissionDenied", message, {}, { cause: error });
      },
    );
    if (verdict.outcome !== "denied") return verdict;
    throw new ToolError("permissionDenied", `Refused: ${verdict.reason}`);
  }

  async #execute(
    progress: CallProgress,
    tool: RunnableTool,
    planned: PlannedCall,
    context: ToolContext,
  ): Promise<Answer> {
    context.signal.throwIfAborted();
    await progress.states.to("Executing");
    const run = async () => {
      context.signal.throwIfAborted();
      if (!tool.definition.single) {
        await progress.states.to("Routing");
        await progress.states.to("InternalTool");
      }
      await progress.states.to("DirectExecution");
      const running = tool.run(planned.operation, planned.params, context);
      return await orAborted(running, context.signal, { graceMs: GRACE_MS });
    };
    if (progress.call.execution !== "serial") return await run();
    return await this.#serial.run(context.conversation, context.signal, run);
  }
}

function permissionOf({ as, run, paths, shell }: Permission): Permission {
  return {
    ...(as !== undefined && { as }),
    ...(run !== undefined && { run }),
    ...(paths !== undefined && { paths }),
    ...(shell !== undefined && { shell }),
  };
}

function contextOf(
  { callId }: PreparedCall,
  turn: TurnContext,
  progress: ToolContext["progress"],
): ToolContext {
  const { conversation, initiatedBy, userId, contributors } = turn;
  const { requestText, workingDirectory, steps } = turn;
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
    progress,
    ...(userId !== undefined && { userId }),
    ...(contributors !== undefined && { contributors }),
    ...(requestText !== undefined && { requestText }),
    ...(workingDirectory !== undefined && { workingDirectory }),
    ...(steps !== undefined && { steps }),
  };
}
