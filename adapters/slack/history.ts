import { z } from "zod";
import type { EarlierMessage } from "../../src/contract/adapter.ts";
import { isRefusal, type SlackCalls } from "./calls.ts";
import { readMetadata } from "./metadata.ts";
import type { SlackPeople } from "./people.ts";
import { timeOf, wordsOf } from "./text.ts";
import type { SlackPlace } from "./thread.ts";

const HistoryMessage = z.object({
  ts: z.string(),
  user: z.string().optional(),
  bot_id: z.string().optional(),
  subtype: z.string().optional(),
  text: z.string().default(""),
  metadata: z.unknown().optional(),
  files: z.array(z.unknown()).default([]),
});
export type HistoryMessage = z.infer<typeof HistoryMessage>;

const Page = z.object({
  messages: z.array(HistoryMessage),
  response_metadata: z.object({ next_cursor: z.string().default("") }).optional(),
});

const PAGE = 200;
const MOST_PAGES = 50;

/** The messages of a thread, oldest first. */
export async function readThread(
  calls: SlackCalls,
  { channel, root }: SlackPlace,
  span: { readonly oldest?: string; readonly latest?: string } = {},
): Promise<HistoryMessage[]> {
  const found: HistoryMessage[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const more = cursor ? { cursor } : {};
    // Without this flag Slack leaves the contents of metadata out.
    const args = { channel, ts: root, limit: PAGE, include_all_metadata: true, ...span, ...more };
    const answer = Page.parse(await calls.call("conversations.replies", args));
    found.push(...answer.messages);
    cursor = answer.response_metadata?.next_cursor;
    if (!cursor) break;
  }
  return found;
}

/** Whether anything stands below a thread's first message. */
export async function hasReplies(calls: SlackCalls, { channel, root }: SlackPlace) {
  try {
    const args = { channel, ts: root, limit: 2 };
    const { messages } = Page.parse(await calls.call("conversations.replies", args));
    return messages.some(({ ts }) => ts !== root);
  } catch (error) {
    if (isRefusal(error, "thread_not_found", "missing_scope")) return false;
    throw error;
  }
}

const SPOKEN = [undefined, "file_share", "thread_broadcast", "me_message", "bot_message"];
/** Of our own only what belongs to the talk; the rest shows a state. */
const SPOKEN_KINDS = ["reply", "notice", "question", "terminal"];

/** What was said, at most `limit` of the newest before a message. */
export async function earlier(
  parts: { readonly calls: SlackCalls; readonly people: SlackPeople; readonly self: string },
  place: SlackPlace,
  { before, limit }: { readonly before: string; readonly limit: number },
): Promise<EarlierMessage[]> {
  // Before the message that a thread begins with there is nothing.
  if (before === place.root) return [];
  const all = await readThread(parts.calls, place, { latest: before });
  const spoken = all.filter((message) => Number(message.ts) < Number(before) && isSpoken(message));
  const newest = limit > 0 ? spoken.slice(-limit) : [];
  return Promise.all(
    newest.map(async ({ ts, user, bot_id, text }) => {
      const person = user === undefined ? undefined : await parts.people.find(user);
      const isBot = bot_id !== undefined || person?.actor.kind === "bot";
      const words = wordsOf(text, parts.self);
      return { author: person?.name ?? user ?? "a bot", isBot, text: words, at: timeOf(ts) };
    }),
  );
}

function isSpoken({ subtype, metadata, text }: HistoryMessage): boolean {
  const ours = readMetadata(metadata);
  if (!SPOKEN.includes(subtype) || text.trim() === "") return false;
  return ours === undefined || SPOKEN_KINDS.includes(ours.kind);
}
