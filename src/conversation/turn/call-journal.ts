import type { Allowed, PlannedCall } from "../../contract/permission/gate.ts";
import { type CallJournal, NOT_JOURNALED } from "../../contract/tools/call-journal.ts";
import type { ToolResult } from "../../contract/tools/tool-call.ts";
import { workspaceTools } from "../../contract/tools/workspace-tools.ts";
import type { ConversationLine, LineData } from "../../journal/lines.ts";
import { keptResult } from "./given-result.ts";
import type { Run } from "./run.ts";

interface TurnOfCalls {
  readonly id: string;
  /** The number of steps that the call's own tool has raised the turn's maximum to. */
  readonly raised?: () => number | undefined;
}

/** Writes down what becomes of the calls of a turn. A call beside it shares its checkpoint, and leaves no line. */
export function callJournal(run: Run | undefined, turn?: TurnOfCalls): CallJournal {
  if (!run) return NOT_JOURNALED;
  const callIn = async (callId: string) =>
    (await run.state()).open?.calls.find((one) => one.callId === callId);
  return {
    begun: async (callId) => {
      const started = (await callIn(callId))?.started;
      return started && begunBefore(started);
    },
    withUsedApproval: async (callId, verdict) => {
      const question = verdict.outcome === "ask" ? verdict.question : undefined;
      if (!question) return verdict;
      const { granted } = await run.state();
      if (granted.get(callId) !== question.digest) return verdict;
      const { identity, paths, params, run: approvedRun } = question.call;
      return {
        outcome: "allowed",
        reason: "The call was approved before the bot restarted.",
        ground: "grant",
        ...(identity === "root" ? { as: "root", params } : {}),
        ...(approvedRun ? { as: identity, run: approvedRun } : {}),
        paths: paths.map(({ resolved }) => resolved),
      };
    },
    checkpointGap: () => run.checkpointGap(),
    checkpoint: async (call) => {
      if (changesFiles(call)) await run.keepCheckpoint();
    },
    started: async (callId, call, verdict) => {
      await run.write(({ open }) => {
        const known = open?.calls.find((one) => one.callId === callId);
        if (!open || !known || known.started) return [];
        return [{ kind: "call.started", data: startOf(open.id, callId, call, verdict) }];
      });
    },
    finished: async (result) => {
      if (turn) await finishCall(run, turn, result);
    },
    throwIfLeft: () => run.throwIfLeft(),
  };
}

/** Writes down how a call ended, unless that is known already. */
async function finishCall(run: Run, { id, raised }: TurnOfCalls, result: ToolResult) {
  const title = result.progressEvents.at(-1)?.display?.actionDisplayName;
  await run.write(({ open }) => {
    const call = open?.calls.find(({ callId }) => callId === result.callId);
    if (open?.id !== id || !call || call.result) return [];
    const { callId } = call;
    const data = { turn: id, callId, result: keptResult(result), ...(title ? { title } : {}) };
    const maximum = raised?.() ?? 0;
    const more: ConversationLine[] =
      maximum > open.maximum ? [{ kind: "steps.raised", data: { turn: id, maximum } }] : [];
    return [...more, { kind: "call.finished", data }];
  });
}

function begunBefore({ as, run, paths, shell, params }: LineData<"call.started">): Allowed {
  return {
    outcome: "allowed",
    reason: "The call had started before the bot restarted.",
    ...(as === undefined ? {} : { as }),
    ...(run === undefined ? {} : { run }),
    ...(paths === undefined ? {} : { paths }),
    ...(shell === undefined ? {} : { shell }),
    ...(params === undefined ? {} : { params }),
  };
}

function startOf(
  turn: string,
  callId: string,
  call: PlannedCall,
  { as, run, paths, shell, params }: Allowed,
): LineData<"call.started"> {
  return {
    turn,
    callId,
    operationKey: call.operationKey,
    repeat: isWorkspaceCall(call) ? "adopted" : call.definition.repeat,
    ...(as === undefined ? {} : { as }),
    ...(run === undefined ? {} : { run }),
    ...(paths === undefined ? {} : { paths: [...paths] }),
    ...(shell === undefined ? {} : { shell }),
    ...(params === undefined ? {} : { params: plain(params) }),
  };
}

function plain(params: Readonly<Record<string, unknown>>): LineData<"call.started">["params"] & {} {
  return JSON.parse(JSON.stringify(params));
}

const WORKSPACE_TOOLS: ReadonlySet<string> = new Set(workspaceTools.map(({ name }) => name));

/** The workspace knows its calls by their ids, and answers a repeated one with what became of it. */
function isWorkspaceCall({ tool }: PlannedCall): boolean {
  return WORKSPACE_TOOLS.has(tool);
}

const CHANGING: ReadonlySet<string> = new Set([
  "write",
  "command",
  "session",
  "build",
  "document",
  "image",
]);

function changesFiles({ definition }: PlannedCall): boolean {
  return definition.repeat === "unsafe" && CHANGING.has(definition.category);
}
