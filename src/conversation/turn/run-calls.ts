import { isSubagent, SUBAGENT_TOOL } from "../../contract/conversation/subagent.ts";
import { NoWorkspaceError } from "../../contract/permission/gate.ts";
import type { StepBudget, ToolResult } from "../../contract/tools/tool-call.ts";
import type { Decision, StepOutcome, TurnContext } from "../../contract/tools/toolbox.ts";
import {
  type ConversationState,
  contributorsOf,
  decisionOn,
  isExternal,
  type OpenTurn,
  type TurnCall,
} from "../../journal/conversation/state.ts";
import { LeaseLostError } from "../../journal/journal.ts";
import type { ConversationLine } from "../../journal/lines.ts";
import { askPeople } from "../shown/waits.ts";
import { callJournal } from "./call-journal.ts";
import { givenResult } from "./given-result.ts";
import type { Run } from "./run.ts";
import type { TurnScope } from "./turn-scope.ts";

/** Runs the calls of the turn's step, as far as nobody has to be asked. Each result is written down as it comes. */
export async function runCalls(scope: TurnScope, turn: OpenTurn): Promise<void> {
  const { parts, run, card } = scope;
  await giveUpUnknown(run, turn);
  card.status("working");
  const state = await run.state();
  const calls = state.open?.id === turn.id ? state.open.calls : [];
  const decisions = decisionsOn(state, calls);
  const resumes = new Map(state.resumes);
  const context = await contextOf(scope, turn);
  const outcome = await orLeft(
    run,
    parts.toolbox.runStep(
      calls.map(({ callId, name, arguments: args }) => ({ callId, name, arguments: args })),
      context,
      { results: resultsOf(calls), decisions },
    ),
  );
  if (outcome.outcome === "waiting") {
    return askPeople(scope, turn, outcome.waiting, decisions, resumes);
  }
  // Each was written down as it came, but for those that never began.
  for (const result of outcome.results) await context.journal.finished(result);
}

async function contextOf({ parts, run }: TurnScope, turn: OpenTurn): Promise<TurnContext> {
  const { conversation } = run;
  const settings = await parts.settings.load(conversation);
  const budget = raisable(turn);
  const isExternalCall = isExternal(turn);
  return {
    conversation,
    userId: turn.requester,
    contributors: contributorsOf(turn),
    initiatedBy: turn.mode === "direct" ? "human" : "model",
    scope: await parts.scopeOf(conversation),
    requestText: turn.messages.map(({ text }) => text).join("\n\n"),
    signal: run.stop.signal,
    workspace: run.workspace,
    isExternalCall,
    offer: parts.toolbox.offer({ conversation, settings, isExternalCall }),
    asks: true,
    ...(isSubagent(conversation) ? { parentToolName: SUBAGENT_TOOL } : {}),
    journal: callJournal(run, { id: turn.id, raised: () => budget.raised() }),
    ...(settings.dynamicIterations && turn.mode === "agent" ? { steps: budget } : {}),
  };
}

/** More steps count from the moment when they are written down, together with the result that says so. */
function raisable({ steps, maximum }: OpenTurn): StepBudget & { raised(): number | undefined } {
  let wanted: number | undefined;
  return {
    used: steps,
    get maximum() {
      return wanted ?? maximum;
    },
    raise: (total) => {
      wanted = total;
    },
    raised: () => wanted,
  };
}

/**
 * A call that had begun when the bot went down, outside any workspace, and that must not be repeated: nobody knows how it
 * ended. Whatever else had begun is run again under its id.
 */
async function giveUpUnknown(run: Run, turn: OpenTurn): Promise<void> {
  await run.write(({ open }) => {
    if (open?.id !== turn.id) return [];
    return open.calls.flatMap((call): ConversationLine[] => {
      const result = endOfCutOff(call);
      const { callId } = call;
      return result ? [{ kind: "call.finished", data: { turn: turn.id, callId, result } }] : [];
    });
  });
}

function endOfCutOff(call: TurnCall): ToolResult | undefined {
  const { started, result, hasTodos } = call;
  if (result || started?.repeat !== "unsafe") return undefined;
  if (started.operationKey.startsWith("todo_operations.")) {
    // Its only effect is a line in the journal: either it is there, or nothing has happened.
    return hasTodos
      ? givenResult(call, "The todo list was changed as requested. Read it to see the result.", {
          success: true,
        })
      : undefined;
  }
  return givenResult(
    call,
    "The bot restarted during this call, so its outcome is unknown: it may or may not have happened. " +
      "It was not repeated. Find out or ask the user before you do it again.",
  );
}

function resultsOf(calls: readonly TurnCall[]): Map<string, ToolResult> {
  return new Map(calls.flatMap(({ callId, result }) => (result ? [[callId, result]] : [])));
}

function decisionsOn(state: ConversationState, calls: readonly TurnCall[]): Map<string, Decision> {
  return new Map(
    calls.flatMap((call): [string, Decision][] => {
      const decision = decisionOn(state, call);
      return decision ? [[call.callId, decision]] : [];
    }),
  );
}

/** What goes on in the workspace is not ended when we have to let go: whoever comes next takes it over. */
async function orLeft(run: Run, work: Promise<StepOutcome>): Promise<StepOutcome> {
  const { signal } = run.leave;
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(new LeaseLostError("This replica has released the conversation."));
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    work.catch(() => {
      // Nobody waits for it any more.
    });
  }
}

export function noWorkspace(): Promise<never> {
  return Promise.reject(new NoWorkspaceError());
}
