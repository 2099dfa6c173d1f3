import { alreadyText } from "../contract/approval-text.ts";
import { isSubagent } from "../contract/conversation/subagent.ts";
import type { Approval } from "../contract/permission/approval.ts";
import { approves } from "../contract/permission/approves.ts";
import type { Answered, Decided, OpenQuestion } from "../contract/permission/permissions.ts";
import { actorKey } from "../contract/platform/actor.ts";
import type { Incoming } from "../contract/platform/incoming.ts";
import { questionKey, type ViewAction } from "../contract/platform/view-actions.ts";
import { showApproval, showQuestion } from "../conversation/shown/waits.ts";
import { questionOptions } from "../lib/text/question-options.ts";
import type { Deed, HandleParts } from "./deed.ts";

type Click = Extract<Incoming, { type: "click" }>;

/** A button of an approval. */
export async function decideByClick(
  deed: Deed<Click>,
  { approval, choice }: Extract<ViewAction, { kind: "approval" }>,
): Promise<void> {
  const { parts, presence, incoming } = deed;
  const typed = incoming.typed;
  const found = await findApproval(parts, deed.conversation, approval);
  const conversation = found?.call.conversation ?? deed.conversation;
  const isApproval = approves(choice);
  const decided = await parts.approvals.decide({
    conversation,
    approval,
    choice,
    presence,
    name: incoming.actorName,
    ...(typed !== undefined && isApproval ? { phrase: typed } : {}),
    ...(typed !== undefined && !isApproval ? { reason: typed } : {}),
  });
  await tell(deed, decided);
  await goOn(deed, conversation);
}

/** An approval of the thread itself, or of a subagent that works for it or has done so. */
export async function findApproval(
  { approvals, subagents }: Pick<HandleParts, "approvals" | "subagents">,
  conversation: string,
  approval: string,
): Promise<Approval | undefined> {
  const own = await approvals.find(conversation, approval);
  if (own) return own;
  const live = await subagents.live(conversation);
  const known = (await subagents.ofThread(conversation)).slice(-KNOWN_CHILDREN);
  for (const child of new Set([...live, ...known])) {
    const found = await approvals.find(child, approval);
    if (found) return found;
  }
  return undefined;
}

/** Beyond so many, whoever clicks on an old card is told that it is not known any more. */
const KNOWN_CHILDREN = 200;

/** Whoever waits for an answered subagent goes on. */
async function goOn({ parts, conversation }: Deed, answered: string): Promise<void> {
  if (answered !== conversation) await parts.subagents.resume(answered);
}

/** A button of a question. */
export async function answerByClick(
  deed: Deed<Click>,
  { key, answer }: Extract<ViewAction, { kind: "answer" }>,
): Promise<void> {
  const { parts, presence, incoming } = deed;
  const found = (await openQuestions(deed)).find(
    ({ question: { callId } }) => questionKey(callId) === key,
  );
  if (!found) {
    if (deed.row.tries === 1)
      await deed.whisper("This question was already answered, or its turn has ended.");
    return;
  }
  const { conversation, question } = found;
  const text = wordsOf(question, answer, incoming.typed);
  if (text === undefined) return deed.whisper("Your answer was empty. Try again.");
  const { callId } = question;
  const given = { conversation, callId, presence, name: incoming.actorName, text };
  await tellAnswer(deed, conversation, await parts.questions.answer(given));
}

/** The thread's own, and then those of the subagents that work for it. */
async function openQuestions({ parts, conversation }: Deed) {
  const { questions, subagents } = parts;
  const asking = [conversation, ...(await subagents.live(conversation))];
  const found = await Promise.all(
    asking.map(async (one) =>
      (await questions.waiting(one)).map((question) => ({ conversation: one, question })),
    ),
  );
  return found.flat();
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
  const mine = (await openQuestions(deed)).find(
    ({ question: { requester } }) => requester === null || requester === me,
  );
  if (mine) {
    const { conversation: asker, question } = mine;
    const answer = { conversation: asker, callId: question.callId, presence, name, text };
    await tellAnswer(deed, asker, await parts.questions.answer(answer));
    return true;
  }
  const among = await parts.subagents.live(conversation);
  const decided = await parts.approvals.answer({ conversation, among, presence, name, text });
  if (decided.outcome === "neither") return false;
  await tell(deed, decided);
  if ("approval" in decided) await goOn(deed, decided.approval.call.conversation);
  return true;
}

/** Whether these words were taken as an answer before the bot went down: then they are nothing else now. */
async function hasAnswered(deed: Deed, me: string): Promise<boolean> {
  const { parts, conversation, row } = deed;
  if (row.tries === 1) return false;
  const { received, answers } = await parts.conversations.state(conversation);
  const heard = received.get(row.id);
  if (heard === undefined) return false;
  if ((answers.get(me)?.seq ?? 0) > heard.seq) return true;
  for (const child of await parts.subagents.live(conversation)) {
    const answer = (await parts.conversations.state(child)).answers.get(me);
    if (answer === undefined || answer.at < heard.at) continue;
    // The bot may have gone down before it could say so to those who wait.
    await goOn(deed, child);
    return true;
  }
  return false;
}

/** Its time may have run out. */
export async function expire(
  parts: HandleParts,
  conversation: string,
  approval: string,
): Promise<void> {
  const outcome = await parts.approvals.expire(conversation, approval);
  if (isSubagent(conversation)) await parts.subagents.resume(conversation);
  if (outcome.outcome !== "already" && outcome.outcome !== "decided") return;
  await showDecided(parts, outcome.approval);
}

/** Everybody who answers is told what became of it: on the card, or for them alone. */
async function tell(deed: Deed, decided: Decided): Promise<void> {
  const { parts, row } = deed;
  switch (decided.outcome) {
    case "decided":
      return showDecided(parts, decided.approval);
    case "counted":
      await showDecided(parts, decided.approval);
      return deed.whisper(`You approved this. Approvals still needed: ${decided.missing}.`);
    case "already": {
      const me = actorKey(deed.presence.actor);
      const isOurs = row.tries > 1 && decided.decision.by.includes(me);
      await showDecided(parts, decided.approval);
      if (!isOurs) await deed.whisper(alreadyText(decided.decision, new Date()));
      return;
    }
    case "refused":
    case "unknown":
      return deed.whisper(decided.reason);
  }
}

async function tellAnswer(deed: Deed, asker: string, answered: Answered): Promise<void> {
  const { parts, row } = deed;
  await goOn(deed, asker);
  switch (answered.outcome) {
    case "answered":
      return showQuestion(parts, asker, answered.question);
    case "already":
      if (row.tries === 1) await deed.whisper("This question was already answered.");
      return;
    case "refused":
      return deed.whisper(answered.reason);
    case "unknown":
      return deed.whisper("This question no longer exists.");
  }
}

async function showDecided(parts: HandleParts, approval: Approval): Promise<void> {
  const { conversation } = approval.call;
  const { open, last } = await parts.conversations.state(conversation);
  const { requester } = approval.call;
  const turn = [open, last?.turn].find((one) => one?.requester === requester);
  showApproval(parts, conversation, approval, turn);
}
