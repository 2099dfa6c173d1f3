import type { Grant } from "../../contract/permission/approval.ts";
import type { Question } from "../../contract/permission/question.ts";
import {
  type Authorize,
  actorKey,
  type People,
  type Presence,
  presenceNow,
} from "../../contract/platform/actor.ts";
import type { LineData, PermissionLine } from "../../journal/lines.ts";
import type { AskedQuestion } from "../../journal/permissions.ts";
import { newGrant } from "../grants/grants.ts";
import { printable } from "../printable.ts";
import type { Ledger, Proposal } from "./ledger.ts";
import { type AnswerMeaning, meaningOf } from "./words.ts";

export interface QuestionParts {
  readonly ledger: Ledger;
  readonly authorize: Authorize;
  readonly people: People;
  readonly grantSeconds: number;
  /** Whether 👍 and 👎 count as typed answers. */
  readonly emojiAnswers: boolean;
  readonly now: () => Date;
}

export interface QuestionAnswer {
  readonly conversation: string;
  readonly callId: string;
  readonly presence: Presence;
  /** As others know them; it is shown and decides nothing. */
  readonly name?: string;
  /** What was typed. A click counts as "yes" or "no". */
  readonly text: string;
}

export type AnswerOutcome =
  | {
      readonly outcome: "answered";
      readonly question: AskedQuestion;
      readonly meaning: AnswerMeaning;
      readonly grant?: Grant;
    }
  | { readonly outcome: "already"; readonly question: AskedQuestion }
  | { readonly outcome: "refused"; readonly reason: string }
  | { readonly outcome: "unknown" };

/**
 * The questions that the model asks people, as the journal has them: one that waits is nothing but a line. Known by
 * conversation and call id together; the first answer counts.
 */
export class PendingQuestions {
  readonly #parts: QuestionParts;

  constructor(parts: QuestionParts) {
    this.#parts = parts;
  }

  /** Asks once per call: again, it gives the question as it stands, with its answer if there is one. */
  ask(
    { conversation, ...question }: Question,
    requester: string | undefined,
    contributors: readonly string[] = [],
  ): Promise<AskedQuestion> {
    const { ledger, now } = this.#parts;
    return ledger.write<AskedQuestion>(conversation, ({ questions }) => {
      const known = questions.get(question.callId);
      if (known) return { answer: known };
      const asked = {
        ...question,
        requester: requester ?? null,
        ...(contributors.length > 0 ? { contributors: [...contributors] } : {}),
        askedAt: now().toISOString(),
      };
      return { lines: [{ kind: "question.asked", data: asked }], answer: asked };
    });
  }

  /** The grant of a permission that nobody had to be asked for, because auto-approve is on. */
  grantUnasked(conversation: string, operation: string): Promise<void> {
    return this.#parts.ledger.write<void>(conversation, () => {
      const grant = this.#newGrant(operation, { by: "auto-approve", shown: "auto-approve" });
      return { lines: [{ kind: "grant.given", data: grant }], answer: undefined };
    });
  }

  async answer(said: QuestionAnswer): Promise<AnswerOutcome> {
    const given = await this.#asOfNow(said);
    return this.#parts.ledger.write<AnswerOutcome>(given.conversation, ({ questions }) => {
      const question = questions.get(given.callId);
      if (!question) return { answer: { outcome: "unknown" } };
      if (question.answer) return { answer: { outcome: "already", question } };
      const meaning = meaningOf(given.text, { emoji: this.#parts.emojiAnswers });
      const refusal = this.#refusal(given.presence, question, meaning);
      if (refusal) return { answer: { outcome: "refused", reason: refusal } };
      return this.#settle(given, question, meaning);
    });
  }

  /** Where a yes permits something, it counts by who they are now. */
  async #asOfNow(said: QuestionAnswer): Promise<QuestionAnswer> {
    const { conversation, callId, presence } = said;
    const question = await this.find(conversation, callId);
    if (question?.authorizeOperation === undefined) return said;
    return { ...said, presence: await presenceNow(this.#parts.people, presence, conversation) };
  }

  async waiting(conversation: string): Promise<AskedQuestion[]> {
    const { questions } = await this.#parts.ledger.read(conversation);
    return [...questions.values()].filter(({ answer }) => !answer);
  }

  async find(conversation: string, callId: string): Promise<AskedQuestion | undefined> {
    return (await this.#parts.ledger.read(conversation)).questions.get(callId);
  }

  /** Ends every wait of a conversation whose run was stopped. Answers what it has ended. */
  cancelAll(conversation: string, by: string): Promise<AskedQuestion[]> {
    return this.#parts.ledger.write<AskedQuestion[]>(conversation, ({ questions }) => {
      const open = [...questions.values()].filter(({ answer }) => !answer);
      if (open.length === 0) return { answer: [] };
      const at = this.#parts.now().toISOString();
      const lines = open.map(
        ({ callId }): PermissionLine => ({
          kind: "question.answered",
          data: { callId, by, at, text: "", meaning: "cancelled" },
        }),
      );
      return { lines, answer: open };
    });
  }

  /** Anybody who may talk here and is the one who was asked; a yes that permits something needs the right to permit it. */
  #refusal(
    { actor, place }: Presence,
    { authorizeOperation, requester, contributors }: AskedQuestion,
    meaning: AnswerMeaning,
  ): string | undefined {
    const { authorize } = this.#parts;
    const talks = authorize(actor, { kind: "talk" }, place);
    if (!talks.allowed) return talks.reason;
    const isAsked = requester === null || requester === actorKey(actor);
    if (authorizeOperation === undefined || (isAsked && meaning !== "approve")) {
      return isAsked ? undefined : "Only the person who requested the work can answer this.";
    }
    const may = authorize(
      actor,
      {
        kind: "approve",
        risk: "click",
        operation: authorizeOperation,
        requester: requester ?? undefined,
        contributors,
      },
      place,
    );
    return may.allowed ? undefined : may.reason;
  }

  #settle(
    given: QuestionAnswer,
    question: AskedQuestion,
    meaning: AnswerMeaning,
  ): Proposal<AnswerOutcome> {
    const by = actorKey(given.presence.actor);
    const at = this.#parts.now().toISOString();
    const data: LineData<"question.answered"> = {
      callId: given.callId,
      by,
      ...(given.name === undefined ? {} : { name: given.name }),
      at,
      text: given.text,
      meaning,
    };
    const grant = meaning === "approve" ? this.#grantOf(question, by) : undefined;
    const lines: PermissionLine[] = [{ kind: "question.answered", data }];
    if (grant) lines.push({ kind: "grant.given", data: grant });
    return {
      lines,
      answer: {
        outcome: "answered",
        question: { ...question, answer: data },
        meaning,
        ...(grant ? { grant } : {}),
      },
    };
  }

  #grantOf({ authorizeOperation, prompt }: AskedQuestion, by: string): Grant | undefined {
    if (authorizeOperation === undefined) return undefined;
    return this.#newGrant(authorizeOperation, { by, shown: printable(prompt.slice(0, 200)) });
  }

  /** No call was shown, so it covers only what the workspace's own user may do anyway. */
  #newGrant(
    operation: string,
    { by, shown }: { readonly by: string; readonly shown: string },
  ): Grant {
    const seconds = this.#parts.grantSeconds;
    return newGrant(
      {
        operation,
        scope: { kind: "unprivileged" },
        approvers: [by],
        shown,
        seconds,
        oneTime: false,
      },
      this.#parts.now(),
    );
  }
}
