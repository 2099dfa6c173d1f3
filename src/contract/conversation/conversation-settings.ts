import { z } from "zod";

/** What people may set for one conversation. The descriptions are what they read. */
export const ConversationSettings = z.object({
  terminal: z.boolean().default(true).describe("Commands may be run in the terminal."),
  workflow: z.boolean().default(true).describe("Parts of the work may be given to subagents."),
  dynamicIterations: z
    .boolean()
    .default(true)
    .describe("The agent may raise the number of steps of a turn by itself."),
  smallContext: z
    .boolean()
    .default(false)
    .describe(
      "For models with a small context: only a core of the tools is offered at first, and less of the thread is in view.",
    ),
  outsideReadsAsk: z
    .boolean()
    .default(false)
    .describe("Reading files outside the workspace needs an approval as well."),
  maxIterations: z
    .int()
    .min(1)
    .max(1000)
    .default(50)
    .describe("How many steps a turn may take, from 1 to 1000."),
  maxSubagents: z
    .int()
    .min(1)
    .max(16)
    .default(4)
    .describe("How many subagents work for a turn at once, from 1 to 16."),
  subagentsInheritAutoApprove: z
    .boolean()
    .default(false)
    .describe("While auto-approve is on, it holds for subagents as well."),
});
export type ConversationSettings = z.infer<typeof ConversationSettings>;
