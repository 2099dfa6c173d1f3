import { randomUUID } from "node:crypto";
import type { z } from "zod";
import {
  type OperationName,
  type OperationResult,
  ToolError,
} from "../contract/tools/operation.ts";
import {
  CheckpointDiff,
  CheckpointInfo,
  CheckpointList,
  checkpointOperations,
  RestoreReport,
} from "../contract/workspace/checkpoints.ts";
import type {
  CallOptions,
  WorkspaceCall,
  WorkspaceCheckpoints,
} from "../contract/workspace/workspace.ts";

type CheckpointOperation = OperationName<typeof checkpointOperations>;
type Ask = (call: WorkspaceCall, options: CallOptions) => Promise<OperationResult>;

interface Question<Schema extends z.ZodType> extends CallOptions {
  readonly callId: string;
  readonly operation: CheckpointOperation;
  readonly answer: Schema;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** The store is root's, so each of these is a root call of its own. */
export function checkpointsOf(ask: Ask, storeLimitBytes?: number): WorkspaceCheckpoints {
  const limit = { store_limit_bytes: storeLimitBytes };
  const answered = async <Schema extends z.ZodType>({
    callId,
    operation,
    answer,
    params,
    ...options
  }: Question<Schema>): Promise<z.output<Schema>> => {
    const args = { operation, ...params };
    const call = { id: callId, tool: checkpointOperations.name, args, as: "root" } as const;
    const result = await ask(call, options);
    if (!result.success) throw failure(result);
    const parsed = answer.safeParse(result);
    if (!parsed.success) throw unusable(operation, parsed.error);
    return parsed.data;
  };
  return {
    create: ({ label, ...call }) =>
      answered({
        ...call,
        operation: "create",
        answer: CheckpointInfo,
        params: { label, ...limit },
      }),
    list: (options) =>
      answered({ ...options, callId: randomUUID(), operation: "list", answer: CheckpointList }),
    diff: (checkpoint, { against, paths, ...options } = {}) =>
      answered({
        ...options,
        callId: randomUUID(),
        operation: "diff",
        answer: CheckpointDiff,
        params: { checkpoint, against, paths },
      }),
    restore: (checkpoint, { path, ...call }) =>
      answered({
        ...call,
        operation: "restore",
        answer: RestoreReport,
        params: { checkpoint, path, ...limit },
      }),
  };
}

/** Everything the failure says goes along, above all that its outcome is unknown. */
function failure({ success: _, kind, message, ...details }: OperationResult): ToolError {
  const sentence = message ?? "The checkpoint operation failed without a reason. Try again.";
  return new ToolError(kind ?? "executionFailed", sentence, details);
}

function unusable(operation: CheckpointOperation, cause: z.ZodError): ToolError {
  const isUnsafe = checkpointOperations.operations[operation].repeat === "unsafe";
  return new ToolError(
    "executionFailed",
    "The workspace's server sent an invalid response. Check the list of checkpoints before you try again.",
    isUnsafe ? { outcome: "unknown" } : {},
    { cause },
  );
}
