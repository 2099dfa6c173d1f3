import { z } from "zod";
import type { Presence } from "../../../src/contract/platform/actor.ts";
import { openingOf, RIGHTS_UNKNOWN } from "../../../src/contract/platform/form-click.ts";
import type { Incoming, ThreadId } from "../../../src/contract/platform/incoming.ts";
import type { PlatformHooks } from "../../../src/contract/platform/platform.ts";
import type { ViewForm } from "../../../src/contract/platform/view.ts";
import type { Json } from "../../../src/contract/store.ts";
import type { Log } from "../../../src/lib/log.ts";
import { isRefusal, type SlackCalls } from "../connection/calls.ts";
import {
  type ArchiveEvent,
  type BlockActions,
  type MessageEvent,
  readPart,
  type StoppedEvent,
  type ViewSubmission,
} from "../connection/payloads.ts";
import type { Receiving } from "../connection/receiving.ts";
import type { Unread } from "../connection/unread.ts";
import { common, type Heard, hear, type InboundParts } from "../inbound.ts";
import type { SlackThreads } from "../places/threads.ts";
import type { Whereabouts } from "../places/whereabouts.ts";
import type { AgentStatus } from "../posts/status.ts";
import { anchorOfBlock, decodeForm, FIELD, FIELD_BLOCK, formWindow } from "../rendering/buttons.ts";
import { timeOf } from "../rendering/text.ts";
import { decodeThread, encodeThread } from "../thread.ts";

export interface DoorParts extends InboundParts {
  readonly calls: SlackCalls;
  readonly threads: SlackThreads;
  readonly whereabouts: Whereabouts;
  readonly hooks: PlatformHooks;
  readonly receiving: Receiving;
  readonly unread: Unread;
  readonly status: AgentStatus;
  /** Begins the address of every message: `https://team.slack.com/`. */
  readonly teamUrl: () => string;
  readonly log: Log;
}

/** What Slack is answered, beside that it has arrived. */
export type Answer = Readonly<Record<string, unknown>> | undefined;

export async function onMessage(parts: DoorParts, event: MessageEvent): Promise<void> {
  const heard = hear(parts, event);
  if (!heard) return;
  const { id, thread } = heard;
  if (event.thread_ts !== undefined) parts.whereabouts.hasReplies(thread);
  await parts.unread.take({ id, thread, event: event as Json }, () => handOver(parts, heard));
}

async function handOver(parts: DoorParts, { id, thread, user, read }: Heard): Promise<void> {
  const { receiving, whereabouts, threads } = parts;
  let incoming: Incoming | undefined;
  const { outcome } = await receiving.take(thread, id, async () => {
    incoming = await read();
    if (incoming.type === "message") whereabouts.heard(thread, incoming.actor);
    whereabouts.askedInside(thread, user);
    return incoming;
  });
  if (outcome === "ignored" || incoming?.type !== "message") return;
  await noted(parts, threads.used(thread, { person: user, words: incoming.text }));
}

/** A button: where it opens a window that comes first, since Slack lets it be opened for three seconds only. */
export async function onClick(parts: DoorParts, body: BlockActions): Promise<void> {
  const { receiving, whereabouts } = parts;
  const [action] = body.actions;
  const place = placeOfClick(parts, body);
  const value = action?.value ?? action?.selected_option?.value;
  if (!action || !place || value === undefined) return;
  const { thread, channel } = place;
  const form = decodeForm(action.action_id);
  if (form) return openWindow(parts, body, { thread, channel, action: value, form });
  if (body.container.thread_ts !== undefined) whereabouts.askedInside(thread, body.user.id);
  const id = `click:${channel}:${body.container.message_ts}:${body.user.id}:${action.action_ts}`;
  try {
    await receiving.take(thread, id, async () => ({
      ...(await doneBy(parts, channel, thread, body.user.id)),
      id,
      at: timeOf(action.action_ts),
      type: "click",
      action: value,
    }));
  } catch (error) {
    receiving.refuse(thread, body.user.id, RIGHTS_UNKNOWN);
    throw error;
  }
}

interface FormButton {
  readonly thread: ThreadId;
  readonly channel: string;
  readonly action: string;
  readonly form: ViewForm;
}

/** People who may not send the form learn that at once, and see no window. */
async function openWindow(
  parts: DoorParts,
  { user, trigger_id }: BlockActions,
  { thread, channel, action, form }: FormButton,
): Promise<void> {
  const { calls, receiving, hooks, log } = parts;
  const presence = async () => presenceIn(parts, await doneBy(parts, channel, thread, user.id));
  const opening = await openingOf(hooks.openForm, { thread, action, presence }, (error) =>
    log("warn", "Failed to check a Slack user's rights.", { thread, error }),
  );
  if (opening && "refusal" in opening) return receiving.refuse(thread, user.id, opening.refusal);
  const kept = { id: FORM_WINDOW, data: JSON.stringify({ thread, action }) };
  try {
    await calls.call("views.open", { trigger_id, view: formWindow(opening?.form ?? form, kept) });
  } catch (error) {
    if (!isRefusal(error, "expired_trigger_id")) throw error;
    receiving.refuse(thread, user.id, "Slack timed out after three seconds. Click again.");
  }
}

/**
 * In which thread a button stands. The block says it, and the message must say the same: a card counts where it was
 * posted and nowhere else. Only a whisper can stand beside its thread.
 */
function placeOfClick({ self }: DoorParts, { container, message, actions }: BlockActions) {
  const { channel_id, is_ephemeral } = container;
  const anchor = anchorOfBlock(actions[0]?.block_id ?? "");
  const seen = container.thread_ts ?? message?.thread_ts;
  if (!channel_id || !anchor) return undefined;
  const { root, channel = channel_id } = anchor;
  const isBeside = seen === undefined && is_ephemeral;
  if (!isBeside && (seen !== root || channel !== channel_id)) return undefined;
  return { channel, thread: encodeThread({ team: self().team, channel, root }) };
}

export const FORM_WINDOW = "form";
const KeptInWindow = z.object({ thread: z.string(), action: z.string() });

/** What was typed into a window of a button. Whatever is wrong with it is said there, and counts all the same. */
export async function onForm(
  parts: DoorParts,
  { view, user, trigger_id }: ViewSubmission,
): Promise<Answer> {
  const { thread, action } = readPart(KeptInWindow, view.private_metadata);
  const { channel } = decodeThread(thread);
  const typed = view.state.values[FIELD_BLOCK]?.[FIELD]?.value ?? "";
  const doer = await doneBy(parts, channel, thread, user.id);
  const problem = await problemWith(parts, doer, { action, typed });
  const id = `window:${view.id}:${view.hash}:${trigger_id ?? ""}`;
  await parts.receiving.take(thread, id, async () => ({
    ...doer,
    id,
    at: new Date().toISOString(),
    type: "click",
    action,
    typed,
  }));
  if (problem === undefined) return undefined;
  return { response_action: "errors", errors: { [FIELD_BLOCK]: problem } };
}

async function problemWith(
  parts: DoorParts,
  doer: Awaited<ReturnType<typeof doneBy>>,
  given: { readonly action: string; readonly typed: string },
): Promise<string | undefined> {
  const { hooks, log } = parts;
  const { thread } = doer;
  const presence = presenceIn(parts, doer);
  try {
    return await hooks.problemWith?.({ thread, presence, ...given });
  } catch (error) {
    // It is decided when it is handed over; this is for the eyes only.
    log("warn", "Failed to check a dialog before its submission.", { thread, error });
    return undefined;
  }
}

function presenceIn(
  { self }: DoorParts,
  { actor, channel, isChannelMember }: Awaited<ReturnType<typeof doneBy>>,
): Presence {
  return { actor, place: { platform: "slack", team: self().team, channel, isChannelMember } };
}

export async function onStop(parts: DoorParts, event: z.infer<typeof StoppedEvent>): Promise<void> {
  const { channel, thread_ts: root, user, event_ts } = event;
  const thread = encodeThread({ team: parts.self().team, channel, root });
  const id = `stop:${channel}:${root}:${event_ts}`;
  // Slack goes on showing its button until it is told.
  parts.status.end({ team: parts.self().team, channel, root }, { isShown: true });
  await parts.receiving.take(thread, id, async () => ({
    ...(await doneBy(parts, channel, thread, user)),
    id,
    at: timeOf(event_ts),
    type: "stop",
  }));
}

/** With a channel all its threads end. Slack does not always say who did it. */
export async function onArchive(
  parts: DoorParts,
  { channel, user, event_ts }: z.infer<typeof ArchiveEvent>,
): Promise<void> {
  const { people, threads, receiving, self } = parts;
  const doer = await people.doer(user ?? self().user);
  const all = await threads.list(self().team, channel);
  await Promise.all(
    all.map(({ thread }) => {
      const id = `archived:${channel}:${decodeThread(thread).root}:${event_ts}`;
      return receiving.take(thread, id, async () => ({
        ...common(channel, thread, doer),
        id,
        at: timeOf(event_ts),
        type: "archived",
      }));
    }),
  );
}

/** Somebody who does more than speak: who they are, and whether they belong to the channel, is asked anew. */
export async function doneBy(parts: DoorParts, channel: string, thread: ThreadId, user: string) {
  const { people } = parts;
  const [person, isChannelMember] = await Promise.all([
    people.doerNow(user),
    people.isMember(channel, user),
  ]);
  return { ...common(channel, thread, person), isChannelMember };
}

/** Lists are a courtesy: what cannot be noted must not come again as if it had not arrived. */
async function noted({ log }: DoorParts, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    log("warn", "Failed to add a Slack thread to the recent threads.", { error });
  }
}
