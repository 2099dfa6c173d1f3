import type { ToolResult } from "../contract/tools/tool-call.ts";
import { addBy, type Projection } from "./projection.ts";

/** How one call of a conversation ended; undefined where it has not. */
export function resultOfCall(callId: string): Projection<{ result: ToolResult | undefined }> {
  return {
    initial: () => ({ result: undefined }),
    add: addBy({
      "call.finished": (found, finished) => {
        if (finished.callId === callId) found.result = finished.result;
      },
    }),
  };
}
