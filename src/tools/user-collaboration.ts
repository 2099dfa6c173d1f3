import { z } from "zod";
import { detail, details, LINE_CHARS, quoting, short } from "../contract/display.ts";
import { answerText, type Question, type Questions } from "../contract/permission/question.ts";
import { defineTool, ToolError } from "../contract/tools/operation.ts";
import type { Answer, RunnableTool } from "../contract/tools/tool-call.ts";
import { implement } from "./implement.ts";
import { words } from "./params.ts";

/** @internal */
export const userCollaboration = defineTool({
  name: "user_collaboration",
  position: 20,
  description:
    "Ask the people in the thread for a decision, information or permission. The turn waits for their answer.",
  single: true,
  operations: {
    user_collaboration: {
      summary: "ask the people in the thread and wait for their answer",
      // Asking again under the same call id asks nobody twice.
      repeat: "safe",
      level: "safe",
      category: "people",
      execution: "blocking",
      line: quoting("Asking", "prompt", LINE_CHARS.query),
      details: (args) =>
        details(detail("For permission to use", short(args.authorize_operation, LINE_CHARS.query))),
      params: z.object({
        prompt: words("prompt").describe("The question, in plain words."),
        context: z
          .string()
          .optional()
          .describe("Context that is needed to answer; shown above the question."),
        authorize_operation: words("authorize_operation")
          .optional()
          .describe("The operation to get permission for, e.g. file_operations.create_file."),
      }),
    },
  },
});

interface Parts {
  readonly questions: Questions;
  /** The canonical key of an operation that exists, also for another spelling; undefined for all else. */
  readonly operationKey: (given: string) => string | undefined;
  readonly isAutoApproved: (conversation: string) => Promise<boolean>;
  /** Makes the timed grant of an operation that nobody had to be asked about. */
  readonly grantUnasked: (permission: {
    readonly conversation: string;
    readonly callId: string;
    readonly operationKey: string;
  }) => Promise<void>;
}

export function createUserCollaboration(parts: Parts): RunnableTool {
  return implement(userCollaboration, {
    user_collaboration: async ({ prompt, context, authorize_operation: given }, call) => {
      const operation = given === undefined ? undefined : existing(parts, given);
      const question: Question = {
        conversation: call.conversation,
        callId: call.callId,
        prompt,
        ...(context === undefined ? {} : { context }),
        ...(operation === undefined ? {} : { authorizeOperation: operation }),
      };
      if (call.isExternalCall) return nobodyThere(question);
      if (await parts.isAutoApproved(call.conversation)) return approveUnasked(parts, question);
      return ask(parts.questions, question);
    },
  });
}

function existing(parts: Parts, given: string): string {
  const operation = parts.operationKey(given);
  if (operation !== undefined) return operation;
  throw new ToolError(
    "invalidParameters",
    `authorize_operation must name one existing operation as tool.operation, ` +
      `e.g. file_operations.create_file; there is no "${given.slice(0, 80)}". No one was asked.`,
  );
}

async function ask(questions: Questions, question: Question): Promise<Answer> {
  const answer = await questions.ask(question);
  if (answer.outcome === "answered") return answerText(question, answer);
  throw new ToolError(
    "executionFailed",
    "The question was cancelled because the turn was stopped. Nothing was permitted.",
    { toolCallId: question.callId },
  );
}

/** Whoever drives us from outside must bring the answer along in a new request. */
function nobodyThere({ callId, prompt, context, authorizeOperation }: Question): Answer {
  const lines = ["User input required.", ...(context === undefined ? [] : [context]), prompt];
  return {
    text: lines.join("\n\n"),
    data: { userInputRequired: true, toolCallId: callId, prompt, context, authorizeOperation },
  };
}

async function approveUnasked(parts: Parts, question: Question): Promise<Answer> {
  const { conversation, callId, prompt, authorizeOperation: operationKey } = question;
  if (operationKey !== undefined) await parts.grantUnasked({ conversation, callId, operationKey });
  const permitted = operationKey === undefined ? "" : ` ${operationKey} is allowed for a while.`;
  return {
    text:
      `Auto-approved because auto-approve is on in this conversation; no one was asked: "${prompt}".` +
      `${permitted} Continue the task.`,
    data: {
      toolCallId: callId,
      waitTimeSeconds: 0,
      userResponse: "auto-approved",
      decision: "approve",
      autoApproved: true,
    },
  };
}
