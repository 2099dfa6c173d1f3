import { ToolError } from "../../contract/tools/operation.ts";

/** What is wrong with the patch text itself, and on which of its lines. */
export function malformed(index: number, problem: string): ToolError {
  return new ToolError("executionFailed", `Line ${index + 1} of the patch: ${problem}`);
}
