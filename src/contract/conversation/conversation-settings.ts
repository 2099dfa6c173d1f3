import { z } from "zod";

/** What people may set for one conversation. The descriptions are what they read. */
export const ConversationSettings = z.object({
  terminal: z.boolean().default(true).describe("Allow commands in the terminal."),
  workflow: z.boolean().default(true).describe("Allow subagents."),
  dynamicIterations: z
    .boolean()
    .default(true)
    .describe("Allow the agent to raise the step limit of a turn."),
  smallContext: z
    .boolean()
    .default(false)
    .describe(
      "For models with a small context: offer only core tools at first and show less of the thread.",
    ),
  outsideReadsAsk: z
    .boolean()
    .default(false)
    .describe("Ask before reading files outside the workspace."),
  maxIterations: z
    .int()
    .min(1)
    .max(1000)
    .default(50)
    .describe("Step limit of a turn, from 1 to 1000."),
  maxSubagents: z
    .int()
    .min(1)
    .max(16)
    .default(4)
    .describe("Subagents that run at the same time, from 1 to 16."),
  subagentsInheritAutoApprove: z
    .boolean()
    .default(false)
    .describe("Apply auto-approve to subagents, too."),
});
export type ConversationSettings = z.infer<typeof ConversationSettings>;
