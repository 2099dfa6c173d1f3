import type { ApprovalEffect, Button, CardLimits } from "../contract/approval.ts";
import type { PlannedCall } from "../contract/gate.ts";
import type { Assessment } from "./assess.ts";
import { runnableParams } from "./bind.ts";
import { changesOf } from "./diffs.ts";
import { sayDuration } from "./durations.ts";
import type { FileText } from "./file-texts.ts";
import { peopleNeeded } from "./people-needed.ts";
import type { Policy } from "./policy.ts";
import { printable, printableLine } from "./printable.ts";

export interface EffectParts {
  readonly policy: Policy;
  readonly grantSeconds: number;
  readonly limits: CardLimits;
  /** Takes the secrets out of a text that is to be cut: of half a secret nobody sees that it is one. */
  readonly mask: (text: string) => string;
}

/** Said by the model for people to read; it decides nothing, and so it has no place on a card. */
const MODEL_WORDS = new Set(["explanation"]);

/**
 * What an approval card says about a call. Whatever decides what happens stands there whole, or the call cannot be
 * approved.
 */
export function effectOf(
  call: PlannedCall,
  assessment: Assessment & { readonly risk: NonNullable<Assessment["risk"]> },
  texts: readonly FileText[],
  { policy, grantSeconds, limits, mask }: EffectParts,
): ApprovalEffect {
  const { risk, reasons, identity, paths, command } = assessment;
  const changes = changesOf(call, paths, texts);
  const facts: ApprovalEffect = {
    operation: printableLine(call.operationKey),
    risk,
    reasons: reasons.map(printableLine),
    runsAs: identity,
    ...(command ? { command: printable(command.text) } : {}),
    ...(command ? { workingDirectory: printableLine(command.directory) } : {}),
    paths: paths.map(({ resolved, access, exists, inside, sensitive }) => ({
      path: printableLine(resolved),
      access,
      exists,
      outside: !inside,
      sensitive,
    })),
    diffs: [],
    params: [],
    notes: notesOf(call, assessment),
    approversNeeded: peopleNeeded(policy, risk, {}).count,
    buttons: buttonsOf(call, assessment, grantSeconds),
  };
  const params = (said: readonly string[]) => shownParams(call, assessment, said);
  const asDiff = { ...facts, diffs: [...changes.diffs], params: params(changes.said) };
  const asParams = { ...facts, params: params([]) };
  return fitting([asDiff, asParams], limits) ?? notApprovable(asParams, call, { limits, mask });
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
      `This needs ${size} characters and a card holds ${chars}. What cannot be shown in full cannot be approved. ` +
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
    .filter(([name, value]) => value !== undefined && !shown.has(name) && !MODEL_WORDS.has(name))
    .map(([name, value]) => ({
      name: printableLine(name),
      value: printable(typeof value === "string" ? value : JSON.stringify(value)),
    }));
}

function notesOf({ operation }: PlannedCall, { identity, command }: Assessment): string[] {
  const notes: string[] = [];
  if (identity === "root") notes.push("Runs as root of the workspace's container.");
  if (identity !== "root" && command?.class.asksRoot) {
    notes.push("sudo does nothing in a terminal. Use run_command for it.");
  }
  if (operation === "run_task") {
    notes.push("What the task runs is looked up by its name, as the workspace's own user.");
  }
  return notes;
}

function buttonsOf(
  { operationKey }: PlannedCall,
  { timedScope, risk }: Assessment,
  grantSeconds: number,
): Button[] {
  const lasts = sayDuration(grantSeconds);
  const once = {
    choice: "once" as const,
    label: "Approve once",
    asksReason: false,
    grants: risk === "high" ? "This call, once, with the phrase typed." : "This call, once.",
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
    case "unprivileged":
      return printableLine(`${operation} wherever the workspace's user may write`);
    case "call":
      return "This call";
  }
}
