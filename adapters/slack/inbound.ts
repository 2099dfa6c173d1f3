import type { Attachment, Incoming, ThreadId } from "../../src/contract/platform/incoming.ts";
import { isRefusal } from "./connection/calls.ts";
import type { MessageEvent, SlackFileEntry, SlackMessage } from "./connection/payloads.ts";
import type { Self, SlackPeople, SlackPerson } from "./places/people.ts";
import type { SlackFiles } from "./posts/files.ts";
import { mentions, pointedAtIn, timeOf } from "./rendering/text.ts";
import { encodeThread, isDirect } from "./thread.ts";

export interface InboundParts {
  readonly people: SlackPeople;
  readonly files: SlackFiles;
  readonly self: () => Self;
}

/** What people write: a message comes with one of these, or without any. */
const SPOKEN = [undefined, "file_share", "thread_broadcast", "me_message"];

/** Something in a channel, and the thread that it belongs to; undefined for what concerns nobody. */
export interface Heard {
  /** The same for each event that tells of it. */
  readonly id: string;
  readonly thread: ThreadId;
  /** Who did it. */
  readonly user: string;
  /** Looks up what Slack has not said. */
  read(): Promise<Incoming>;
}

/** Understands a message, an edit or a deletion. A mention comes twice, as two events: both are the same to us. */
export function hear(parts: InboundParts, event: MessageEvent): Heard | undefined {
  switch (event.subtype) {
    case "message_changed":
      return heardChange(parts, event);
    case "message_deleted":
      return event.previous_message && heardDeletion(parts, event, event.previous_message);
    default:
      return SPOKEN.includes(event.subtype) ? heardMessage(parts, event) : undefined;
  }
}

function heardMessage(parts: InboundParts, event: MessageEvent): Heard | undefined {
  const { channel, user, ts, text } = event;
  if (user === undefined || isOfProgram(parts, event)) return undefined;
  const self = parts.self().user;
  if (!mayBeOurs(event, self)) return undefined;
  const thread = threadOf(parts, channel, event);
  const id = `message:${channel}:${ts}`;
  return {
    id,
    thread,
    user,
    read: async () => {
      const words = await parts.people.wordsOf(text);
      const pointedAt = (await sharedIn(parts, event)) ?? pointedAtIn(words);
      return {
        ...common(channel, thread, await parts.people.doer(user)),
        id,
        at: timeOf(ts),
        type: "message",
        messageId: ts,
        text: words,
        isMention: mentions(text, self),
        isDirect: isDirect(channel),
        attachments: await attachmentsOf(parts, event.files),
        ...(pointedAt === undefined ? {} : { pointedAt }),
      };
    },
  };
}

/** Of what people say beside all threads only what calls us. Who says the rest would cost a question to Slack each time. */
function mayBeOurs({ type, channel, thread_ts, text }: MessageEvent, self: string): boolean {
  const isCall = type === "app_mention" || mentions(text, self);
  return isCall || thread_ts !== undefined || isDirect(channel);
}

/** Also the end of a message that has replies: it stays as a gravestone. */
function heardChange(parts: InboundParts, event: MessageEvent): Heard | undefined {
  const { message, previous_message: before, channel } = event;
  if (!message) return undefined;
  if (message.subtype === "tombstone") return before && heardDeletion(parts, event, before);
  const user = message.edited?.user ?? message.user;
  // Slack also changes a message when it shows what is behind its links.
  if (!message.edited || user === undefined || message.text === before?.text) return undefined;
  if (isOfProgram(parts, message)) return undefined;
  const { edited, ts, text } = message;
  const thread = threadOf(parts, channel, message);
  const id = `edit:${channel}:${ts}:${edited.ts}`;
  return {
    id,
    thread,
    user,
    read: async () => ({
      ...common(channel, thread, await parts.people.doer(user)),
      id,
      at: timeOf(edited.ts),
      type: "edit",
      messageId: ts,
      text: await parts.people.wordsOf(text),
    }),
  };
}

/** Slack does not say who has deleted it. */
function heardDeletion(
  parts: InboundParts,
  { channel, ts: at }: MessageEvent,
  deleted: SlackMessage,
): Heard | undefined {
  const { user, ts } = deleted;
  if (user === undefined || isOfProgram(parts, deleted)) return undefined;
  const thread = threadOf(parts, channel, deleted);
  const id = `deletion:${channel}:${ts}`;
  return {
    id,
    thread,
    user,
    read: async () => ({
      ...common(channel, thread, await parts.people.doer(user)),
      id,
      at: timeOf(at),
      type: "deletion",
      messageId: ts,
    }),
  };
}

/** What is the same in everything that somebody does. */
export function common(channel: string, thread: ThreadId, { actor, name }: SlackPerson) {
  return { thread, actor, actorName: name, channel, isChannelMember: true };
}

function threadOf({ self }: InboundParts, channel: string, { thread_ts, ts }: SlackMessage) {
  return encodeThread({ team: self().team, channel, root: thread_ts ?? ts });
}

function isOfProgram({ self }: InboundParts, { bot_id, user }: SlackMessage): boolean {
  return bot_id !== undefined || user === self().user;
}

/** A message that the author has shared beside their own. */
async function sharedIn(
  { people }: InboundParts,
  { attachments }: SlackMessage,
): Promise<string | undefined> {
  const shared = attachments.filter(({ is_share, is_msg_unfurl }) => is_share || is_msg_unfurl);
  const words = shared.map(({ text, fallback }) => people.wordsOf(text ?? fallback ?? ""));
  return (await Promise.all(words)).join("\n").trim() || undefined;
}

/** Of files in shared channels an event says only that they are there. */
async function attachmentsOf(
  { files }: InboundParts,
  entries: readonly SlackFileEntry[],
): Promise<Attachment[]> {
  const there = entries.filter(({ mode }) => mode !== "tombstone" && mode !== "hidden_by_limit");
  const all = there.map(async (entry): Promise<Attachment[]> => {
    const known = entry.file_access === "check_file_info" ? await looked(files, entry) : entry;
    if (!known) return [];
    const { id, name, mimetype, size } = known;
    const mimeType = mimetype ?? "application/octet-stream";
    return [{ id, name: name ?? "file", mimeType, bytes: size }];
  });
  return (await Promise.all(all)).flat();
}

/** Where the app may not look, the message counts all the same. */
async function looked(files: SlackFiles, entry: SlackFileEntry) {
  try {
    return await files.info(entry.id);
  } catch (error) {
    if (isRefusal(error, "missing_scope")) return entry;
    throw error;
  }
}
