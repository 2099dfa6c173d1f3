import { z } from "zod";
import { defineTool } from "../contract/tools/operation.ts";
import type { RunnableTool } from "../contract/tools/tool-call.ts";
import { implement } from "./implement.ts";
import { answerOf, callWorkspace } from "./workspace-tools.ts";

/** @internal for tests */
export const workingDirectoryIndexer = defineTool({
  name: "working_directory_indexer",
  position: 170,
  description:
    "Maintain the index of the workspace's files, without hidden files, build results and node_modules. search_index " +
    "updates it automatically.",
  single: true,
  operations: {
    working_directory_indexer: {
      summary: "index the workspace's files, or show index statistics",
      repeat: "safe",
      level: "safe",
      category: "search",
      params: z.object({
        operation: z
          .enum(["build", "refresh", "stats"])
          .default("refresh")
          .describe("build, refresh: scan everything again. stats: totals per extension."),
      }),
      line: ({ operation }) =>
        operation === "stats" ? "Reading file index statistics" : "Indexing working directory",
    },
  },
});

/** The same index as search_index. Building it is refreshing it: a refresh forgets nothing that is still there. */
export function createWorkingDirectoryIndexer(): RunnableTool {
  return implement(workingDirectoryIndexer, {
    working_directory_indexer: async ({ operation }, context) => {
      const indexOperation = operation === "stats" ? "stats" : "refresh";
      const args = { operation: "search_index", indexOperation };
      return answerOf(await callWorkspace("file_operations", args, context));
    },
  });
}
