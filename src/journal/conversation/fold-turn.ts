import { createHash } from "node:crypto";
import { SUBAGENT_TOOL } from "../../contract/conversation/subagent.ts";
import { TurnUsage } from "../../contract/conversation/turn-usage.ts";
import { failureOf } from "../../contract/display.ts";
import type { CallItem, TranscriptItem } from "../../contract/model.ts";
import { approves } from "../../contract/permission/approves.ts";
import type { Decision } from "../../contract/tools/toolbox.ts";
import type { AskedMessage } from "../conversation-lines.ts";
import type { LineData } from "../lines.ts";
import { checkOf } from "./checks.ts";
import type { CallDraft, StateDraft, TurnDraft } from "./state.ts";

/** How much of what people said to each other is worth reading. */
const OVERHEARD_MESSAGES = 30;
const OVERHEARD_CHARS = 20_000;

interface Taken {
  readonly taken: AskedMessage[];
  /** As the model sees them. */
  readonly about: TranscriptItem[];
}

/** Moves messages from what was asked into the transcript, behind what was said to others meanwhile. */
export function take(state: StateDraft, events: readonly string[]): Taken {
  const taken = state.asked.filter(({ event }) => events.includes(event));
  state.asked = state.asked.filter(({ event }) => !events.includes(event));
  const overheard = newest(state.overheard.slice(-OVERHEARD_MESSAGES), OVERHEARD_CHARS);
  const about = [...state.news, ...taken.flatMap(itemsOf)];
  state.transcript.push(...overheard.map(({ name, text }) => quoted(name, text)), ...about);
  state.overheard = [];
  state.news = [];
  return { taken, about };
}

function itemsOf({ name, text, pointedAt }: AskedMessage): TranscriptItem[] {
  const said: TranscriptItem = { type: "user", author: name, text };
  if (pointedAt === undefined) return [said];
  return [{ type: "user", text: pointedAt, quoted: true }, said];
}

/** Something to know that nobody has asked us for. */
export function quoted(author: string, text: string): TranscriptItem {
  return { type: "user", author, text, quoted: true };
}

/** The last ones that have so many characters together. */
export function newest<One extends { readonly text: string }>(
  messages: readonly One[],
  chars: number,
): One[] {
  let left = chars;
  const kept = messages.toReversed().filter(({ text }) => {
    left -= text.length;
    return left >= 0;
  });
  return kept.toReversed();
}

/** The turn that a line is about, as long as it is open. */
export function openTurn({ open }: StateDraft, turn: string): TurnDraft | undefined {
  return open?.id === turn ? open : undefined;
}

export function callNamed(
  state: StateDraft,
  { turn, callId }: { readonly turn: string; readonly callId: string },
): CallDraft | undefined {
  return openTurn(state, turn)?.calls.find((call) => call.callId === callId);
}

export const callOf = ({ callId, name, arguments: args }: CallItem): CallDraft => ({
  callId,
  name,
  arguments: args,
});

export function directCall(turn: string, { call }: AskedMessage): CallDraft[] {
  return call ? [{ callId: `${turn}-direct`, name: call.name, arguments: call.arguments }] : [];
}

/** Results reach the model all at once, in the order of their calls. */
export function endCall(
  state: StateDraft,
  open: TurnDraft,
  call: CallDraft,
  title = call.title ?? call.name,
): void {
  const { result } = call;
  if (!result) return;
  const { content } = result.output;
  const check = checkOf(call);
  for (const name of check?.names ?? []) open.checks.set(name, check?.hasPassed ?? false);
  const usage = subagentUsage(call);
  if (usage) open.usage = plus(open.usage, usage);
  open.ended.push({
    callId: call.callId,
    name: call.name,
    title,
    isSuccess: result.success,
    signature: signatureOf([call.name, call.arguments, content]),
    ...(call.name === THINKING && result.success ? { thoughts: content } : {}),
    ...(result.success ? {} : { failure: failureOf(content) }),
  });
  if (open.calls.some((one) => !one.result)) return;
  if (open.mode === "direct") {
    state.transcript.push({ type: "user", author: "the workspace", text: content, quoted: true });
    return;
  }
  state.transcript.push(
    ...open.calls.map(({ callId, result: known }) => ({
      type: "result" as const,
      callId,
      text: known?.output.content ?? "",
    })),
    ...state.news,
  );
  open.about.push(...state.news);
  state.news = [];
}

const THINKING = "think";

/** Short, however long the result: a turn keeps those of all its calls. */
function signatureOf(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}

export function textOf(items: readonly TranscriptItem[]): string {
  return items
    .flatMap((item) => (item.type === "assistant" ? [item.text] : []))
    .join("\n\n")
    .trim();
}

/** What the subagent of a call has used of models, as its report says. */
export function subagentUsage({ started, result }: CallDraft): TurnUsage | undefined {
  if (started?.operationKey !== SUBAGENT_TOOL) return undefined;
  return TurnUsage.safeParse(result?.output.additionalData.usage).data;
}

export function plus(one: TurnUsage | undefined, other: TurnUsage): TurnUsage {
  if (!one) return other;
  const { cost: before, ...sum } = one;
  for (const key of ["inputTokens", "cachedTokens", "outputTokens", "reasoningTokens"] as const) {
    sum[key] += other[key];
  }
  return before === undefined || other.cost === undefined
    ? sum
    : { ...sum, cost: before + other.cost };
}

export function decisionFrom(
  choice: LineData<"approval.decided">["choice"],
  reason: string | undefined,
): Decision {
  if (approves(choice)) return { outcome: "approved" };
  if (choice === "expired") return { outcome: "rejected", reason: "No one answered in time." };
  if (choice === "cancel") return { outcome: "rejected", reason: reason ?? "It was cancelled." };
  return { outcome: "rejected", ...(reason === undefined ? {} : { reason }) };
}
