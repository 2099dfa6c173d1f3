import { short } from "../contract/display.ts";
import type { ActivityLine, View, ViewButton } from "../contract/platform/view.ts";
import type { ProgressEvent } from "../contract/tools/tool-call.ts";

/** What one turn has done so far, call by call. */
export interface Activity {
  readonly calls: readonly ActivityCall[];
}

interface ActivityCall {
  readonly toolName: string;
  readonly line: ActivityLine;
}

/** @internal for tests */
export const NO_ACTIVITY: Activity = { calls: [] };

/** These have cards of their own: the question, and the todo board. */
const WITH_OWN_CARD: ReadonlySet<string> = new Set(["user_collaboration", "todo_operations"]);

export function hasOwnCard(tool: string): boolean {
  return WITH_OWN_CARD.has(tool.split(".")[0] ?? tool);
}

const OUTPUT_LINES = 5;
const OUTPUT_CHARS = 500;

/** The activity after one more event. */
export function foldActivity(activity: Activity, event: ProgressEvent): Activity {
  if (hasOwnCard(event.toolName)) return activity;
  const known = activity.calls.find(({ line }) => line.callId === event.callId);
  if (known) {
    const changed = { ...known, line: changedLine(known.line, event) };
    return { calls: activity.calls.map((call) => (call === known ? changed : call)) };
  }
  const call = { toolName: event.toolName, line: newLine(event) };
  const at = placeOf(activity.calls, event.parentToolName);
  return { calls: activity.calls.toSpliced(at, 0, call) };
}

export function activityView(
  { calls }: Activity,
  status: Extract<View, { kind: "activity" }>["status"],
  buttons: readonly ViewButton[],
): View {
  return { kind: "activity", lines: calls.map(({ line }) => line), status, buttons };
}

function newLine(event: ProgressEvent): ActivityLine {
  const { callId, toolName, parentToolName, display } = event;
  const title = display?.actionDisplayName ?? toolName;
  const details = event.details ?? display?.details ?? [];
  const line: ActivityLine = {
    callId,
    title,
    details: details.filter((detail) => !isSaid(detail, title)),
    status: "running",
    ...(parentToolName === undefined ? {} : { parent: parentToolName }),
  };
  return changedLine(line, event);
}

/** Nothing stands there twice, and what goes without saying is not said. */
function isSaid(detail: string, title: string): boolean {
  if (detail === "in the foreground") return true;
  const [, value = ""] = /^[A-Z][a-z]+: (.*?)(?:\.\.\.)?$/.exec(detail) ?? [];
  return value !== "" && title.slice(title.indexOf(": ") + 2).startsWith(value);
}

/** Everything but the title, which stays what it was when the call began. */
function changedLine(line: ActivityLine, event: ProgressEvent): ActivityLine {
  const { kind, display, details, message } = event;
  const status = display?.status ?? STATUS_OF[kind] ?? line.status;
  // Why a person is asked stands on the card that asks.
  const isOutput = status !== "userInputRequired" && !(kind === "toolFailed" && details);
  return {
    ...line,
    status,
    ...(kind === "toolFailed" && details ? { details } : {}),
    ...(isOutput && message ? { output: lastLines(message) } : {}),
    ...(kind === "userMessage" ? foldedAway(display?.details?.join("\n") ?? "") : {}),
  };
}

/** Words of which people see the gist, and can unfold the whole. */
export function foldedAway(words: string): Pick<ActivityLine, "details" | "folded"> {
  const whole = words.trim();
  const gist = short(whole, GIST_CHARS);
  return {
    details: gist === undefined ? [] : [gist],
    ...(whole === "" || whole === gist ? {} : { folded: cutToFold(whole) }),
  };
}

const GIST_CHARS = 100;
/** Cards are edited again and again: not with more than somebody reads. */
const FOLDED_CHARS = 4000;

function cutToFold(text: string): string {
  return text.length <= FOLDED_CHARS ? text : `${text.slice(0, FOLDED_CHARS).toWellFormed()}…`;
}

const STATUS_OF: Readonly<Partial<Record<ProgressEvent["kind"], ActivityLine["status"]>>> = {
  toolStarted: "running",
  toolCompleted: "success",
  toolFailed: "error",
};

/** Behind the newest call of the parent's name and all that was done on its behalf; at the end without one. */
function placeOf(calls: readonly ActivityCall[], parent: string | undefined): number {
  if (parent === undefined) return calls.length;
  const last = calls.findLastIndex(
    ({ toolName, line }) => line.parent === parent || toolName === parent,
  );
  return last === -1 ? calls.length : last + 1;
}

function lastLines(text: string): string {
  return text
    .trimEnd()
    .split("\n")
    .slice(-OUTPUT_LINES)
    .join("\n")
    .slice(-OUTPUT_CHARS)
    .toWellFormed();
}
