import { z } from "zod";
import type { Prompts } from "../contract/conversation/prompt.ts";
import type { Spawner, SubagentReport } from "../contract/conversation/subagent.ts";
import { count, detail, details, LINE_CHARS, quoting, short } from "../contract/display.ts";
import { defineTool, ToolError } from "../contract/tools/operation.ts";
import { flag, integer } from "../contract/tools/params.ts";
import type { Answer, RunnableTool } from "../contract/tools/tool-call.ts";
import { implement } from "./implement.ts";
import { decimal, words } from "./params.ts";

const DEFAULT_STEPS = 15;
const MAXIMUM_STEPS = 100;
const RESULT_CHARS = 2000;

/** @internal */
export const runSubagent = defineTool({
  name: "run_subagent",
  position: 30,
  description:
    "Give a well-defined part of the work to another agent. It knows only your instructions; you get a summary. " +
    "Several calls in one reply run side by side.",
  single: true,
  operations: {
    run_subagent: {
      summary: "let another agent do part of the work",
      // The same call finds the same subagent where it stands.
      repeat: "safe",
      level: "safe",
      category: "conversation",
      line: quoting("Running subagent", "task", LINE_CHARS.query),
      details: (args) =>
        details(
          detail("Instructions", short(args.instructions, 100)),
          detail("Model", short(args.model, LINE_CHARS.query)),
        ),
      params: z.object({
        operation: z.literal("run").optional().describe("Optional."),
        task: words("task").describe("The task in a few words."),
        instructions: words("instructions").describe(
          "Everything it needs to know, and what to report.",
        ),
        model: words("model").optional().describe("Default: yours."),
        maxIterations: integer({ min: 1 })
          .default(DEFAULT_STEPS)
          .describe(`Its step limit; at most ${MAXIMUM_STEPS}.`),
        temperature: decimal({ min: 0, max: 2 }).optional().describe("0 to 2."),
        topP: decimal({ min: 0, max: 1 }).optional().describe("0 to 1."),
        enableTerminalAccess: flag().default(false).describe("It may run commands and tasks."),
        enableReasoning: flag().optional().describe("Default: yours."),
        systemPromptId: words("systemPromptId")
          .optional()
          .describe("An id from list_system_prompts. Default: yours."),
        enableWorkflowMode: flag().default(false).describe("It may run subagents itself."),
        enableDynamicIterations: flag().default(false).describe("It may raise its own limit."),
        sharedTopicId: words("sharedTopicId")
          .optional()
          .describe("A topic whose memory it shares."),
      }),
    },
  },
});

export function createRunSubagent(parts: {
  /** Looked up at every call: it may come later than the tool. */
  readonly spawner: () => Spawner | undefined;
  readonly prompts: Prompts;
}): RunnableTool {
  return implement(runSubagent, {
    run_subagent: async ({ operation: _, ...params }, context) => {
      const spawner = parts.spawner();
      if (!spawner) {
        throw new ToolError(
          "executionFailed",
          "Subagents are not configured here (no spawner). Do the task yourself.",
        );
      }
      await checkSystemPrompt(parts.prompts, params.systemPromptId);
      const report = await spawner.spawn({
        ...given(params),
        maxIterations: Math.min(params.maxIterations, MAXIMUM_STEPS),
        parent: context.conversation,
        callId: context.callId,
        ...given({ userId: context.userId }),
        signal: context.signal,
        progress: context.progress,
      });
      return conclude(params.task, report);
    },
  });
}

/** Without the fields that were left out, for which the parent's stand in. */
function given<T extends object>(fields: T) {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}

async function checkSystemPrompt(prompts: Prompts, id: string | undefined): Promise<void> {
  if (id === undefined) return;
  const known = await prompts.systemPrompts();
  if (known.some((prompt) => prompt.id === id)) return;
  throw new ToolError(
    "invalidParameters",
    `There is no system prompt "${id.slice(0, 80)}". Use an id from list_system_prompts, or leave ` +
      "systemPromptId out.",
  );
}

const ENDINGS: Readonly<Record<SubagentReport["status"], string>> = {
  completed: "completed",
  outOfSteps: "not finished: it ran out of steps",
  failed: "failed",
  stopped: "stopped",
};

function conclude(task: string, report: SubagentReport): Answer {
  const { text, ...summary } = report;
  const characters = Array.from(text);
  const isCut = characters.length > RESULT_CHARS;
  const shown = isCut ? characters.slice(0, RESULT_CHARS).join("") : text;
  const lines = [
    `Task: ${task}`,
    `Status: ${ENDINGS[report.status]}${report.reason === undefined ? "" : ` (${report.reason})`}`,
    `Steps: ${report.steps}, in ${(report.durationMs / 1000).toFixed(1)} s`,
    `Tools used: ${report.toolsUsed.join(", ") || "none"}`,
    `Conversation: ${report.conversation}`,
    ...(report.notice === undefined ? [] : [`Note: ${report.notice}`]),
    "",
    report.status === "completed" ? "Result:" : "Its partial result:",
    shown === "" ? "(nothing)" : shown,
    ...(isCut ? [`… cut; it has ${count(characters.length, "character")} in all.`] : []),
  ];
  if (report.status === "completed") {
    return { text: lines.join("\n"), data: { task, ...summary, result: shown, isCut } };
  }
  // What is given with a failure is told to the model as well, and the lines have told it all.
  const { status, usage } = report;
  throw new ToolError("executionFailed", lines.join("\n"), given({ status, usage }));
}
