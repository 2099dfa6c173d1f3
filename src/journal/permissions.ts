import type { Approval, Grant } from "../contract/permission/approval.ts";
import type { DeepReadonly } from "../lib/deep-readonly.ts";
import type { LineData } from "./lines.ts";
import { addBy, type Projection } from "./projection.ts";

export type AskedQuestion = LineData<"question.asked"> & {
  readonly answer?: LineData<"question.answered">;
};

interface PermissionsDraft {
  readonly approvals: Map<string, Approval>;
  /** Neither used up nor revoked. Their time may have run out. */
  readonly grants: Map<string, Grant>;
  readonly questions: Map<string, AskedQuestion>;
  /** Hosts that people have denied here, each an entry such as "example.com:443". */
  readonly deniedHosts: Set<string>;
  autoApproveUntil: string | null;
}

/** What a conversation's journal says about permissions, up to its last line. */
export type Permissions = DeepReadonly<PermissionsDraft>;

const add = addBy<PermissionsDraft>(
  {
    "approval.asked": ({ approvals }, asked) => {
      approvals.set(asked.id, { ...asked, votes: [], wrongPhrases: {} });
    },
    "approval.voted": (draft, { approval, by, name, choice }) =>
      change(draft, approval, ({ votes }) => ({ votes: [...votes, { by, name, choice }] })),
    "approval.mistyped": (draft, { approval, by }) =>
      change(draft, approval, ({ wrongPhrases }) => ({
        wrongPhrases: { ...wrongPhrases, [by]: (wrongPhrases[by] ?? 0) + 1 },
      })),
    "approval.decided": (draft, { approval, ...decision }) =>
      change(draft, approval, () => ({ decision })),
    "grant.given": ({ grants }, grant) => {
      grants.set(grant.id, grant);
    },
    "grant.used": ({ grants }, { grant }) => {
      grants.delete(grant);
    },
    "grant.revoked": ({ grants }, revoked) => {
      for (const id of revoked.grants) grants.delete(id);
    },
    "host.closed": ({ grants }, closed) => {
      for (const id of closed.grants) grants.delete(id);
    },
    "host.denied": ({ deniedHosts }, { hosts }) => {
      for (const host of hosts) deniedHosts.add(host);
    },
    "host.undenied": ({ deniedHosts }, { hosts }) => {
      for (const host of hosts) deniedHosts.delete(host);
    },
    "host.rerun": (draft, { approval, ...rerun }) => change(draft, approval, () => ({ rerun })),
    "autoApprove.set": (draft, { until }) => {
      draft.autoApproveUntil = until;
    },
    "question.asked": ({ questions }, question) => {
      questions.set(question.callId, question);
    },
    "question.answered": ({ questions }, answer) => {
      const question = questions.get(answer.callId);
      if (question) questions.set(answer.callId, { ...question, answer });
    },
  },
  { needs: ["approval", "grant", "host", "autoApprove", "question"] },
);

export const permissions: Projection<PermissionsDraft> = {
  initial: () => ({
    approvals: new Map(),
    grants: new Map(),
    questions: new Map(),
    deniedHosts: new Set(),
    autoApproveUntil: null,
  }),
  add,
};

function change(
  { approvals }: PermissionsDraft,
  id: string,
  how: (approval: Approval) => Partial<Approval>,
): void {
  const approval = approvals.get(id);
  if (approval) approvals.set(id, { ...approval, ...how(approval) });
}
