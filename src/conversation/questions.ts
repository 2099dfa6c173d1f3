import type { EventHub } from "../contract/conversation/event.ts";
import type { QuestionDesk } from "../contract/permission/permissions.ts";
import {
  type AnswerOfUser,
  type Questions,
  StillWaitingError,
} from "../contract/permission/question.ts";
import { contributorsOf } from "../journal/conversation/state.ts";
import type { Run } from "./turn/run.ts";

export interface QuestionParts {
  readonly desk: QuestionDesk;
  readonly hub: Pick<EventHub, "post">;
  readonly runs: ReadonlyMap<string, Run>;
}

/** Questions that wait in the journal and not in memory: whoever asks is told to come back. */
export function createQuestions({ desk, hub, runs }: QuestionParts): Questions {
  // What this process has told already. A question is forgotten once its answer was told.
  const told = new Set<string>();
  return {
    async ask(question) {
      const { conversation, callId, prompt, context } = question;
      const open = (await runs.get(conversation)?.state())?.open;
      const others = contributorsOf(open);
      const { answer, askedAt } = await desk.ask(question, open?.requester, others);
      const key = JSON.stringify([conversation, callId]);
      if (!answer) {
        if (!told.has(key)) {
          const more = context === undefined ? {} : { context };
          hub.post(conversation, { type: "userInputRequired", callId, prompt, ...more });
        }
        told.add(key);
        throw new StillWaitingError(question);
      }
      told.delete(key);
      if (answer.meaning === "cancelled") return { outcome: "cancelled" };
      hub.post(conversation, { type: "userResponseReceived", callId, userInput: answer.text });
      return {
        outcome: "answered",
        text: answer.text,
        ...decisionFrom(answer.meaning, question.authorizeOperation),
        userId: answer.by,
        askedAt,
        answeredAt: answer.at,
      };
    },
  };
}

function decisionFrom(
  meaning: "approve" | "reject" | "neither",
  operation: string | undefined,
): Pick<Extract<AnswerOfUser, { outcome: "answered" }>, "decision"> {
  if (operation === undefined || meaning === "neither") return {};
  return { decision: meaning === "approve" ? "approve" : "deny" };
}
