import { createHash } from "node:crypto";
import { type Act, type Authorize, actorKey, type Presence } from "../contract/platform/actor.ts";
import type { Receipt } from "../contract/platform/adapter.ts";
import type { Incoming, ThreadId } from "../contract/platform/incoming.ts";
import type { Documents, Json, Store } from "../contract/store.ts";
import type { Journal } from "../journal/journal.ts";

export interface AdmitParts {
  readonly store: Pick<Store, "inbox" | "documents">;
  readonly journal: Pick<Journal, "has">;
  readonly authorize: Authorize;
  /** There is something to do. */
  readonly onAdmitted: () => void;
}

/**
 * The door of every platform. What counts is kept before anybody is told that it has arrived; the same event is
 * never kept twice, whoever delivers it again and whenever.
 */
export function createAdmission(parts: AdmitParts): (incoming: Incoming) => Promise<Receipt> {
  const refuse = createRefusals(parts.store.documents("refusals"));
  return async (incoming) => {
    if (isFromBot(incoming)) return { outcome: "ignored" };
    const isInvolved = await isPartOf(parts, incoming.thread);
    if (!isInvolved && !isMeant(incoming)) return { outcome: "ignored" };
    const { actor, place } = presenceOf(incoming);
    const may = parts.authorize(actor, actOf(incoming), place);
    if (!may.allowed && incoming.type !== "archived") {
      if (incoming.type === "message" && isInvolved && place.isChannelMember) {
        // What they say counts for nothing, but that somebody else writes here does.
        await keep(parts, incoming);
      }
      return refuse(incoming, may.reason);
    }
    return keep(parts, incoming);
  };
}

async function keep(parts: AdmitParts, incoming: Incoming): Promise<Receipt> {
  const isNew = await parts.store.inbox.put({
    id: rowId(incoming),
    conversation: incoming.thread,
    data: incoming as Json,
  });
  if (!isNew) return { outcome: "known" };
  parts.onAdmitted();
  return { outcome: "accepted" };
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

/** What people say to each other is none of our business where nobody has ever asked us anything. */
function isPartOf({ journal }: AdmitParts, thread: ThreadId): Promise<boolean> {
  return journal.has(thread);
}

/** Whether it was done to us, and not just beside us. */
function isMeant(incoming: Incoming): boolean {
  switch (incoming.type) {
    case "message":
      return isAddressed(incoming);
    case "edit":
    case "deletion":
      return false;
    default:
      return true;
  }
}

export function isAddressed({
  isMention,
  isDirect,
}: Extract<Incoming, { type: "message" }>): boolean {
  return isMention || isDirect;
}

/** For how long nobody is told the same again in a thread. */
const TOLD_MS = 24 * 60 * 60_000;

/** Only what was meant for us is answered; and a message, however often it is delivered or repeated, once. */
function createRefusals(told: Documents): (incoming: Incoming, reason: string) => Promise<Receipt> {
  const telling = new Set<string>();
  return async (incoming, reason) => {
    if (!isMeant(incoming)) return { outcome: "ignored" };
    if (incoming.type !== "message") return { outcome: "ignored", reason };
    const { thread, actor } = incoming;
    const key = createHash("sha256")
      .update(JSON.stringify([thread, actorKey(actor), reason]))
      .digest("hex");
    // Two events of one message come at the same time.
    if (telling.has(key)) return { outcome: "ignored" };
    telling.add(key);
    try {
      if ((await told.get(key)) !== undefined) return { outcome: "ignored" };
      await told.set(key, true, { ttlMs: TOLD_MS });
      return { outcome: "ignored", reason };
    } finally {
      telling.delete(key);
    }
  };
}

function actOf(incoming: Incoming): Act {
  switch (incoming.type) {
    case "message":
      return { kind: isAddressed(incoming) ? "talk" : "readThread" };
    case "edit":
      return { kind: "talk" };
    case "stop":
      return { kind: "stop" };
    // What each word needs is looked at when it is understood, and what a click permits when it is decided.
    case "command":
    case "click":
    // Whoever deletes something asks for nothing.
    case "deletion":
    case "archived":
      return { kind: "readThread" };
  }
}
