import { z } from "zod";
import type { Prompts } from "../contract/conversation/prompt.ts";
import { saying } from "../contract/display.ts";
import { defineTool } from "../contract/tools/operation.ts";
import type { RunnableTool } from "../contract/tools/tool-call.ts";
import { implement } from "./implement.ts";

/** @internal */
export const listMiniPrompts = defineTool({
  name: "list_mini_prompts",
  position: 60,
  description: "List the mini prompts of this conversation and of all conversations.",
  single: true,
  operations: {
    list_mini_prompts: {
      summary: "list the mini prompts of this conversation",
      repeat: "safe",
      level: "safe",
      category: "conversation",
      line: saying("Listing mini prompts"),
      params: z.object({}),
    },
  },
});

export function createListMiniPrompts({ prompts }: { readonly prompts: Prompts }): RunnableTool {
  return implement(listMiniPrompts, {
    list_mini_prompts: async (_, { conversation }) => {
      // Asked for by conversation already; another thread's text must not get out through anybody's slip.
      const found = (await prompts.miniPrompts(conversation)).filter(
        ({ scope }) => scope === "global" || scope === conversation,
      );
      if (found.length === 0) {
        return { text: "There are no mini prompts for this conversation.", data: { prompts: [] } };
      }
      const texts = found.map(({ id, name, content, scope, enabled }) => {
        const where = scope === "global" ? "global" : "this conversation only";
        return `- ${id}: ${name} (${where}, ${enabled ? "enabled" : "not enabled"} here)\n${content}`;
      });
      return { text: texts.join("\n\n"), data: { prompts: found } };
    },
  });
}
