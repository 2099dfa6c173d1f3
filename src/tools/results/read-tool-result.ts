import { z } from "zod";
import { details, saying, short } from "../../contract/display.ts";
import { defineTool, ToolError } from "../../contract/tools/operation.ts";
import { integer, text } from "../../contract/tools/params.ts";
import type { RunnableTool } from "../../contract/tools/tool-call.ts";
import { implement } from "../implement.ts";
import { INLINE_BYTES } from "./bound-result.ts";
import type { StoredResults } from "./stored-results.ts";
import { cut, lengthOf } from "./text-pages.ts";

const LIMIT_BYTES = 32_768;
const LEAST_BYTES = 1024;
/** Of a model's input, that one page may take. */
const PAGE_SHARE = 1 / 4;
/** Fewer than usual, so that a page of code or digits fits as well. */
const BYTES_PER_TOKEN = 3;

/** The longest page for a model that takes so many tokens at once. */
function longestPage(inputTokens: number | undefined): number {
  if (inputTokens === undefined) return LIMIT_BYTES;
  const bytes = Math.floor(inputTokens * PAGE_SHARE * BYTES_PER_TOKEN);
  return Math.min(Math.max(bytes, LEAST_BYTES), LIMIT_BYTES);
}

/** @internal */
export function defineReadToolResult(limitBytes = LIMIT_BYTES) {
  return defineTool({
    name: "read_tool_result",
    position: 90,
    description:
      "Read more of a result that was too long for one answer; the note at its end says how.",
    single: true,
    operations: {
      read_tool_result: {
        summary: "read a part of a stored result",
        repeat: "safe",
        level: "safe",
        category: "conversation",
        line: saying("Reading stored result"),
        details: (args) => details(short(args.toolCallId, 60)),
        params: z.object({
          toolCallId: text("toolCallId").describe("The id from the note."),
          offset: integer({ min: 0 }).default(0).describe("First byte to read, from 0."),
          length: integer({ min: 1 })
            .default(Math.min(INLINE_BYTES, limitBytes))
            .describe(`How many bytes; at most ${limitBytes}.`),
        }),
      },
    },
  });
}

/** `inputTokens` is what the model takes at once: for one with a small window, pages are shorter. */
export function createReadToolResult(stored: StoredResults, inputTokens?: number): RunnableTool {
  const limitBytes = longestPage(inputTokens);
  return implement(defineReadToolResult(limitBytes), {
    read_tool_result: async ({ toolCallId, offset, length }, { conversation }) => {
      const whole = await stored.read(conversation, toolCallId);
      if (whole === undefined) {
        throw unknownResult(toolCallId, await stored.similar(conversation, toolCallId));
      }
      if (offset >= lengthOf(whole)) throw beyondTheEnd(offset, lengthOf(whole));
      const { text: content, begin, end, total } = cut(whole, offset, Math.min(length, limitBytes));
      const hasMore = end < total;
      const next = JSON.stringify({ toolCallId, offset: end });
      const note = hasMore
        ? `bytes ${begin} to ${end} of ${total}. Read on with read_tool_result ${next}.`
        : `bytes ${begin} to ${end} of ${total}. This is the end.`;
      return {
        text: `${content}\n\n[Stored result ${toolCallId}, ${note}]`,
        data: {
          toolCallId,
          offset: begin,
          length: end - begin,
          totalLength: total,
          hasMore,
          ...(hasMore && { nextOffset: end }),
          content,
        },
      };
    },
  });
}

function unknownResult(id: string, similar: string | undefined): ToolError {
  const meant = similar === undefined ? "" : ` Did you mean "${similar}"?`;
  return new ToolError(
    "executionFailed",
    `This conversation has no stored result "${short(id, 60) ?? ""}".${meant} Only long results are stored, ` +
      "and for a limited time. Run the tool again if you need its result.",
  );
}

function beyondTheEnd(offset: number, total: number): ToolError {
  return new ToolError(
    "invalidParameters",
    `offset ${offset} is beyond the end: use 0 to ${total - 1}.`,
  );
}
