import { ToolError } from "../../../src/contract/tools/operation.ts";
import { evictionText } from "../../../src/contract/workspace/checkpoints.ts";
import { codeOf } from "../error-code.ts";
import type { StoreFullError } from "./store-room.ts";

/** What a running workload can cause at any moment by taking away or exchanging what we look at. */
const MOVED = new Set([
  "ENOENT",
  "ENOTDIR",
  "ELOOP",
  "EISDIR",
  "EINVAL",
  "ENXIO",
  "ENOTEMPTY",
  "EEXIST",
]);

export function isMoved(error: unknown): boolean {
  return MOVED.has(codeOf(error));
}

/** Full disks and leases are the workload's doing and get a sentence; anything else unexpected is a bug and stays what it is. */
export function explained(error: unknown): unknown {
  if (codeOf(error) === "EAGAIN") {
    return new ToolError(
      "executionFailed",
      "A process in the workspace holds a lease on a file. Stop that process, then try again.",
      {},
      { cause: error },
    );
  }
  if (!["ENOSPC", "EDQUOT"].includes(codeOf(error))) return error;
  return new ToolError(
    "executionFailed",
    "The disk is full. Delete files in the workspace, then try again.",
    {},
    { cause: error },
  );
}

/** After room was made for what the workspace held a moment before. */
export function keptGrowing(cause: StoreFullError, evicted: number): ToolError {
  const gone = evicted > 0 ? ` ${evictionText(evicted)}` : "";
  return new ToolError(
    "executionFailed",
    `There is no room for a checkpoint: the workspace grew while it was being saved. Stop what writes there, then try again.${gone}`,
    {},
    { cause },
  );
}
