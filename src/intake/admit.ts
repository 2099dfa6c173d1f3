import type { Act, Authorize, Presence } from "../contract/actor.ts";
import type { Receipt } from "../contract/adapter.ts";
import type { Incoming } from "../contract/incoming.ts";
import type { ApprovalDesk, QuestionDesk } from "../contract/permissions.ts";
import type { Json, Store } from "../contract/store.ts";

export interface AdmitParts {
  readonly store: Pick<Store, "inbox">;
  readonly authorize: Authorize;
  readonly approvals: Pick<ApprovalDesk, "waiting">;
  readonly questions: Pick<QuestionDesk, "waiting">;
  /** There is something to do. */
  readonly onAdmitted: () => void;
}

/**
 * The door of every platform. What counts is kept before anybody is told that it has arrived; the same event is
 * never kept twice, whoever delivers it again and whenever.
 */
export function createAdmission(parts: AdmitParts): (incoming: Incoming) => Promise<Receipt> {
  return async (incoming) => {
    if (isFromBot(incoming) || !(await concernsUs(parts, incoming))) return { outcome: "ignored" };
    const { actor, place } = presenceOf(incoming);
    const may = parts.authorize(actor, actOf(incoming), place);
    if (!may.allowed && incoming.type !== "archived") return refusal(incoming, may.reason);
    const isNew = await parts.store.inbox.put({
      id: rowId(incoming),
      conversation: incoming.thread,
      data: incoming as Json,
    });
    if (!isNew) return { outcome: "known" };
    parts.onAdmitted();
    return { outcome: "accepted" };
  };
}

/** Event ids are unique within their platform. */
function rowId({ actor, id }: Incoming): string {
  return `${actor.platform}:${id}`;
}

/** Whoever did it, as the platform vouches for them at this moment. */
export function presenceOf({ actor, channel, isChannelMember }: Incoming): Presence {
  const { platform, team } = actor;
  return { actor, place: { platform, team, channel, isChannelMember } };
}

/** Bots that answer each other never stop. */
function isFromBot({ actor, type }: Incoming): boolean {
  return type !== "archived" && (actor.kind === "bot" || actor.kind === "self");
}

/** What people say to each other is none of our business, unless we have asked them something. */
async function concernsUs(
  { approvals, questions }: AdmitParts,
  incoming: Incoming,
): Promise<boolean> {
  if (incoming.type !== "message" || isAddressed(incoming)) return true;
  const { thread } = incoming;
  const [asked, waiting] = await Promise.all([
    questions.waiting(thread),
    approvals.waiting(thread),
  ]);
  return asked.length > 0 || waiting.length > 0;
}

export function isAddressed({
  isMention,
  isDirect,
}: Extract<Incoming, { type: "message" }>): boolean {
  return isMention || isDirect;
}

/** Only what was meant for us is answered. */
function refusal(incoming: Incoming, reason: string): Receipt {
  const isMeant =
    incoming.type === "message"
      ? isAddressed(incoming)
      : incoming.type !== "edit" && incoming.type !== "deletion";
  return isMeant ? { outcome: "ignored", reason } : { outcome: "ignored" };
}

/** What a click permits is looked at when it is decided. */
function actOf({ type }: Incoming): Act {
  switch (type) {
    case "message":
    case "edit":
    case "deletion":
      return { kind: "talk" };
    case "stop":
      return { kind: "stop" };
    // What each word needs is looked at when it is understood, and what a click permits when it is decided.
    case "command":
    case "click":
    case "archived":
      return { kind: "readThread" };
  }
}
