import type { Audit } from "../contract/audit.ts";
import type { CardLimits } from "../contract/permission/approval.ts";
import type { Guard } from "../contract/permission/gate.ts";
import type { Authorize, People } from "../contract/platform/actor.ts";
import type { Shell } from "../contract/workspace/shell.ts";
import type { Journal } from "../journal/journal.ts";
import { Approvals } from "./approvals/approvals.ts";
import { Ledger } from "./approvals/ledger.ts";
import { PendingQuestions } from "./approvals/questions.ts";
import { createAuthorize } from "./authorize.ts";
import { createGuard } from "./decide.ts";
import { AutoApprove } from "./grants/auto-approve.ts";
import { Grants } from "./grants/grants.ts";
import { Keyboards } from "./keyboards.ts";
import { namesGroups, type Policy } from "./policy/policy.ts";
import type { ShellParser } from "./shell/parser.ts";

export interface AuthorizationParts {
  readonly journal: Journal;
  readonly audit: Pick<Audit, "record">;
  readonly policy: Policy;
  readonly people: People;
  readonly parser: ShellParser;
  readonly grantSeconds: number;
  readonly emojiAnswers: boolean;
  readonly shellOf: (conversation: string) => Promise<Shell>;
  readonly outsideReadsAsk: (conversation: string) => Promise<boolean>;
  /** Another conversation whose auto-approve holds in this one, too. */
  readonly autoApproveBehind?: (conversation: string) => Promise<string | undefined>;
  readonly cardLimits: (conversation: string) => CardLimits;
  /** What has to be cut to be shown is without its secrets before. */
  readonly mask: (text: string) => string;
  readonly now: () => Date;
  readonly warn: (message: string) => void;
}

/** Everything that has to do with permission, put together. */
export interface Authorization {
  readonly authorize: Authorize;
  readonly guard: Guard;
  readonly approvals: Approvals;
  readonly questions: PendingQuestions;
  readonly grants: Grants;
  readonly autoApprove: AutoApprove;
  /** Whether a rule names a group of a platform: otherwise the groups of people change nothing. */
  readonly usesGroups: boolean;
}

export function createAuthorization(given: AuthorizationParts): Authorization {
  const ledger = new Ledger(given.journal, given.audit);
  const authorize = createAuthorize(given.policy);
  const grants = new Grants(ledger, given.now);
  const autoApprove = new AutoApprove({ ...given, ledger, authorize });
  const keyboards = new Keyboards(given.parser);
  const parts = { ...given, ledger, authorize, grants, autoApprove, keyboards };
  return {
    authorize,
    guard: createGuard(parts),
    approvals: new Approvals(parts),
    questions: new PendingQuestions(parts),
    grants,
    autoApprove,
    usesGroups: namesGroups(given.policy),
  };
}
