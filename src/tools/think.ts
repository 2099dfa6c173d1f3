import { z } from "zod";
import type { EventHub } from "../contract/conversation/event.ts";
import { saying, short } from "../contract/display.ts";
import { defineTool, ToolError } from "../contract/tools/operation.ts";
import type { RunnableTool, ToolContext } from "../contract/tools/tool-call.ts";
import type { RequestedTools } from "../contract/tools/toolbox.ts";
import { implement } from "./implement.ts";
import { words } from "./params.ts";
import type { ThoughtGuard } from "./thought-guard.ts";

const THOUGHTS_IN_A_ROW = 3;
const SUMMARY_CHARS = 100;

/** @internal */
export const think = defineTool({
  name: "think",
  position: 10,
  description:
    "Think before you act: what you know, what you do not know, what comes next. It runs nothing. Then act.",
  single: true,
  operations: {
    think: {
      summary: "think about something before acting",
      repeat: "safe",
      level: "safe",
      category: "thought",
      line: saying("Thinking"),
      params: z.object({
        thoughts: words("thoughts").describe("Your thoughts."),
        requested_tools: z
          .array(z.string())
          .default([])
          .describe("Tools that you need next but were not offered."),
      }),
    },
  },
});

export function createThink(parts: {
  readonly guard: ThoughtGuard;
  readonly hub: EventHub;
  /** Takes secrets out of what people see. */
  readonly redact: (text: string) => string;
  readonly requestTools: (conversation: string, names: readonly string[]) => RequestedTools;
}): RunnableTool {
  return implement(think, {
    think: async ({ thoughts, requested_tools: names }, context) => {
      const times = parts.guard.thought(context.conversation);
      if (times > THOUGHTS_IN_A_ROW) {
        throw new ToolError(
          "executionFailed",
          `You have thought ${THOUGHTS_IN_A_ROW} times in a row. Act now: use another tool, or answer.`,
        );
      }
      // Before it is cut: half a secret is not found any more.
      showThoughts(parts.hub, parts.redact(thoughts), context);
      if (names.length === 0) return { text: thoughts };
      const requested = parts.requestTools(context.conversation, names);
      return { text: [thoughts, "", ...requestText(requested)].join("\n"), data: { ...requested } };
    },
  });
}

function showThoughts(hub: EventHub, thoughts: string, context: ToolContext): void {
  const summary = short(thoughts, SUMMARY_CHARS);
  hub.post(context.conversation, {
    type: "tool",
    event: {
      kind: "userMessage",
      toolName: think.name,
      callId: context.callId,
      display: {
        action: "thinking",
        actionDisplayName: "Thinking",
        ...(summary === undefined ? {} : { summary }),
        details: [thoughts],
        status: "success",
      },
      timestamp: context.timestamp,
    },
  });
}

function requestText({ offered, unknown, excluded }: RequestedTools): string[] {
  return [
    ...told("Available from the next step", offered),
    ...told("No tool with this name", unknown),
    ...told("Not available in this conversation", excluded),
  ];
}

function told(what: string, names: readonly string[]): string[] {
  return names.length > 0 ? [`${what}: ${names.join(", ")}.`] : [];
}
