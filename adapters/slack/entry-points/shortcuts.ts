import { z } from "zod";
import type { ThreadId } from "../../../src/contract/platform/incoming.ts";
import { readPart, type Shortcut, type ViewSubmission } from "../connection/payloads.ts";
import { FIELD, FIELD_BLOCK, formWindow, label } from "../rendering/buttons.ts";
import { timeOf } from "../rendering/text.ts";
import { decodeThread, encodeThread } from "../thread.ts";
import { handOver, NOT_HERE } from "./commands.ts";
import { type Answer, type DoorParts, doneBy } from "./doors.ts";
import { overview } from "./home.ts";

/** The shortcuts at a message that stand for words. */
const WORD_SHORTCUTS: Readonly<Record<string, string>> = {
  todos: "todos",
  terminal: "terminal",
  status: "status",
};
/** The shortcut that asks about a message, and the one that shows all threads. */
const ASK = "ask";
const THREADS = "threads";

/** @internal for the check of the manifest */
export const SHORTCUTS = {
  message: [...Object.keys(WORD_SHORTCUTS), ASK],
  global: [THREADS],
} as const;

const FILLING_MS = 30_000;

export async function onShortcut(parts: DoorParts, body: Shortcut): Promise<void> {
  const { callback_id: id, user, trigger_id, action_ts, channel, message } = body;
  const words = WORD_SHORTCUTS[id];
  if (id === THREADS) return showThreads(parts, user.id, trigger_id);
  if (!channel || !message) return;
  const root = message.thread_ts ?? message.ts;
  const thread = encodeThread({ team: parts.self().team, channel: channel.id, root });
  if (id === ASK) return ask(parts, thread, { trigger_id, said: message.text });
  if (words === undefined) return;
  if (!(await isHere(parts, channel.id))) return sayNotHere(parts, trigger_id);
  const command = { user: user.id, words, id: `shortcut:${user.id}:${action_ts}` };
  await handOver(parts, thread, { ...command, at: timeOf(action_ts) });
  // Whoever points at a reply looks at the thread.
  if (message.ts !== root) parts.whereabouts.askedInside(thread, user.id);
}

/** Shortcuts stand at every message, also where we are not. */
function isHere({ people, self }: DoorParts, channel: string): Promise<boolean> {
  return people.isMember(channel, self().user);
}

async function sayNotHere({ calls }: DoorParts, trigger_id: string): Promise<void> {
  const blocks = [{ type: "section", text: label(NOT_HERE, 300) }];
  const view = { type: "modal", title: label("Not here yet"), close: label("Close"), blocks };
  await calls.call("views.open", { trigger_id, view });
}

const Opened = z.object({ view: z.object({ id: z.string() }) });

/** The window comes first: Slack lets it be opened for three seconds only, and the list may take longer. */
async function showThreads(parts: DoorParts, user: string, trigger_id: string): Promise<void> {
  const { calls, log } = parts;
  const looking = { type: "section", text: label("Looking …") };
  const view = { type: "modal", title: label("Your threads"), close: label("Close") };
  const opened = await calls.call("views.open", {
    trigger_id,
    view: { ...view, blocks: [looking] },
  });
  const view_id = Opened.parse(opened).view.id;
  const fill = async () => {
    const blocks = await overview(parts, user);
    const list = { view_id, view: { ...view, blocks } };
    await calls.patiently(() => calls.call("views.update", list), FILLING_MS);
  };
  fill().catch((error: unknown) => {
    log("warn", "Failed to show a person's threads.", { error });
  });
}

export const ASK_WINDOW = "ask";
const POINTED_CHARS = 2_500;
const Pointed = z.object({ thread: z.string(), pointedAt: z.string() });

async function ask(
  { calls, people }: DoorParts,
  thread: ThreadId,
  { trigger_id, said }: { trigger_id: string; said: string },
): Promise<void> {
  const words = await people.wordsOf(said);
  const pointedAt = words.slice(0, POINTED_CHARS).toWellFormed();
  const form = {
    title: "Ask about this",
    field: { label: "What about this message?", isLong: true },
    submit: "Ask",
  };
  const data = JSON.stringify({ thread, pointedAt: pointedAt.slice(0, fitting(pointedAt)) });
  await calls.call("views.open", { trigger_id, view: formWindow(form, { id: ASK_WINDOW, data }) });
}

/** As much of a text as a window keeps, once it is written as JSON. */
function fitting(text: string): number {
  let chars = text.length;
  while (JSON.stringify(text.slice(0, chars)).length > POINTED_CHARS)
    chars = Math.floor(chars * 0.9);
  return chars;
}

/** A question about a message: the same as saying it in its thread. A refusal is said in the window. */
export async function onAsk(
  parts: DoorParts,
  { view, user, trigger_id }: ViewSubmission,
): Promise<Answer> {
  const { thread, pointedAt } = readPart(Pointed, view.private_metadata);
  const { channel } = decodeThread(thread);
  const text = view.state.values[FIELD_BLOCK]?.[FIELD]?.value ?? "";
  const id = `window:${view.id}:${view.hash}:${trigger_id ?? ""}`;
  if (!(await isHere(parts, channel))) return inWindow(NOT_HERE);
  parts.whereabouts.heard(thread, user);
  const receipt = await parts.receiving.takeQuietly(thread, id, async () => ({
    ...(await doneBy(parts, channel, thread, user.id)),
    ...{ id, text, at: new Date().toISOString(), messageId: id, type: "message" },
    ...{ isMention: true, isDirect: false, attachments: [], pointedAt },
  }));
  if (receipt.outcome !== "ignored" || receipt.reason === undefined) return undefined;
  return inWindow(receipt.reason);
}

function inWindow(problem: string): Answer {
  return { response_action: "errors", errors: { [FIELD_BLOCK]: problem } };
}
