import { z } from "zod";
import { indexLine } from "../contract/tools/file-display.ts";
import { defineTool } from "../contract/tools/operation.ts";
import { text } from "../contract/tools/params.ts";
import type { RunnableTool } from "../contract/tools/tool-call.ts";
import { implement } from "./implement.ts";
import { answerOf, callWorkspace } from "./workspace-tools.ts";

/** @internal for tests */
export const searchIndex = defineTool({
  name: "search_index",
  position: 160,
  description: "Look up files and directories of the workspace by name.",
  single: true,
  operations: {
    search_index: {
      summary: "look up file names in the workspace's index, or the index statistics",
      repeat: "safe",
      level: "safe",
      category: "search",
      params: z.object({
        query: text("query").max(10_000).optional().describe("Part of a name or path."),
        extension: text("extension")
          .max(100)
          .optional()
          .describe("Only files with this extension: ts or .ts."),
        operation: z
          .enum(["stats", "refresh"])
          .optional()
          .describe("stats: totals per extension. refresh: scan everything again."),
      }),
      line: ({ operation, ...names }) => indexLine({ ...names, indexOperation: operation }),
    },
  },
});

/** The index lives in the workspace, so this and file_operations.search_index answer alike. */
export function createSearchIndex(): RunnableTool {
  return implement(searchIndex, {
    search_index: async ({ operation, ...names }, context) => {
      const args = { operation: "search_index", ...names, indexOperation: operation };
      return answerOf(await callWorkspace("file_operations", args, context));
    },
  });
}
