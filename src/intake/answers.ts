import { actorKey } from "../contract/actor.ts";
import type { Approval } from "../contract/approval.ts";
import { statusLine } from "../contract/approval-text.ts";
import type { Incoming } from "../contract/incoming.ts";
import type { Answered, Decided, OpenQuestion } from "../contract/permissions.ts";
import { questionOptions } from "../contract/question-options.ts";
import { questionKey, type ViewAction } from "../contract/view-actions.ts";
import { showApproval, showQuestion } from "../conversation/waits.ts";
import type { Deed, HandleParts } from "./deed.ts";

type Click = Extract<Incoming, { type: "click" }>;

/** A button of an approval. */
export async function decideByClick(
  deed: Deed<Click>,
  { approval, choice }: Extract<ViewAction, { kind: "approval" }>,
): Promise<void> {
  const { parts, conversation, presence, incoming } = deed;
  const typed = incoming.typed;
  const approves = choice === "once" || choice === "timed";
  const decided = await parts.approvals.decide({
    conversation,
    approval,
    choice,
    presence,
    name: incoming.actorName,
    ...(typed !== undefined && approves ? { phrase: typed } : {}),
    ...(typed !== undefined && !approves ? { reason: typed } : {}),
  });
  await tell(deed, decided);
}

/** A button of a question. */
export async function answerByClick(
  deed: Deed<Click>,
  { key, answer }: Extract<ViewAction, { kind: "answer" }>,
): Promise<void> {
  const { parts, conversation, presence, incoming } = deed;
  const waiting = await parts.questions.waiting(conversation);
  const question = waiting.find(({ callId }) => questionKey(callId) === key);
  if (!question) {
    if (deed.row.tries === 1)
      await deed.whisper("This question was answered, or its turn is over.");
    return;
  }
  const text = wordsOf(question, answer, incoming.typed);
  if (text === undefined) return deed.whisper("There was nothing in your answer. Try again.");
  const { callId } = question;
  const given = { conversation, callId, presence, name: incoming.actorName, text };
  await tellAnswer(deed, await parts.questions.answer(given));
}

function wordsOf(
  { prompt }: OpenQuestion,
  answer: Extract<ViewAction, { kind: "answer" }>["answer"],
  typed: string | undefined,
): string | undefined {
  if (answer.as === "approve") return "yes";
  if (answer.as === "deny") return "no";
  if (answer.as === "option") return questionOptions(prompt)[answer.option - 1];
  return typed?.trim() || undefined;
}

/** Words in the thread, where we have asked something. False: they are no answer. */
export async function answerByWords(
  deed: Deed<Extract<Incoming, { type: "message" | "command" }>>,
): Promise<boolean> {
  const { parts, conversation, presence, incoming } = deed;
  const { text, actorName: name } = incoming;
  const me = actorKey(presence.actor);
  if (await hasAnswered(deed, me)) return true;
  const waiting = await parts.questions.waiting(conversation);
  const mine = waiting.find(({ requester }) => requester === null || requester === me);
  if (mine) {
    const answer = { conversation, callId: mine.callId, presence, name, text };
    await tellAnswer(deed, await parts.questions.answer(answer));
    return true;
  }
  if ((await parts.approvals.waiting(conversation)).length === 0) return false;
  const decided = await parts.approvals.answer({ conversation, presence, name, text });
  if (decided.outcome === "neither") return false;
  await tell(deed, decided);
  return true;
}

/** Whether these words were taken as an answer before the bot went down: then they are nothing else now. */
async function hasAnswered({ parts, conversation, row }: Deed, me: string): Promise<boolean> {
  if (row.tries === 1) return false;
  const { received, answers } = await parts.conversations.state(conversation);
  const heard = received.get(row.id);
  return heard !== undefined && (answers.get(me) ?? 0) > heard.seq;
}

/** Its time may have run out. */
export async function expire(
  parts: HandleParts,
  conversation: string,
  approval: string,
): Promise<void> {
  const outcome = await parts.approvals.expire(conversation, approval);
  if (outcome.outcome !== "already" && outcome.outcome !== "decided") return;
  await showDecided(parts, conversation, outcome.approval);
}

/** Everybody who answers is told what became of it: on the card, or for them alone. */
async function tell(deed: Deed, decided: Decided): Promise<void> {
  const { parts, conversation, row } = deed;
  switch (decided.outcome) {
    case "decided":
      return showDecided(parts, conversation, decided.approval);
    case "counted":
      await showDecided(parts, conversation, decided.approval);
      return deed.whisper(`Counted. ${decided.missing} more must approve.`);
    case "already": {
      const me = actorKey(deed.presence.actor);
      const isOurs = row.tries > 1 && decided.decision.by.includes(me);
      await showDecided(parts, conversation, decided.approval);
      if (!isOurs) await deed.whisper(`Too late. ${statusLine(decided.approval)}`);
      return;
    }
    case "refused":
    case "unknown":
      return deed.whisper(decided.reason);
  }
}

async function tellAnswer(deed: Deed, answered: Answered): Promise<void> {
  const { parts, conversation, row } = deed;
  switch (answered.outcome) {
    case "answered":
      return showQuestion(parts, conversation, answered.question);
    case "already":
      if (row.tries === 1) await deed.whisper("This question was answered already.");
      return;
    case "refused":
      return deed.whisper(answered.reason);
    case "unknown":
      return deed.whisper("This question is not known any more.");
  }
}

async function showDecided(
  parts: HandleParts,
  conversation: string,
  approval: Approval,
): Promise<void> {
  const { open, last } = await parts.conversations.state(conversation);
  const { requester } = approval.call;
  const turn = [open, last?.turn].find((one) => one?.requester === requester);
  showApproval(parts, conversation, approval, turn);
}
