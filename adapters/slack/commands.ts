import { z } from "zod";
import type { Incoming, ThreadId } from "../../src/contract/incoming.ts";
import { FIELD, FIELD_BLOCK, formWindow, label } from "./buttons.ts";
import { type Answer, type DoorParts, doneBy } from "./doors.ts";
import { shortEscaped } from "./format.ts";
import { overview } from "./home.ts";
import type { BlockActions, Shortcut, SlashCommand, ViewSubmission } from "./payloads.ts";
import { timeOf, wordsOf } from "./text.ts";
import { decodeThread, encodeThread } from "./thread.ts";
import type { KnownThread } from "./threads.ts";

/**
 * The slash commands, each with the word that it stands for.
 * @internal for tests
 */
export const SLASH_COMMANDS: Readonly<Record<string, string>> = {
  "/deckhand": "",
  "/todos": "todos",
  "/terminal": "terminal",
};

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

const WORDS_CHARS = 200;
const WHISPER_CHARS = 3_000;
const MOST_THREADS = 50;
const FILLING_MS = 30_000;
const PICKER_BLOCK = "deckhand-threads";

/**
 * A slash command. Slack has none in threads, and does not say which one is meant: one that is named, the only one there
 * is, or the one that is then chosen.
 */
export async function onCommand(parts: DoorParts, body: SlashCommand): Promise<Answer> {
  const { channel_id: channel, user_id: user, trigger_id } = body;
  const link = linkedThread(parts, body.text);
  const text = link ? body.text.replace(link.text, "").trim() : body.text.trim();
  const words = `${SLASH_COMMANDS[body.command] ?? ""} ${text}`.trim() || "help";
  const command = { user, words, id: `command:${trigger_id}`, at: new Date().toISOString() };
  if (link) return runFrom(parts, channel, link.thread, command);
  const all = await parts.threads.list(parts.self().team, channel);
  const theirs = all.filter(({ people }) => people.includes(user)).slice(0, MOST_THREADS);
  const [first, second] = theirs;
  if (!first) return { response_type: "ephemeral", text: NO_THREADS };
  if (!second) return runFrom(parts, channel, first.thread, command);
  if (words.length > WORDS_CHARS) return { response_type: "ephemeral", text: TOO_LONG };
  await offer(parts, { channel, user, words }, theirs);
  return undefined;
}

const NO_THREADS =
  "I have no thread with you in this channel yet. Mention me in a message and say what you want. To ask about a thread of another channel, put its link behind the command.";
const TOO_LONG =
  "You have several threads here, and these words are too long to keep while you choose. Write them in the thread, and mention me there.";

interface Command {
  readonly user: string;
  readonly words: string;
  readonly id: string;
  readonly at: string;
}

/** A refusal is said where it was typed: whoever types it need not be in the channel of the thread. */
async function runFrom(
  parts: DoorParts,
  channel: string,
  thread: ThreadId,
  command: Command,
): Promise<Answer> {
  parts.whereabouts.askedFromOutside(thread, command.user, channel);
  const { id } = command;
  const read = () => commanded(parts, thread, command);
  const receipt = await parts.receiving.takeQuietly(thread, id, read);
  if (receipt.outcome !== "ignored" || receipt.reason === undefined) return undefined;
  return { response_type: "ephemeral", text: shortEscaped(receipt.reason, WHISPER_CHARS) };
}

async function handOver(parts: DoorParts, thread: ThreadId, command: Command): Promise<void> {
  const { user, id } = command;
  parts.whereabouts.askedFromOutside(thread, user, decodeThread(thread).channel);
  await parts.receiving.take(thread, id, () => commanded(parts, thread, command));
}

async function commanded(
  parts: DoorParts,
  thread: ThreadId,
  { user, words: text, id, at }: Command,
): Promise<Incoming> {
  const { channel } = decodeThread(thread);
  return { ...(await doneBy(parts, channel, thread, user)), id, at, text, type: "command" };
}

/** The link of a message, as Slack copies it. */
const LINK =
  /<?https:\/\/[^\s/]+\/archives\/([CDG][A-Z0-9]+)\/p(\d{10})(\d{6})(?:\?([^\s<>|]*))?(?:\|[^<>]*)?>?/;

function linkedThread({ self }: DoorParts, words: string) {
  const [text, channel, seconds, rest, query] = LINK.exec(words) ?? [];
  if (!text || !channel) return undefined;
  const given = new URLSearchParams(query?.replaceAll("&amp;", "&")).get("thread_ts") ?? "";
  const root = /^\d+\.\d{6}$/.test(given) ? given : `${seconds}.${rest}`;
  return { text, thread: encodeThread({ team: self().team, channel, root }) };
}

async function offer(
  { calls }: DoorParts,
  { channel, user, words }: { channel: string; user: string; words: string },
  threads: readonly KnownThread[],
): Promise<void> {
  const options = threads.map(({ thread, title }) => {
    const { root } = decodeThread(thread);
    const day = timeOf(root).slice(0, 16).replace("T", " ");
    return { text: label(`${title || "Thread"} · ${day}`), value: root };
  });
  const text = label(`Which thread? (${words})`, 300);
  const placeholder = label("Choose a thread …");
  const select = { type: "static_select", action_id: `pick:${words}`, placeholder, options };
  await calls.call("chat.postEphemeral", {
    channel,
    user,
    text: "Which thread?",
    blocks: [
      { type: "section", text },
      { type: "actions", block_id: PICKER_BLOCK, elements: [select] },
    ],
  });
}

/** The choice of a thread for a command; false for any other click. */
export async function onChoice(parts: DoorParts, body: BlockActions): Promise<boolean> {
  const [action] = body.actions;
  if (action?.block_id !== PICKER_BLOCK) return false;
  const channel = body.container.channel_id;
  const root = action.selected_option?.value;
  const words = /^pick:([\s\S]+)$/.exec(action.action_id)?.[1];
  if (!channel || !root || !words) return true;
  const { id: user } = body.user;
  const id = `command:${channel}:${user}:${action.action_ts}`;
  const thread = encodeThread({ team: parts.self().team, channel, root });
  await handOver(parts, thread, { user, words, id, at: timeOf(action.action_ts) });
  return true;
}

export async function onShortcut(parts: DoorParts, body: Shortcut): Promise<void> {
  const { callback_id: id, user, trigger_id, action_ts, channel, message } = body;
  const words = WORD_SHORTCUTS[id];
  if (id === THREADS) return showThreads(parts, user.id, trigger_id);
  if (!channel || !message) return;
  const root = message.thread_ts ?? message.ts;
  const thread = encodeThread({ team: parts.self().team, channel: channel.id, root });
  if (id === ASK) return ask(parts, thread, { trigger_id, said: message.text });
  if (words === undefined) return;
  const command = { user: user.id, words, id: `shortcut:${user.id}:${action_ts}` };
  await handOver(parts, thread, { ...command, at: timeOf(action_ts) });
  // Whoever points at a reply looks at the thread.
  if (message.ts !== root) parts.whereabouts.askedInside(thread, user.id);
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
    log("warn", "The list of somebody's threads could not be shown.", { error });
  });
}

export const ASK_WINDOW = "ask";
const POINTED_CHARS = 2_500;
const Pointed = z.object({ thread: z.string(), pointedAt: z.string() });

async function ask(
  { calls, self }: DoorParts,
  thread: ThreadId,
  { trigger_id, said }: { trigger_id: string; said: string },
): Promise<void> {
  const pointedAt = wordsOf(said, self().user).slice(0, POINTED_CHARS).toWellFormed();
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
  const { thread, pointedAt } = Pointed.parse(JSON.parse(view.private_metadata));
  const { channel } = decodeThread(thread);
  const text = view.state.values[FIELD_BLOCK]?.[FIELD]?.value ?? "";
  const id = `window:${view.id}:${view.hash}:${trigger_id ?? ""}`;
  parts.whereabouts.heard(thread, user);
  const receipt = await parts.receiving.takeQuietly(thread, id, async () => ({
    ...(await doneBy(parts, channel, thread, user.id)),
    ...{ id, text, at: new Date().toISOString(), messageId: id, type: "message" },
    ...{ isMention: true, isDirect: false, attachments: [], pointedAt },
  }));
  if (receipt.outcome !== "ignored" || receipt.reason === undefined) return undefined;
  return { response_action: "errors", errors: { [FIELD_BLOCK]: receipt.reason } };
}
