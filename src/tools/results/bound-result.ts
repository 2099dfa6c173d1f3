import type { ToolResult } from "../../contract/tools/tool-call.ts";
import type { StoredResults } from "./stored-results.ts";
import { cut, lengthOf } from "./text-pages.ts";

/** What a model gets of a result at once. */
export const INLINE_BYTES = 8192;

/** The result as the model gets it: whole, or its beginning and how to read on. */
export async function boundResult(
  stored: StoredResults,
  conversation: string,
  result: ToolResult,
  warn: (message: string) => void,
): Promise<ToolResult> {
  const { content } = result.output;
  // Pages of a stored result are long because they were asked for.
  if (result.toolName === "read_tool_result" || lengthOf(content) <= INLINE_BYTES) return result;
  const page = cut(content, 0, INLINE_BYTES);
  const remaining = page.total - page.end;
  const sizes = `${page.total} bytes in all, ${remaining} more`;
  try {
    const id = await stored.store(conversation, result.callId, content);
    const next = JSON.stringify({ toolCallId: id, offset: page.end });
    return withContent(
      result,
      `${page.text}\n\n[Stored as ${id}: ${sizes}. Read on with read_tool_result ${next}.]`,
      { stored: { id, totalLength: page.total, remaining } },
    );
  } catch (error) {
    warn(`Failed to store the result of call ${result.callId}: ${String(error)}`);
    return withContent(
      result,
      `${page.text}\n\n[Warning: cut off here; ${sizes}, which could not be stored and are lost. ` +
        "Ask for less at a time.]",
      { truncated: { totalLength: page.total, remaining } },
    );
  }
}

/** The beginning of a JSON text is no JSON. */
function withContent(
  result: ToolResult,
  content: string,
  more: Record<string, unknown>,
): ToolResult {
  const additionalData = { ...result.output.additionalData, ...more };
  return { ...result, output: { content, mimeType: "text/plain", additionalData } };
}
