import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import type { ApprovalEffect, Button, CardLimits } from "../contract/permission/approval.ts";
import type { PlannedCall } from "../contract/permission/gate.ts";
import type { AskedLevel } from "../contract/permission/level.ts";
import { peopleNeeded } from "./approvals/people-needed.ts";
import { phraseOf } from "./approvals/phrase.ts";
import type { Assessment } from "./assess.ts";
import type { ApprovalBinding } from "./binding/approved-command.ts";
import { runnableParams } from "./binding/bind.ts";
import { changesOf } from "./binding/diffs.ts";
import type { FileText } from "./binding/file-texts.ts";
import { sayDuration } from "./grants/durations.ts";
import type { Policy } from "./policy/policy.ts";
import { printable, printableLine } from "./printable.ts";

export interface EffectParts {
  readonly policy: Policy;
  readonly grantSeconds: number;
  readonly limits: CardLimits;
  /** Takes the secrets out of a text that is to be cut: of half a secret nobody sees that it is one. */
  readonly mask: (text: string) => string;
  /** Who may approve it, in words. */
  readonly approvers: string;
}

/** The model's own words about a call. They decide nothing, and the card labels them as such. */
const EXPLANATION = "explanation";
const MOST_EXPLANATION_CHARS = 300;

/**
 * What an approval card says about a call. Whatever decides what happens stands there whole, or the call cannot be
 * approved.
 */
export function effectOf(
  call: PlannedCall,
  assessment: Assessment & Partial<ApprovalBinding> & { readonly risk: AskedLevel },
  texts: readonly FileText[],
  { policy, grantSeconds, limits, mask, approvers }: EffectParts,
): ApprovalEffect {
  const { risk, reasons, identity, paths, command, binding } = assessment;
  const changes = changesOf(call, paths, texts);
  const facts: ApprovalEffect = {
    operation: printableLine(call.operationKey),
    risk,
    reasons: reasons.map((reason) => printableLine(withoutCommand(reason, command?.text))),
    runsAs: identity,
    ...(command ? { command: printable(command.text) } : {}),
    ...(command
      ? { workingDirectory: printableLine(binding?.run.directory ?? command.directory) }
      : {}),
    paths: paths.map(({ resolved, access, exists, inside, sensitive }) => ({
      path: printableLine(resolved),
      access,
      exists,
      outside: !inside,
      sensitive,
    })),
    diffs: [],
    params: [],
    notes: [
      ...hostNotes(assessment.opens, grantSeconds),
      ...notesOf(call, assessment),
      ...(binding?.notes ?? []).map(printableLine),
    ],
    ...(risk === "phrase" ? { phrase: phraseOf(call, assessment, mask) } : {}),
    approvers,
    ...explanationOf(call, mask),
    approversNeeded: peopleNeeded(policy, risk, {}).count,
    buttons: buttonsOf(call, assessment, grantSeconds),
  };
  const params = (said: readonly string[]) => shownParams(call, assessment, said);
  const asDiff = { ...facts, diffs: [...changes.diffs], params: params(changes.said) };
  const asParams = { ...facts, params: params([]) };
  return fitting([asDiff, asParams], limits) ?? notApprovable(asParams, call, { limits, mask });
}

/** The card shows the command already. */
function withoutCommand(reason: string, command: string | undefined): string {
  return command === undefined ? reason : reason.replaceAll(`: ${command}`, "");
}

/** The first that a card can hold. */
function fitting(
  effects: readonly ApprovalEffect[],
  limits: CardLimits,
): ApprovalEffect | undefined {
  return effects.find((effect) => sizeOf(effect) <= limits.chars);
}

/** Everything in it that people read. */
function sizeOf({ buttons: _, ...effect }: ApprovalEffect): number {
  const texts = (value: unknown): number => {
    if (typeof value === "string") return value.length + 1;
    if (typeof value !== "object" || value === null) return 0;
    return Object.values(value).reduce<number>((sum, one) => sum + texts(one), 0);
  };
  return texts(effect);
}

/** Its beginning, to show what it is about, and no way to approve it. */
function notApprovable(
  effect: ApprovalEffect,
  call: PlannedCall,
  { limits: { chars }, mask }: Pick<EffectParts, "limits" | "mask">,
): ApprovalEffect {
  const size = sizeOf(effect);
  const most = Math.max(40, Math.floor(chars / 8));
  const cut = (text: string) =>
    text.length <= most ? text : `${mask(text).slice(0, most)} ... (${text.length - most} more)`;
  const { command } = effect;
  return {
    ...effect,
    reasons: effect.reasons.slice(0, 1).map(cut),
    ...(command === undefined ? {} : { command: cut(command) }),
    paths: effect.paths.slice(0, 2).map((path) => ({ ...path, path: cut(path.path) })),
    diffs: [],
    params: effect.params.slice(0, 1).map(({ name, value }) => ({ name, value: cut(value) })),
    notes: [],
    buttons: effect.buttons.filter(({ choice }) => choice === "deny"),
    notApprovable:
      `It needs ${size} characters, but a card has room for ${chars}, and a call that is not shown in full cannot be approved. ` +
      `${insteadOf(call)}`,
  };
}

function insteadOf({ operation }: PlannedCall): string {
  if (operation === "run_command" || operation === "send_input")
    return "Split the command into shorter ones and ask for each.";
  if (operation === "create_file")
    return "Create the file with its first part, then add the rest with insert_edit, and ask for each.";
  return "Split it into smaller calls and ask for each.";
}

function shownParams(
  call: PlannedCall,
  assessment: Assessment,
  said: readonly string[],
): ApprovalEffect["params"] {
  const shown = new Set([
    ...said,
    ...assessment.paths.map(({ parameter }) => parameter).filter((name) => name !== "patchContent"),
    ...(assessment.command ? ["command"] : []),
  ]);
  return Object.entries(runnableParams(call, assessment))
    .filter(([name, value]) => value !== undefined && !shown.has(name))
    .filter(([name]) => name !== EXPLANATION || call.definition.foreign)
    .filter(([name, value]) => !isDefault(call, name, value))
    .map(([name, value]) => ({
      name: printableLine(name),
      value: printable(typeof value === "string" ? value : JSON.stringify(value)),
    }));
}

/** What the call would do without this parameter, too, is not worth reading. */
function isDefault({ definition }: PlannedCall, name: string, value: unknown): boolean {
  const field: z.ZodType | undefined = definition.params.shape[name];
  const without = field?.safeParse(undefined);
  return without?.success === true && isDeepStrictEqual(without.data, value);
}

/** A foreign parameter of that name is an argument like any other. */
function explanationOf(
  { params, definition }: PlannedCall,
  mask: EffectParts["mask"],
): Pick<ApprovalEffect, "explanation"> {
  if (definition.foreign) return {};
  const said = params[EXPLANATION];
  if (typeof said !== "string" || said.trim() === "") return {};
  const whole = mask(said.trim());
  const isLong = whole.length > MOST_EXPLANATION_CHARS;
  const shown = isLong ? `${whole.slice(0, MOST_EXPLANATION_CHARS)} ...` : whole;
  return { explanation: printableLine(shown) };
}

/** What every card says that opens a host. */
export const EVERY_PROCESS =
  "An open host is open to every process in this workspace, also to those that run already.";

function hostNotes(opens: readonly string[], grantSeconds: number): string[] {
  if (opens.length === 0) return [];
  const until = `until this call has ended, at most ${sayDuration(grantSeconds)} after the approval`;
  return [`Opens ${opens.map(printableLine).join(", ")} for this thread ${until}.`, EVERY_PROCESS];
}

function notesOf({ operation }: PlannedCall, { identity, command }: Assessment): string[] {
  const notes: string[] = [];
  if (identity !== "root" && command?.class.asksRoot) {
    notes.push("sudo has no effect in a terminal. Use run_command instead.");
  }
  if (operation === "run_task") {
    notes.push("Runs code from the workspace: the task is looked up by name when it starts.");
  }
  return notes;
}

function buttonsOf(
  { operationKey }: PlannedCall,
  { timedScope }: Assessment,
  grantSeconds: number,
): Button[] {
  const lasts = sayDuration(grantSeconds);
  const once = {
    choice: "once" as const,
    label: "Approve once",
    asksReason: false,
  };
  const timed = timedScope && {
    choice: "timed" as const,
    label: `Approve ${lasts}`,
    asksReason: false,
    grants: `${scopeInWords(operationKey, timedScope)} for ${lasts}.`,
  };
  return [
    once,
    ...(timed ? [timed] : []),
    { choice: "deny", label: "Deny", asksReason: false },
    { choice: "deny", label: "Deny with reason", asksReason: true },
  ];
}

function scopeInWords(operation: string, scope: NonNullable<Assessment["timedScope"]>): string {
  switch (scope.kind) {
    case "directories":
      return printableLine(`${operation} directly in ${scope.directories.join(", ")}`);
    case "program":
      return printableLine(`${scope.program} commands`);
    case "command":
      return printableLine(`This exact command in ${scope.directory}`);
    case "unprivileged":
      return printableLine(`${operation} wherever the workspace's user may write`);
    case "hosts":
      return printableLine(`Connections to ${scope.hosts.join(", ")}`);
    case "call":
      return "This call";
  }
}
