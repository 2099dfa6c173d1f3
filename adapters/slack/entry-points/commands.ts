import type { Incoming, ThreadId } from "../../../src/contract/platform/incoming.ts";
import type { BlockActions, SlashCommand } from "../connection/payloads.ts";
import { shortEscaped } from "../format.ts";
import type { KnownThread } from "../places/threads.ts";
import { label } from "../rendering/buttons.ts";
import { breakable, timeOf } from "../rendering/text.ts";
import { decodeThread, encodeThread, isDirect, NO_ROOT } from "../thread.ts";
import { type Answer, type DoorParts, doneBy } from "./doors.ts";

/**
 * The slash commands, each with the word that it stands for.
 * @internal for tests
 */
export const SLASH_COMMANDS: Readonly<Record<string, string>> = {
  "/deckhand": "",
  "/todos": "todos",
  "/terminal": "terminal",
};

const WORDS_CHARS = 200;
const WHISPER_CHARS = 3_000;
const MOST_THREADS = 50;
const PICKER_BLOCK = "deckhand-threads";

/**
 * A slash command. Slack has none in threads, and does not say which one is meant: one that is named, the only one there
 * is, or the one that is then chosen.
 */
export async function onCommand(parts: DoorParts, body: SlashCommand): Promise<Answer> {
  const { channel_id: channel, user_id: user, trigger_id } = body;
  const typed = breakable(body.text);
  const link = linkedThread(parts, typed);
  const text = (link ? typed.replace(link.text, "") : typed).trim();
  const words = `${SLASH_COMMANDS[body.command] ?? ""} ${text}`.trim() || "help";
  const command = { user, words, id: `command:${trigger_id}`, at: new Date().toISOString() };
  if (link) return runFrom(parts, channel, link.thread, command);
  if (parts.hooks.needsThread?.(words) === false) return runWithoutThread(parts, channel, command);
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
  "I have no thread with you in this channel yet. Mention me in a message, or add the link of a thread in another channel to the command.";
const TOO_LONG =
  "You have several threads here, and this text is too long to keep while you choose one. Mention me in the thread instead.";

interface Command {
  readonly user: string;
  readonly words: string;
  readonly id: string;
  readonly at: string;
}

/** The answer is an ephemeral message in the channel. */
async function runWithoutThread(
  parts: DoorParts,
  channel: string,
  command: Command,
): Promise<Answer> {
  const { people, self } = parts;
  const isHere = isDirect(channel) || (await people.isMember(channel, self().user));
  if (!isHere) return { response_type: "ephemeral", text: NOT_HERE };
  const thread = encodeThread({ team: self().team, channel, root: NO_ROOT });
  return runFrom(parts, channel, thread, command);
}

export const NOT_HERE =
  "I am not a member of this conversation. Invite me with /invite and my name, then try again.";

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

/** By a choice or at a message: whoever does it looks at the channel of the thread. */
export async function handOver(
  parts: DoorParts,
  thread: ThreadId,
  command: Command,
): Promise<void> {
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
