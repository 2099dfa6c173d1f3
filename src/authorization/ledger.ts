import type { Audit } from "../contract/audit.ts";
import type { Approval, Grant } from "../contract/permission/approval.ts";
import { type JournalLine, type Json, type Store, StoreError } from "../contract/store.ts";
import {
  type AskedQuestion,
  type PermissionLine,
  permissionLine,
} from "../journal/permission-lines.ts";
import { recorded } from "./recorded.ts";

/** What a conversation's journal says about permissions, up to its last line. */
export interface Permissions {
  readonly approvals: ReadonlyMap<string, Approval>;
  /** Neither used up nor revoked. Their time may have run out. */
  readonly grants: ReadonlyMap<string, Grant>;
  readonly questions: ReadonlyMap<string, AskedQuestion>;
  readonly autoApproveUntil: string | null;
}

/** An answer, and the lines that must stand in the journal before it is given. */
export interface Proposal<Answer> {
  readonly answer: Answer;
  readonly lines?: readonly PermissionLine[];
  readonly claims?: readonly string[];
}

interface Kept {
  seq: number;
  approvals: Map<string, Approval>;
  grants: Map<string, Grant>;
  questions: Map<string, AskedQuestion>;
  autoApproveUntil: string | null;
}

const PAGE_LINES = 1000;
const KEPT_CONVERSATIONS = 500;
const MOST_ATTEMPTS = 1000;

/**
 * The permissions of conversations, as a fold over their journals. Nothing lives here that is not in the journal:
 * what is kept in memory only saves reading the same lines twice.
 */
export class Ledger {
  readonly #store: Store;
  readonly #audit: Pick<Audit, "record"> | undefined;
  readonly #kept = new Map<string, Kept>();

  /** With an audit, nothing that was decided takes effect here before it is on record. */
  constructor(store: Store, audit?: Pick<Audit, "record">) {
    this.#store = store;
    this.#audit = audit;
  }

  read(conversation: string): Promise<Permissions> {
    return this.#catchUp(conversation);
  }

  conversations(): Promise<string[]> {
    return this.#store.conversations();
  }

  /**
   * Decides on what is true now and writes it in the same instant: when anybody has written in between, it is
   * decided again.
   */
  async write<Answer>(
    conversation: string,
    propose: (permissions: Permissions) => Proposal<Answer>,
  ): Promise<Answer> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const kept = await this.#catchUp(conversation);
      const { seq } = kept;
      const proposal = propose(kept);
      if (!proposal.lines) return proposal.answer;
      const lines = proposal.lines.map(({ kind, data }) => ({ kind, data: toJson(data) }));
      const claims = proposal.claims ?? [];
      const appended = await this.#store.append(conversation, seq, lines, { claims });
      if (appended.outcome !== "written") continue;
      await this.#record(conversation, proposal.lines);
      return proposal.answer;
    }
    throw new StoreError(
      "The conversation's journal changes too fast to decide anything. Try again.",
    );
  }

  async #record(conversation: string, lines: readonly PermissionLine[]): Promise<void> {
    const audit = this.#audit;
    if (!audit) return;
    const known = await this.#catchUp(conversation);
    const entries = lines.flatMap((line) => recorded(conversation, line, known));
    await Promise.all(entries.map((entry) => audit.record(entry)));
  }

  async #catchUp(conversation: string): Promise<Kept> {
    const kept = this.#of(conversation);
    for (;;) {
      const lines = await this.#store.read(conversation, { after: kept.seq, limit: PAGE_LINES });
      for (const line of lines) apply(kept, line);
      if (lines.length < PAGE_LINES) return kept;
    }
  }

  #of(conversation: string): Kept {
    const kept = this.#kept.get(conversation) ?? empty();
    this.#kept.delete(conversation);
    this.#kept.set(conversation, kept);
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size > KEPT_CONVERSATIONS) this.#kept.delete(oldest);
    return kept;
  }
}

function empty(): Kept {
  return {
    seq: 0,
    approvals: new Map(),
    grants: new Map(),
    questions: new Map(),
    autoApproveUntil: null,
  };
}

/** Two readers at once are given the same lines; the second to come finds them applied. */
function apply(kept: Kept, line: JournalLine): void {
  if (line.seq <= kept.seq) return;
  const known = permissionLine(line);
  if (known) fold(kept, known);
  kept.seq = line.seq;
}

type Fold = { [Line in PermissionLine as Line["kind"]]: (kept: Kept, data: Line["data"]) => void };

const FOLD: Fold = {
  "approval.asked": ({ approvals }, asked) => {
    approvals.set(asked.id, { ...asked, votes: [], wrongPhrases: {} });
  },
  "approval.voted": (kept, { approval, by, name, choice }) =>
    change(kept, approval, ({ votes }) => ({ votes: [...votes, { by, name, choice }] })),
  "approval.mistyped": (kept, { approval, by }) =>
    change(kept, approval, ({ wrongPhrases }) => ({
      wrongPhrases: { ...wrongPhrases, [by]: (wrongPhrases[by] ?? 0) + 1 },
    })),
  "approval.decided": (kept, { approval, ...decision }) =>
    change(kept, approval, () => ({ decision })),
  "grant.given": ({ grants }, grant) => {
    grants.set(grant.id, grant);
  },
  "grant.used": ({ grants }, { grant }) => {
    grants.delete(grant);
  },
  "grant.revoked": ({ grants }, revoked) => {
    for (const id of revoked.grants) grants.delete(id);
  },
  "autoApprove.set": (kept, { until }) => {
    kept.autoApproveUntil = until;
  },
  "question.asked": ({ questions }, question) => {
    questions.set(question.callId, question);
  },
  "question.answered": ({ questions }, answer) => {
    const question = questions.get(answer.callId);
    if (question) questions.set(answer.callId, { ...question, answer });
  },
};

function fold(kept: Kept, { kind, data }: PermissionLine): void {
  // Each kind comes with its own data; the compiler cannot follow that through the table.
  (FOLD[kind] as (kept: Kept, data: PermissionLine["data"]) => void)(kept, data);
}

function change(kept: Kept, id: string, how: (approval: Approval) => Partial<Approval>): void {
  const approval = kept.approvals.get(id);
  if (approval) kept.approvals.set(id, { ...approval, ...how(approval) });
}

/** Optional fields that are not there must not become values that JSON does not have. */
function toJson(data: unknown): Json {
  return JSON.parse(JSON.stringify(data)) as Json;
}
