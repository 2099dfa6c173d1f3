import { z } from "zod";
import type { Prompts } from "../contract/conversation/prompt.ts";
import { saying } from "../contract/display.ts";
import { defineTool } from "../contract/tools/operation.ts";
import type { RunnableTool } from "../contract/tools/tool-call.ts";
import { implement } from "./implement.ts";

/** @internal */
export const listSystemPrompts = defineTool({
  name: "list_system_prompts",
  position: 50,
  description: "List the system prompts that a subagent can be given.",
  single: true,
  operations: {
    list_system_prompts: {
      summary: "list the system prompts",
      repeat: "safe",
      level: "safe",
      category: "conversation",
      line: saying("Listing system prompts"),
      params: z.object({}),
    },
  },
});

export function createListSystemPrompts({ prompts }: { readonly prompts: Prompts }): RunnableTool {
  return implement(listSystemPrompts, {
    list_system_prompts: async () => {
      const found = await prompts.systemPrompts();
      if (found.length === 0) {
        return {
          text: "There are no system prompts. run_subagent uses yours.",
          data: { prompts: [] },
        };
      }
      const lines = found.map(({ id, name, description }) => `- ${id}: ${name}. ${description}`);
      const use = "Give one of these ids to run_subagent as systemPromptId.";
      return { text: [...lines, "", use].join("\n"), data: { prompts: found } };
    },
  });
}
