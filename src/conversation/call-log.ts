import type { StateChange } from "../contract/call-state.ts";
import type { LineData } from "../contract/conversation-line.ts";
import type { Gate, PlannedCall, Verdict } from "../contract/gate.ts";
import { workspaceTools } from "../contract/workspace-tools.ts";
import type { Run } from "./run.ts";

type Allowed = Extract<Verdict, { outcome: "allowed" }>;

export interface CallLog {
  /** The given gate. What had begun before the bot went down goes on under its id, and nobody is asked again. */
  readonly gate: Gate;
  /** Told each step of each call, and waited for: a call whose beginning is not written down does not begin. */
  readonly onState: (change: StateChange) => Promise<void>;
}

/** Writes down what calls begin, so that whoever comes after a crash knows. */
export function createCallLog(
  gate: Gate,
  runOf: (conversation: string) => Run | undefined,
): CallLog {
  return {
    gate: {
      async check(call, context) {
        const run = runOf(context.conversation);
        if (!run) return gate.check(call, context);
        const verdict = await checkAgain(gate, run, call, context);
        if (verdict.outcome === "allowed") run.allowed.set(context.callId, { call, verdict });
        return verdict;
      },
    },
    async onState({ conversation, callId, state }) {
      if (state !== "Executing") return;
      const run = runOf(conversation);
      const allowed = run?.allowed.get(callId);
      if (!run || !allowed) return;
      if (changesFiles(allowed.call)) await run.keepCheckpoint();
      await run.write(({ open }) => {
        const known = open?.calls.find((one) => one.callId === callId);
        if (!open || !known || known.started) return [];
        return [{ kind: "call.started", data: startOf(open.id, callId, allowed) }];
      });
    },
  };
}

async function checkAgain(
  gate: Gate,
  run: Run,
  call: PlannedCall,
  context: Parameters<Gate["check"]>[1],
): Promise<Verdict> {
  const { callId } = context;
  const { open, granted } = await run.state();
  const started = open?.calls.find((one) => one.callId === callId)?.started;
  if (started) return begunBefore(started);
  const checkpointGap = () => run.checkpointGap();
  const verdict = await gate.check(call, { ...context, checkpointGap });
  const question = verdict.outcome === "ask" ? verdict.question : undefined;
  // The grant was used up for exactly this, and then the bot went down before it could begin.
  if (!question || granted.get(callId) !== question.digest) return verdict;
  const { identity, paths, params, run: approvedRun } = question.call;
  return {
    outcome: "allowed",
    reason: "It was approved before the bot was restarted.",
    ground: "grant",
    ...(identity === "root" ? { as: "root", params } : {}),
    ...(approvedRun ? { as: identity, run: approvedRun } : {}),
    paths: paths.map(({ resolved }) => resolved),
  };
}

function begunBefore({ as, run, paths, shell, params }: LineData<"call.started">): Verdict {
  return {
    outcome: "allowed",
    reason: "It had begun before the bot was restarted.",
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
  { call, verdict }: { readonly call: PlannedCall; readonly verdict: Allowed },
): LineData<"call.started"> {
  const { as, run, paths, shell, params } = verdict;
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
