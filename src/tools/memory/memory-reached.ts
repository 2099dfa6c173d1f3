import { StoreError } from "../../contract/store.ts";
import { ToolError } from "../../contract/tools/operation.ts";

/** What the memory answers. A store that cannot must not look like a memory that holds nothing. */
export async function reached<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw error instanceof StoreError ? unreachable(error) : error;
  }
}

function unreachable(cause: StoreError): ToolError {
  const message =
    "The memory is not available, so nothing was searched or stored. Continue without it and say so.";
  return new ToolError("executionFailed", message, {}, { cause });
}
