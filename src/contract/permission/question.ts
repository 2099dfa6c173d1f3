import type { Answer } from "../tools/tool-call.ts";

/** Something that only a human can answer. Known by its conversation and its call id together. */
export interface Question {
  readonly conversation: string;
  readonly callId: string;
  /** The model's words, and so is `context`: whoever shows them must not trust them. */
  readonly prompt: string;
  readonly context?: string;
  /** Canonical key of the operation that an approval would allow. It exists. */
  readonly authorizeOperation?: string;
}

export type AnswerOfUser =
  | {
      readonly outcome: "answered";
      /** What was typed, or what stood on the button. */
      readonly text: string;
      /** What it means, where a permission was asked for and the answer is a clear one. */
      readonly decision?: "approve" | "deny";
      readonly userId?: string;
      readonly askedAt: string;
      readonly answeredAt: string;
    }
  /** Somebody stopped the turn. */
  | { readonly outcome: "cancelled" };

/** What was asked has no answer yet. Whoever has thrown it is run again once there is one. */
export class StillWaitingError extends Error {
  override readonly name = "StillWaitingError";
  readonly question: Question;

  constructor(question: Question) {
    super("No one has answered yet.");
    this.question = question;
  }
}

/** Asks people, and waits as long as they take. */
export interface Questions {
  /**
   * Asking again with the same call id asks nobody a second time: it waits on, or gives the answer that has come
   * meanwhile. That is how a turn goes on after a restart. Posts userInputRequired and userResponseReceived,
   * each once, and makes the grant if a permission was asked for and given. Where nobody waits in memory it throws
   * StillWaitingError.
   */
  ask(question: Question): Promise<AnswerOfUser>;
}

/** What the model is told once somebody has answered. A refusal is an answer, too. */
export function answerText(
  question: Question,
  answer: Extract<AnswerOfUser, { outcome: "answered" }>,
): Answer {
  const waitedMs = Date.parse(answer.answeredAt) - Date.parse(answer.askedAt);
  const lines = [
    `The user answered: ${answer.text}`,
    ...permissionText(question.authorizeOperation, answer.decision),
    "Use this answer and continue the task; do not end the conversation here.",
  ];
  return {
    text: lines.join("\n"),
    data: {
      toolCallId: question.callId,
      waitTimeSeconds: Math.max(0, waitedMs) / 1000,
      userResponse: answer.text,
      ...(answer.decision === undefined ? {} : { decision: answer.decision }),
      ...(answer.userId === undefined ? {} : { userId: answer.userId }),
    },
  };
}

function permissionText(
  operation: string | undefined,
  decision: "approve" | "deny" | undefined,
): string[] {
  if (operation === undefined) return [];
  if (decision === "approve") return [`${operation} was approved: call it now.`];
  const refused = decision === "deny" ? "was rejected" : "was neither approved nor rejected";
  return [`${operation} ${refused} and stays forbidden: do not call it or work around it.`];
}
