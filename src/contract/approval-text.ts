import type { Approval, ApprovalEffect, Decision } from "./approval.ts";
import { codeBlock, neutralLine } from "./neutral.ts";

interface Shown {
  readonly approval: Approval;
  readonly requester: string;
  readonly decidedBy?: string;
}

/** An approval card in words. All that decides what will happen stands in it, whole. */
export function approvalText({ approval, requester, decidedBy }: Shown): string {
  const { effect } = approval;
  return [
    `${headline(approval)}: \`${effect.operation}\` (${effect.risk} risk)`,
    `Asked for ${neutralLine(requester)}`,
    ...effect.reasons.map((reason) => `Why: ${reason}`),
    ...effectLines(effect),
    ...(approval.decision ? [] : termsOf(approval)),
    statusLine(approval, decidedBy),
  ].join("\n");
}

/** What became of it, for people: "Approved once by Ada at …". */
export function statusLine({ decision, votes, effect }: Approval, decidedBy?: string): string {
  if (decision) return decisionLine(decision, decidedBy);
  if (effect.notApprovable !== undefined) return `Cannot be approved. ${effect.notApprovable}`;
  const so = votes.length === 0 ? "" : ` (${votes.length} of ${effect.approversNeeded} approved)`;
  return `Waiting for your response${so}`;
}

const DECIDED: Readonly<Record<Decision["choice"], string>> = {
  once: "Approved once",
  timed: "Approved for a time",
  deny: "Denied",
  cancel: "Cancelled",
  expired: "Expired",
};

function decisionLine({ choice, by, at, reason }: Decision, decidedBy?: string): string {
  const who = neutralLine(decidedBy ?? by.join(", "));
  const why = reason ? `: ${neutralLine(reason)}` : "";
  return `${DECIDED[choice]}${who === "" ? "" : ` by ${who}`} at ${at}${why}`;
}

function headline({ decision, effect }: Approval): string {
  if (!decision) return effect.risk === "high" ? "🛑 Approval needed" : "✋ Approval needed";
  return decision.choice === "once" || decision.choice === "timed" ? "✅ Approval" : "🚫 Approval";
}

function effectLines(effect: ApprovalEffect): string[] {
  const { command, workingDirectory, runsAs, paths, diffs, params, notes } = effect;
  const where = workingDirectory === undefined ? "" : ` in \`${workingDirectory}\``;
  return [
    ...(command === undefined ? [] : [`Command${where}, as ${runsAs}:`, codeBlock(command)]),
    ...paths.map(pathLine),
    ...diffs.flatMap(({ path, diff }) => [`Change of \`${path}\`:`, codeBlock(diff, "diff")]),
    ...params.map(({ name, value }) => paramLine(name, value)),
    ...notes.map((note) => `Note: ${note}`),
  ];
}

function pathLine({ path, access, exists, outside, sensitive }: ApprovalEffect["paths"][number]) {
  const remarks = [
    ...(exists ? [] : ["new"]),
    ...(outside ? [outsideWords(path)] : []),
    ...(sensitive ? ["sensitive"] : []),
  ];
  return `Path: ${access} \`${path}\`${remarks.length === 0 ? "" : ` (${remarks.join(", ")})`}`;
}

/** A subagent has a directory of its own, and the rest of the workspace is not its to change. */
export function outsideWords(path: string): string {
  return path.startsWith("/workspace/") ? "outside its directory" : "outside the workspace";
}

function paramLine(name: string, value: string): string {
  return value.includes("\n") || value.includes("`")
    ? `${name}:\n${codeBlock(value)}`
    : `${name}: \`${value}\``;
}

/** What each button would permit, and what it takes. */
function termsOf({ effect, expiresAt }: Approval): string[] {
  return [
    ...effect.buttons.flatMap(({ label, grants }) =>
      grants === undefined ? [] : [`${label}: ${grants}`],
    ),
    ...(effect.phrase === undefined ? [] : [`To approve, type: \`${effect.phrase}\``]),
    ...(effect.approversNeeded > 1 ? [`${effect.approversNeeded} people must approve.`] : []),
    ...(expiresAt === undefined ? [] : [`Ends unanswered at ${expiresAt}`]),
  ];
}
