import type { ToolResult } from "../../contract/tools/tool-call.ts";

/** A result that we give in place of one that never came. */
export function givenResult(
  { callId, name }: { readonly callId: string; readonly name: string },
  text: string,
  { success = false }: { readonly success?: boolean } = {},
): ToolResult {
  return {
    toolName: name,
    executionId: callId,
    callId,
    success,
    ...(success ? {} : { kind: "executionFailed" as const }),
    output: {
      content: success ? text : `Error (executionFailed): ${text}`,
      mimeType: "text/plain",
      additionalData: {},
    },
    metadata: { timestamp: new Date().toISOString(), version: "1.0", additionalContext: {} },
    performance: { executionTimeMs: 0 },
    progressEvents: [],
  };
}

/** What is worth keeping of a result for ever: what the model reads, and data that is not too large. */
export function keptResult(result: ToolResult): ToolResult {
  const { additionalData } = result.output;
  const isSmall = JSON.stringify(additionalData).length <= KEPT_DATA_CHARS;
  return {
    ...result,
    output: { ...result.output, additionalData: isSmall ? additionalData : {} },
    progressEvents: [],
  };
}

const KEPT_DATA_CHARS = 64 * 1024;
