import { z } from "zod";
import { phrase, short } from "../contract/display.ts";
import { defineTool, ToolError } from "../contract/tools/operation.ts";
import { integer } from "../contract/tools/params.ts";
import type { RunnableTool } from "../contract/tools/tool-call.ts";
import { implement } from "./implement.ts";
import { words } from "./params.ts";

/** Whatever a model says, no turn takes more steps. */
const STEPS_CEILING = 1000;

/** @internal */
export const increaseMaxIterations = defineTool({
  name: "increase_max_iterations",
  position: 40,
  description: "Get more steps for this turn if the task is going well and needs them.",
  single: true,
  operations: {
    increase_max_iterations: {
      summary: "raise the number of steps that this turn may take",
      repeat: "safe",
      level: "safe",
      category: "conversation",
      line: ({ requested_iterations: wanted }) =>
        phrase(
          "Raising the step limit",
          short(typeof wanted === "number" ? `${wanted}` : wanted, 10),
        ),
      params: z.object({
        requested_iterations: integer({ min: 1, max: STEPS_CEILING }).describe(
          `The new total, not the number to add; at most ${STEPS_CEILING}.`,
        ),
        reason: words("reason").describe("Why they are needed."),
      }),
    },
  },
});

export function createIncreaseMaxIterations(): RunnableTool {
  return implement(increaseMaxIterations, {
    increase_max_iterations: async ({ requested_iterations: wanted, reason }, { steps }) => {
      if (!steps) {
        throw new ToolError(
          "permissionDenied",
          "The number of steps cannot be raised in this conversation. Finish within those left, or tell the " +
            "user what remains to be done.",
        );
      }
      const { used, maximum: previous } = steps;
      if (wanted <= previous) {
        throw new ToolError(
          "invalidParameters",
          `requested_iterations must be more than the current maximum: ${used}/${previous} steps are used, ` +
            `and ${wanted} was requested.`,
        );
      }
      steps.raise(wanted);
      const remaining = wanted - used;
      return {
        text: `The limit was raised from ${previous} to ${wanted} steps; ${used} used, ${remaining} left. Reason: ${reason}`,
        data: { previous, new: wanted, used, remaining, reason },
      };
    },
  });
}
