import type { ApprovalQuestion, CardLimits } from "../contract/permission/approval.ts";
import {
  type Allowed,
  type Guard,
  NoWorkspaceError,
  type PlannedCall,
  type Preview,
  type Verdict,
} from "../contract/permission/gate.ts";
import type { AskedLevel } from "../contract/permission/level.ts";
import type { Authorize, People } from "../contract/platform/actor.ts";
import type { ToolContext } from "../contract/tools/tool-call.ts";
import { findEligible } from "./approvals/eligible.ts";
import { peopleNeeded } from "./approvals/people-needed.ts";
import { type Assessment, type AssessParts, assess, raisedToPhrase } from "./assess.ts";
import { type ApprovalBinding, bindApproved } from "./binding/approved-command.ts";
import { bind, boundScope, digestOf, runnableParams } from "./binding/bind.ts";
import { shellPlace, WORKSPACE_DIR } from "./binding/command-text.ts";
import { editedFiles, textsOf } from "./binding/file-texts.ts";
import { effectOf } from "./effect.ts";
import type { AutoApprove } from "./grants/auto-approve.ts";
import type { Grants } from "./grants/grants.ts";

export interface GuardParts extends AssessParts {
  readonly authorize: Authorize;
  readonly people: People;
  readonly grants: Grants;
  readonly autoApprove: AutoApprove;
  readonly grantSeconds: number;
  /** What a card of this conversation's platform can hold. */
  readonly cardLimits: (conversation: string) => CardLimits;
  readonly mask: (text: string) => string;
  readonly warn: (message: string) => void;
}

type Risky = Assessment & ApprovalBinding & { readonly risk: AskedLevel };

/** A call, and what was found out about it: the answer, where it depends on nobody, or what has to be permitted. */
interface Seen extends Preview {
  readonly call: PlannedCall;
  readonly context: ToolContext;
  readonly found: Verdict | Risky;
}

/** The one place where it is decided whether a call may run. What goes wrong in here is thrown, and then nothing runs. */
export function createGuard(parts: GuardParts): Guard {
  return {
    preview: (call, context) => see(parts, call, context),
    async decide({ call, context, found }: Seen) {
      const verdict = "outcome" in found ? found : await judge(parts, call, context, found);
      if (verdict.outcome === "allowed") remember(parts, call, context);
      return verdict;
    },
  };
}

/** What is allowed is typed at once; a command empties the line before it runs. */
function remember({ keyboards }: GuardParts, call: PlannedCall, context: ToolContext): void {
  const { conversation } = context;
  if (call.operationKey === "terminal_operations.send_input") {
    const session = String(call.params.session_id);
    const place = shellPlace(WORKSPACE_DIR);
    keyboards.typed({ conversation, session }, String(call.params.input), place);
  }
  if (call.operationKey === "terminal_operations.run_command") keyboards.cleared(conversation);
}

async function see(parts: GuardParts, call: PlannedCall, context: ToolContext): Promise<Seen> {
  const found = await lookAt(parts, call, context);
  const seen = { call, context, found };
  if (!("outcome" in found)) {
    const paths = found.paths.map(({ resolved }) => resolved);
    const question = () => questionOf(parts, call, context, found);
    return { ...seen, level: found.risk, reason: found.reasons.join(" "), paths, question };
  }
  const { reason } = found;
  if (found.outcome === "allowed") {
    return {
      ...seen,
      level: "free",
      reason,
      paths: found.paths ?? [],
      question: async () => undefined,
    };
  }
  const level = found.outcome === "ask" ? "click" : "denied";
  return { ...seen, level, reason, paths: [], question: async () => found };
}

async function lookAt(
  parts: GuardParts,
  call: PlannedCall,
  context: ToolContext,
): Promise<Verdict | Risky> {
  const assessment = await assessed(parts, call, context);
  if (!assessment) return noWorkspace(call);
  if (assessment.denied !== undefined) return { outcome: "denied", reason: assessment.denied };
  const { risk } = assessment;
  if (risk === "free") return unasked(call, assessment);
  if (context.conversation === "") {
    return { outcome: "denied", reason: "There is no conversation to ask in." };
  }
  const approved = await bindApproved(call, assessment);
  if ("denied" in approved) return { outcome: "denied", reason: approved.denied };
  const raised = approved.binding?.raised;
  const bound =
    raised === undefined ? { ...assessment, risk } : raisedToPhrase(parts, assessment, raised);
  if (bound.denied !== undefined) return { outcome: "denied", reason: bound.denied };
  const timedScope = await boundScope(bound.timedScope, approved, bound.workspace);
  return { ...bound, ...approved, timedScope };
}

async function judge(
  parts: GuardParts,
  call: PlannedCall,
  context: ToolContext,
  risky: Risky,
): Promise<Verdict> {
  return (
    (await byAuthor(parts, call, context, risky)) ??
    (await byAutoApprove(parts, call, context, risky)) ??
    (await byGrant(parts, call, context, risky))
  );
}

/** Undefined where the bot has no workspaces at all. */
async function assessed(
  parts: GuardParts,
  call: PlannedCall,
  context: ToolContext,
): Promise<Assessment | undefined> {
  try {
    return await assess(parts, call, context);
  } catch (error) {
    // Every other failure is the caller's to report: it never counts as a yes.
    if (error instanceof NoWorkspaceError) return undefined;
    throw error;
  }
}

function noWorkspace({ operationKey }: PlannedCall): Verdict {
  const reason = `${operationKey} needs a workspace, and none is configured.`;
  return { outcome: "ask", reason };
}

function unasked(call: PlannedCall, assessment: Assessment): Verdict {
  return assessment.byPolicy
    ? allowed(call, assessment, { ground: "policy", reason: "The policy permits it." })
    : allowed(call, assessment, { ground: "no-risk", reason: "It affects only the workspace." });
}

/** What people do themselves they approve themselves, if they may. A phrase and a second person are still needed. */
async function byAuthor(
  { policy, authorize, people }: GuardParts,
  call: PlannedCall,
  { isUserInitiated, userId, conversation }: ToolContext,
  assessment: Risky,
): Promise<Verdict | undefined> {
  const { risk, isUnparsed } = assessment;
  if (!isUserInitiated || userId === undefined || isUnparsed) return undefined;
  if (risk === "phrase" || policy.twoPersons.includes(risk)) return undefined;
  const author = await people.find(userId, conversation);
  if (!author) return undefined;
  const act = {
    kind: "approve" as const,
    risk,
    operation: call.operationKey,
    requester: userId,
  };
  if (!authorize(author.actor, act, author.place).allowed) return undefined;
  const reason = "The person who requested it directly may approve it.";
  return allowed(call, assessment, { ground: "user-initiated", approvers: [userId], reason });
}

async function byAutoApprove(
  { autoApprove }: GuardParts,
  call: PlannedCall,
  { conversation }: ToolContext,
  assessment: Risky,
): Promise<Verdict | undefined> {
  if (assessment.risk === "phrase" || assessment.isUnparsed) return undefined;
  if (!(await autoApprove.isOn(conversation))) return undefined;
  return allowed(call, assessment, { ground: "auto-approve", reason: "Auto-approve is on." });
}

/** A grant that covers the call is used; without one, somebody has to be asked. */
async function byGrant(
  parts: GuardParts,
  call: PlannedCall,
  context: ToolContext,
  assessment: Risky,
): Promise<Verdict> {
  const { timedScope, unprivileged, risk } = assessment;
  const { bound, digest, texts } = await boundCall(parts, call, context, assessment);
  const approvers = peopleNeeded(parts.policy, risk, behind(context));
  const need = { operation: call.operationKey, digest, timedScope, unprivileged, approvers };
  const grant = await parts.grants.use(context.conversation, need, context.callId);
  if (!grant) return await questionOf(parts, call, context, assessment, { bound, digest, texts });
  return allowed(call, assessment, {
    ground: "grant",
    grant: grant.id,
    approvers: grant.approvers,
    reason: `Approved by ${grant.approvers.join(" and ")}.`,
  });
}

/** Exactly what an approval would bind, and the texts of the files that it would change. */
async function boundCall(
  { policy }: GuardParts,
  call: PlannedCall,
  context: ToolContext,
  assessment: Risky,
) {
  const { workspace, paths } = assessment;
  const texts = workspace ? await editedFiles(workspace, call, paths) : [];
  const bound = bind(call, context, { assessment, texts, policy });
  return { bound, digest: digestOf(bound), texts };
}

const behind = ({ userId, contributors }: ToolContext) => ({ requester: userId, contributors });

/** What to ask, with the effect and those who may approve; or a denial, where nobody could. */
async function questionOf(
  parts: GuardParts,
  call: PlannedCall,
  context: ToolContext,
  assessment: Risky,
  known?: Awaited<ReturnType<typeof boundCall>>,
): Promise<Exclude<Verdict, Allowed>> {
  const { workspace, paths, timedScope, reasons, risk, isUnparsed } = assessment;
  const act = {
    kind: "approve" as const,
    risk,
    operation: call.operationKey,
    isUnparsed,
    ...behind(context),
  };
  const eligible = await findEligible(parts, act, context.conversation);
  if (!eligible.canBeApproved) return { outcome: "denied", reason: eligible.reason };
  const { bound, digest, texts } = known ?? (await boundCall(parts, call, context, assessment));
  const deleted =
    workspace && call.operation === "delete_file"
      ? await textsOf(
          workspace,
          paths.filter(({ exists }) => exists).map((path) => path.resolved),
        )
      : texts;
  const effect = effectOf(call, assessment, deleted, {
    policy: parts.policy,
    grantSeconds: parts.grantSeconds,
    limits: parts.cardLimits(context.conversation),
    mask: parts.mask,
    approvers: eligible.approvers,
  });
  const reason = reasons.join(" ");
  const question: ApprovalQuestion = {
    call: bound,
    digest,
    risk,
    reason,
    ...(timedScope ? { timedScope } : {}),
    ...(isUnparsed ? { isUnparsed: true } : {}),
    effect,
  };
  return { outcome: "ask", reason, question };
}

function allowed(
  call: PlannedCall,
  assessment: Assessment & Partial<ApprovalBinding>,
  why: Omit<Allowed, "outcome" | "as" | "run" | "params" | "paths" | "shell">,
): Allowed {
  const { identity, paths, binding, shell } = assessment;
  return {
    ...why,
    outcome: "allowed",
    ...(identity === "root"
      ? { as: "root" as const, params: runnableParams(call, assessment) }
      : {}),
    ...(binding ? { as: identity, run: binding.run } : {}),
    paths: paths.map(({ resolved }) => resolved),
    ...(shell === "bash" ? {} : { shell }),
  };
}
