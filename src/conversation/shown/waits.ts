import type { Approval } from "../../contract/permission/approval.ts";
import type { OpenQuestion } from "../../contract/permission/permissions.ts";
import { NAMELESS } from "../../contract/platform/nameless.ts";
import type { ViewForm } from "../../contract/platform/view.ts";
import type { Decision, WaitingCall } from "../../contract/tools/toolbox.ts";
import type { OpenTurn } from "../../journal/conversation/state.ts";
import type { ConversationLine } from "../../journal/lines.ts";
import { approvalView } from "../../reply/cards.ts";
import type { ConversationParts } from "../parts.ts";
import { keptResult } from "../turn/given-result.ts";
import type { Run } from "../turn/run.ts";
import type { TurnScope } from "../turn/turn-scope.ts";
import { questionCard, slots } from "./cards.ts";
import { cardOf, linesOf } from "./turn-card.ts";

/**
 * Asks people about calls. From here on the journal waits, and nobody else. `known` is what had been decided before, and
 * `resumes` how often the calls' subagents had been answered.
 */
export async function askPeople(
  { parts, run }: TurnScope,
  turn: OpenTurn,
  waiting: readonly WaitingCall[],
  known: ReadonlyMap<string, Decision>,
  resumes: ReadonlyMap<string, number>,
): Promise<void> {
  for (const one of waiting) {
    const isAgain = known.has(one.callId);
    const approval = one.question && (await askApproval(parts, run, turn, { ...one, isAgain }));
    const line = waitLine(turn.id, one, approval, resumes.get(one.callId));
    await run.write(({ open }) => (open?.id === turn.id ? [line] : []));
  }
}

function waitLine(
  turn: string,
  one: WaitingCall,
  approval: Approval | undefined,
  resumes: number | undefined,
): ConversationLine {
  const { callId, result, asked } = one;
  if (!approval && !asked) {
    // Nobody could be asked about it: the model is told instead.
    return { kind: "call.finished", data: { turn, callId, result: keptResult(result) } };
  }
  const title = result.progressEvents.at(-1)?.display?.actionDisplayName ?? one.call.operationKey;
  const id = approval ? { approval: approval.id } : {};
  const known = resumes === undefined ? {} : { resumes };
  return { kind: "call.waiting", data: { turn, callId, title, ...id, ...known } };
}

async function askApproval(
  parts: ConversationParts,
  { conversation }: Run,
  turn: OpenTurn,
  { question, callId, isAgain }: WaitingCall & { readonly isAgain: boolean },
): Promise<Approval | undefined> {
  if (!question) return undefined;
  const { approval } = await parts.approvals.ask(conversation, question, callId, { isAgain });
  showApproval(parts, conversation, approval, turn);
  if (approval.expiresAt !== undefined) {
    await parts.store.inbox.put({
      id: `expiry:${approval.id}`,
      conversation,
      data: { type: "expiry", approval: approval.id },
      dueAt: approval.expiresAt,
    });
  }
  return approval;
}

/** Shows what a turn waits for, also where another process has asked and was cut off before it could show it. */
export async function showWaits(parts: ConversationParts, run: Run, turn: OpenTurn): Promise<void> {
  const { conversation } = run;
  const { approvalOf } = await run.state();
  for (const { callId } of turn.calls.filter(({ waits, result }) => waits && !result)) {
    const approval = await parts.approvals.find(conversation, approvalOf.get(callId) ?? "");
    if (approval) showApproval(parts, conversation, approval, turn);
  }
  for (const question of await parts.questions.waiting(conversation)) {
    showQuestion(parts, conversation, question, turn);
  }
  for (const child of await parts.subagents.live(conversation)) await showChild(parts, child);
  const view = cardOf(linesOf(turn), "waiting");
  parts.reply.show(conversation, slots.activity(turn.id), view);
}

/** What a subagent waits for is a matter of the thread that it works for. */
async function showChild(parts: ConversationParts, child: string): Promise<void> {
  const { open } = await parts.journal.read(child);
  for (const { approval } of await parts.approvals.waiting(child)) {
    showApproval(parts, child, approval, open);
  }
  for (const question of await parts.questions.waiting(child)) {
    showQuestion(parts, child, question, open);
  }
}

/**
 * Shows what was decided about a turn's calls. Whoever decided saw it at once; where the bot went down in that instant, the
 * card would keep its buttons.
 */
export async function showDecided(
  parts: ConversationParts,
  run: Run,
  turn: OpenTurn,
): Promise<void> {
  const { conversation } = run;
  const { ended, calls } = turn;
  const { approvalOf, decisions, answered } = await run.state();
  for (const callId of new Set([...ended, ...calls].map((call) => call.callId))) {
    const id = approvalOf.get(callId) ?? "";
    const approval = decisions.has(id) && (await parts.approvals.find(conversation, id));
    if (approval) showApproval(parts, conversation, approval, turn);
    const question = answered.has(callId) && (await parts.questions.find(conversation, callId));
    if (question) showQuestion(parts, conversation, question);
  }
}

type Showing = Pick<ConversationParts, "reply">;

export function showApproval(
  { reply }: Showing,
  conversation: string,
  approval: Approval,
  turn: OpenTurn | undefined,
): void {
  const decidedBy = approval.decision?.names?.join(" and ");
  const view = approvalView(approval, {
    requester: namesBehind(approval, turn),
    ...(decidedBy === undefined ? {} : { decidedBy }),
  });
  reply.show(conversation, slots.approval(approval.id), view);
}

/** The form that a button of an approval's card opens. */
export function approvalForm(approval: Approval, action: string): ViewForm | undefined {
  const { buttons } = approvalView(approval, { requester: "" });
  return buttons.find((button) => button.action === action)?.form;
}

/** All whose words had gone into the turn when it was asked, as others know them. */
function namesBehind({ call }: Approval, turn: OpenTurn | undefined): string {
  const { requester, contributors = [] } = call;
  if (requester === null) return turn?.name ?? "the bot";
  const nameOf = (key: string) =>
    turn?.messages.find(({ author }) => author === key)?.name ?? NAMELESS;
  return [requester, ...contributors].map(nameOf).join(" and ");
}

export function showQuestion(
  { reply }: Showing,
  conversation: string,
  question: OpenQuestion,
  turn?: OpenTurn,
): void {
  const asked = turn?.messages.find(({ author }) => author === question.requester);
  const card = questionCard(question, asked?.name);
  reply.show(conversation, slots.question(question.callId), card);
}
