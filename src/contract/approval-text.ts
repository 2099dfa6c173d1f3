import { localTime, localTimeAgo } from "../lib/text/times.ts";
import { codeBlock, codeSpan, plainLine } from "../lib/text/write-markdown.ts";
import type { Approval, ApprovalEffect, Decision } from "./permission/approval.ts";
import { approves } from "./permission/approves.ts";
import { NAMELESS } from "./platform/nameless.ts";

const WORKSPACE = "/workspace";

interface Shown {
  readonly approval: Approval;
  readonly requester: string;
  readonly decidedBy?: string;
}

/** An approval card in words: the call to decide on first and whole, then who asked, why it asks, and who may answer. */
export function approvalText({ approval, requester, decidedBy }: Shown): string {
  const { effect, decision } = approval;
  const status = statusLine(approval, decidedBy);
  return [
    `${SYMBOLS[symbolOf(approval)]} ${decision ? status : "Approval needed"}`,
    ...effectLines(effect),
    `Asked by ${plainLine(requester)}.`,
    ...(effect.explanation ? [`The agent's explanation: ${plainLine(effect.explanation)}`] : []),
    plainLine(reasonLine(effect)),
    ...(decision ? [] : [...termsOf(approval), status]),
  ].join("\n");
}

const SYMBOLS = { phrase: "🛑", click: "✋", approved: "✅", refused: "🚫" } as const;

function symbolOf({ decision, effect }: Approval): keyof typeof SYMBOLS {
  if (!decision) return effect.risk;
  return approves(decision.choice) ? "approved" : "refused";
}

/** How it stands, for people: "Approved once by Ada at 09:13 UTC". */
function statusLine({ decision, votes, effect }: Approval, decidedBy?: string): string {
  if (decision) return decisionLine(decision, decidedBy);
  if (effect.notApprovable !== undefined)
    return `This cannot be approved. ${plainLine(effect.notApprovable)}`;
  const so =
    votes.length === 0 ? "" : ` ${votes.length} of ${effect.approversNeeded} have approved.`;
  return `Waiting for ${plainLine(effect.approvers ?? "an approver")}.${so}`;
}

const DECIDED: Readonly<Record<Decision["choice"], string>> = {
  once: "Approved once",
  timed: "Approved for a limited time",
  thread: "Approved for this thread",
  deny: "Denied",
  cancel: "Cancelled",
  expired: "Expired",
};

function decisionLine(decision: Decision, decidedBy?: string): string {
  const { choice, by, names, at, reason, until } = decision;
  const who = plainLine(decidedBy ?? peopleOf({ by, names }).join(" and "));
  const why = reason ? `: ${plainLine(reason)}` : "";
  const what = until === undefined ? DECIDED[choice] : `Approved until ${localTime(until)}`;
  return `${what}${who === "" ? "" : ` by ${who}`} at ${localTime(at)}${why}`;
}

/** Never an id. Several people without a name are not told apart. */
function peopleOf({ by, names }: Pick<Decision, "by" | "names">): string[] {
  return [...new Set(by.map((_, index) => names?.[index] ?? NAMELESS))];
}

/** For people who come too late: "Already approved by Ada a minute ago." */
export function alreadyText({ choice, by, names, at, until }: Decision, now: Date): string {
  const who = peopleOf({ by, names }).map(plainLine).join(" and ");
  const what = until === undefined ? PAST[choice] : `approved until ${localTime(until, now)}`;
  return `Already ${what}${who === "" ? "" : ` by ${who}`} ${localTimeAgo(at, now)}.`;
}

const PAST: Readonly<Record<Decision["choice"], string>> = {
  once: "approved",
  timed: "approved",
  thread: "approved for this thread",
  deny: "denied",
  cancel: "cancelled",
  expired: "expired",
};

/** Level and reasons in one line, as plain text: a caller that writes Markdown escapes it. */
export function reasonLine({ risk, reasons }: Pick<ApprovalEffect, "risk" | "reasons">): string {
  const needs = risk === "phrase" ? "Needs a typed phrase" : "Needs a click";
  const why = reasons.map((reason) => reason.replace(/\.$/, "")).join("; ");
  return why === "" ? `${needs}.` : `${needs}: ${why}.`;
}

function effectLines(effect: ApprovalEffect): string[] {
  const { command, paths, diffs, params, notes } = effect;
  const where = whereLine(effect);
  return [
    ...(isPlainCommand(effect) ? [] : [codeSpan(effect.operation)]),
    ...(command === undefined ? [] : [codeBlock(command)]),
    ...(where === "" ? [] : [where]),
    ...paths.map(pathLine),
    ...diffs.flatMap(({ path, diff }) => [
      `Change of ${codeSpan(relativePath(path))}:`,
      codeBlock(diff, "diff"),
    ]),
    ...params.map(({ name, value }) => paramLine(name, value)),
    ...notes.map((note) => `Note: ${plainLine(note)}`),
  ];
}

/** The command says all that its operation does. */
export function isPlainCommand({ command, operation }: ApprovalEffect): boolean {
  return command !== undefined && operation === "terminal_operations.run_command";
}

/** "Runs as root in /srv/app." The workspace's own user and directory go without saying. */
function whereLine({ runsAs, workingDirectory }: ApprovalEffect): string {
  const parts = [
    ...(runsAs === "root" ? ["as root"] : []),
    ...(workingDirectory === undefined || workingDirectory === WORKSPACE
      ? []
      : [`in ${codeSpan(workingDirectory)}`]),
  ];
  return parts.length === 0 ? "" : `Runs ${parts.join(" ")}.`;
}

function pathLine({ path, access, exists, outside, sensitive }: ApprovalEffect["paths"][number]) {
  const remarks = [
    ...(exists ? [] : ["new"]),
    ...(outside ? [outsideWords(path)] : []),
    ...(sensitive ? ["programs run or obey this file"] : []),
  ];
  const verb = VERBS[access] ?? plainLine(access);
  return `${verb} ${codeSpan(relativePath(path))}${remarks.length === 0 ? "" : ` (${remarks.join(", ")})`}`;
}

/** People know files by where they are in the workspace. */
export function relativePath(path: string): string {
  return path.startsWith(`${WORKSPACE}/`) ? path.slice(WORKSPACE.length + 1) : path;
}

const VERBS: Readonly<Record<string, string>> = {
  read: "Reads",
  write: "Writes",
  delete: "Deletes",
};

/** A subagent has a directory of its own, and the rest of the workspace is not its to change. */
export function outsideWords(path: string): string {
  return path.startsWith(`${WORKSPACE}/`) ? "outside its directory" : "outside the workspace";
}

function paramLine(name: string, value: string): string {
  const label = plainLine(name);
  return value.includes("\n") ? `${label}:\n${codeBlock(value)}` : `${label}: ${codeSpan(value)}`;
}

/** What each button would permit beyond this call, and what it takes. */
function termsOf({ effect, expiresAt }: Approval): string[] {
  return [
    ...effect.buttons.flatMap(({ label, grants }) =>
      grants === undefined ? [] : [`${plainLine(label)}: ${plainLine(grants)}`],
    ),
    ...(effect.phrase === undefined ? [] : [`Phrase to type: ${codeSpan(effect.phrase)}`]),
    ...(effect.approversNeeded > 1 ? [`${effect.approversNeeded} people must approve.`] : []),
    ...(expiresAt === undefined ? [] : [`Expires at ${localTime(expiresAt)}.`]),
  ];
}
