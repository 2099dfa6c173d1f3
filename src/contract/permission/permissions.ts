import type { Presence } from "../platform/actor.ts";
import type { Approval, ApprovalQuestion, Choice, Decision } from "./approval.ts";
import type { Question } from "./question.ts";

/** A question of a call to people, and its answer if there is one. */
export interface OpenQuestion {
  readonly callId: string;
  readonly prompt: string;
  readonly context?: string | undefined;
  readonly authorizeOperation?: string | undefined;
  /** Who has to answer; null: anybody. */
  readonly requester: string | null;
  /** Everybody else whose words went into the turn. */
  readonly contributors?: readonly string[] | undefined;
  readonly askedAt: string;
  readonly answer?:
    | {
        readonly by: string;
        /** As others know them. */
        readonly name?: string | undefined;
        readonly at: string;
        readonly text: string;
        readonly meaning: "approve" | "reject" | "neither" | "cancelled";
      }
    | undefined;
}

/** What became of an answer to an approval. Every one of them is told to whoever gave it. */
export type Decided =
  | {
      readonly outcome: "decided" | "already";
      readonly approval: Approval;
      readonly decision: Decision;
    }
  | { readonly outcome: "counted"; readonly approval: Approval; readonly missing: number }
  | { readonly outcome: "refused" | "unknown"; readonly reason: string };

export type Answered =
  | { readonly outcome: "answered" | "already"; readonly question: OpenQuestion }
  | { readonly outcome: "refused"; readonly reason: string }
  | { readonly outcome: "unknown" };

/** The approvals of all conversations. One that waits is nothing but a line in the journal. */
export interface ApprovalDesk {
  /**
   * Asks once: the same call that still waits, or on which somebody has decided meanwhile, is not asked about again. With
   * `isAgain` the decision is known and was not enough.
   */
  ask(
    conversation: string,
    question: ApprovalQuestion,
    callId: string,
    options?: { readonly isAgain?: boolean },
  ): Promise<{ readonly approval: Approval; readonly isNew: boolean }>;
  decide(click: {
    readonly conversation: string;
    readonly approval: string;
    readonly choice: Choice;
    readonly presence: Presence;
    readonly name?: string;
    readonly reason?: string;
    readonly phrase?: string;
  }): Promise<Decided>;
  answer(typed: {
    readonly conversation: string;
    readonly presence: Presence;
    readonly name?: string;
    readonly text: string;
    /** Others that are answered in the same thread. */
    readonly among?: readonly string[];
  }): Promise<Decided | { readonly outcome: "neither" }>;
  find(conversation: string, id: string): Promise<Approval | undefined>;
  /** Why this person cannot answer so now; undefined when they can. Changes nothing. */
  refusalTo(
    approval: Approval | undefined,
    answer: { readonly choice: Choice; readonly presence: Presence },
  ): string | undefined;
  waiting(conversation: string): Promise<readonly { readonly approval: Approval }[]>;
  expire(conversation: string, id: string): Promise<Decided>;
  /** Ends every wait of a conversation. Answers what it has ended. */
  cancelAll(conversation: string, by: string, name?: string): Promise<readonly Approval[]>;
}

/** The questions that models ask people. */
export interface QuestionDesk {
  /** Asks once per call: again, it gives the question as it stands. */
  ask(
    question: Question,
    requester: string | undefined,
    contributors?: readonly string[],
  ): Promise<OpenQuestion>;
  answer(given: {
    readonly conversation: string;
    readonly callId: string;
    readonly presence: Presence;
    readonly name?: string;
    readonly text: string;
  }): Promise<Answered>;
  find(conversation: string, callId: string): Promise<OpenQuestion | undefined>;
  waiting(conversation: string): Promise<readonly OpenQuestion[]>;
  cancelAll(conversation: string, by: string): Promise<readonly OpenQuestion[]>;
}
