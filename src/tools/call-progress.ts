import { inspect } from "node:util";
import type { CallState, StateChange } from "../contract/call-state.ts";
import { failureOf } from "../contract/display.ts";
import type { EventHub } from "../contract/event.ts";
import type { Gate, PlannedCall, Verdict } from "../contract/gate.ts";
import { ToolError } from "../contract/operation.ts";
import type { StillWaiting } from "../contract/question.ts";
import type { Answer, AuthorizationNeeded, RunnableTool } from "../contract/tool-call.ts";
import type { CallOutcome, Decision, TurnContext } from "../contract/toolbox.ts";
import { CallEvents } from "./call-events.ts";
import { CallStates } from "./call-states.ts";
import type { PrepareDeps, PreparedCall } from "./prepare-call.ts";
import {
  asToolError,
  failureResult,
  type Redaction,
  type ResultDraft,
  successResult,
} from "./tool-results.ts";

export interface DispatchDeps extends PrepareDeps {
  readonly gate: Gate;
  readonly events: EventHub;
  /** Takes secrets out of what people and models read. */
  readonly redactor: Redaction;
  readonly warn: (message: string) => void;
  /** Told of each call that was understood, before anything else becomes of it. */
  readonly onCall?: (conversation: string, tool: string) => void;
  /** Told of each step of a call, and waited for: what could not be recorded does not run. */
  readonly onState?: (change: StateChange) => void | Promise<void>;
}

type AskVerdict = Extract<Verdict, { outcome: "ask" }>;

/** One call on its way: its states, its events, its time, and in the end its result. */
export class CallProgress {
  readonly call: PreparedCall;
  readonly states: CallStates;
  readonly #deps: DispatchDeps;
  readonly #turn: TurnContext;
  readonly #events: CallEvents;
  readonly #startedMs = performance.now();

  constructor(deps: DispatchDeps, call: PreparedCall, turn: TurnContext, decision?: Decision) {
    this.call = call;
    this.#deps = deps;
    this.#turn = turn;
    this.#events = new CallEvents(deps, call, turn);
    const begin = decision ? "BlockingWait" : "Queued";
    this.states = new CallStates(begin, (state) => this.#record(state));
  }

  async begin(): Promise<void> {
    this.#events.started();
    await this.#record("Queued");
    this.#turn.signal.throwIfAborted();
  }

  async takeDecision(decision: Decision): Promise<void> {
    this.#turn.signal.throwIfAborted();
    if (decision.outcome === "approved") {
      await this.states.to("UserResponded");
      return;
    }
    await this.states.to("UserRejected");
    const why = decision.reason === undefined ? "" : ` They say: ${decision.reason}`;
    throw new ToolError(
      "permissionDenied",
      `A human has rejected ${this.#key}.${why} Do not try it again; go on without it, or ask what to do.`,
      { rejected: true },
    );
  }

  /** A call that was asked about has been validated before. */
  async validate(isResumed: boolean): Promise<{ tool: RunnableTool; planned: PlannedCall }> {
    if (!isResumed) await this.states.to("Validating");
    const { plan } = this.call;
    if ("refused" in plan) throw plan.refused;
    this.#deps.onCall?.(this.#turn.conversation, plan.call.tool);
    return { tool: plan.tool, planned: plan.call };
  }

  report(message: string, fraction?: number): void {
    // What a tool says before it runs or after it has ended is nobody's progress.
    if (this.states.current !== "DirectExecution") return;
    this.#events.progress(message, fraction);
    // Whoever tells of progress does not wait for it to be recorded.
    void this.#quietly(this.states.to("EmitProgress"));
    void this.#quietly(this.states.to("DirectExecution"));
  }

  /** Nothing has run. Either somebody asks and comes back, or the model gets to know how to ask. */
  async ask(planned: PlannedCall, { question, reason: given }: AskVerdict): Promise<CallOutcome> {
    await this.states.to("AuthPending");
    const reason = this.#redact(sentence(given));
    const needed = {
      operationKey: planned.operationKey,
      reason,
      suggestedPrompt: `${this.#events.title}. ${reason} May I?`,
    };
    const refused = new ToolError("permissionDenied", howToAsk(needed));
    const result = failureResult(this.call, refused, this.#deps.redactor, needed);
    if (!this.#turn.asks) return await this.#finish(result);
    this.#events.waiting(reason);
    await this.states.to("BlockingWait");
    return {
      outcome: "waiting",
      callId: this.call.callId,
      call: planned,
      reason,
      ...(question && { question }),
      result: this.#measured(result),
    };
  }

  /** It has asked people something itself, and goes on when they have answered. */
  await({ question }: StillWaiting): CallOutcome {
    const { plan } = this.call;
    if ("refused" in plan) throw plan.refused;
    this.#events.waiting("Waiting for your response");
    const refused = new ToolError("executionFailed", "No one has answered yet.");
    return {
      outcome: "waiting",
      callId: this.call.callId,
      call: plan.call,
      reason: refused.message,
      asked: question,
      result: this.#measured(failureResult(this.call, refused, this.#deps.redactor)),
    };
  }

  async succeed(answer: Answer): Promise<CallOutcome> {
    const result = successResult(this.call, answer, this.#deps.redactor);
    await this.#quietly(this.states.to("Success"));
    return await this.#finish(result);
  }

  async fail(error: unknown): Promise<CallOutcome> {
    const isCancelled = this.#turn.signal.aborted && !(error instanceof ToolError);
    const hasRun = RUNNING.has(this.states.current);
    const wasRejected = this.states.current === "UserRejected";
    if (!wasRejected) {
      await this.#quietly(
        this.states.to(isCancelled && !hasRun ? "Cancelled" : this.states.failure),
      );
    }
    const failure = isCancelled ? cancelled(this.#key, hasRun) : this.#explain(error);
    return await this.#finish(failureResult(this.call, failure, this.#deps.redactor));
  }

  /** The stack is for the log; people and the model get the message. */
  #explain(error: unknown): ToolError {
    if (error instanceof ToolError) return error;
    this.#deps.warn(
      this.#redact(`${this.#key} (call ${this.call.callId}) broke: ${inspect(error)}`),
    );
    const failure = asToolError(error, this.#key);
    this.#events.broke(this.#redact(failure.message));
    return failure;
  }

  async #finish(draft: ResultDraft): Promise<CallOutcome> {
    await this.#quietly(this.states.to("GenerateResult"));
    await this.#quietly(this.states.to("AddMetrics"));
    await this.#quietly(this.states.to("AddEvents"));
    if (draft.success) this.#events.completed();
    else this.#events.failed(failureOf(draft.output.content));
    return { outcome: "finished", result: this.#measured(draft) };
  }

  #measured(draft: ResultDraft) {
    const executionTimeMs = Math.ceil(performance.now() - this.#startedMs);
    return { ...draft, performance: { executionTimeMs }, progressEvents: [...this.#events.told] };
  }

  async #record(state: CallState): Promise<void> {
    await this.#deps.onState?.({
      conversation: this.#turn.conversation,
      callId: this.call.callId,
      operationKey: this.#key,
      state,
      at: new Date().toISOString(),
    });
  }

  /** What has run has run: that its end could not be recorded is for the log. */
  async #quietly(recorded: Promise<void>): Promise<void> {
    try {
      await recorded;
    } catch (error) {
      this.#deps.warn(this.#redact(`${this.#key}: a step was not recorded: ${inspect(error)}`));
    }
  }

  get #key(): string {
    const { plan, toolName } = this.call;
    return "call" in plan ? plan.call.operationKey : toolName;
  }

  #redact(text: string): string {
    return this.#deps.redactor.redact(text);
  }
}

const RUNNING: ReadonlySet<CallState> = new Set(["DirectExecution", "EmitProgress"]);

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
    ? "while it was running; what it had done by then is not undone"
    : "before it began; nothing was done";
  return new ToolError("executionFailed", `${key} was cancelled ${how}.`, { cancelled: true });
}
