import { z } from "zod";
import type { EarlierMessage } from "../../../src/contract/platform/adapter.ts";
import { NAMELESS } from "../../../src/contract/platform/nameless.ts";
import { isRefusal, type SlackCalls } from "../connection/calls.ts";
import { pages } from "../connection/pages.ts";
import { readMetadata } from "../posts/metadata.ts";
import { timeOf } from "../rendering/text.ts";
import { isDirect, type SlackPlace } from "../thread.ts";
import type { SlackPeople } from "./people.ts";

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

const Page = z.object({ messages: z.array(HistoryMessage) });

const PAGE = 200;
const MOST_PAGES = 50;

/** The messages of a thread, oldest first. */
export async function readThread(
  calls: SlackCalls,
  { channel, root }: SlackPlace,
  span: { readonly oldest?: string; readonly latest?: string } = {},
): Promise<HistoryMessage[]> {
  const found: HistoryMessage[] = [];
  // Without this flag Slack leaves the contents of metadata out.
  const args = { channel, ts: root, limit: PAGE, include_all_metadata: true, ...span };
  const ask = (more: object) => calls.call("conversations.replies", { ...args, ...more });
  for await (const { messages } of pages({ schema: Page, mostPages: MOST_PAGES, ask })) {
    found.push(...messages);
  }
  return found;
}

const TALK_PAGE = 30;
const MOST_THREADS = 3;

/** The last messages of a conversation of two, with what was said below the newest of them, oldest first. */
async function readBefore(
  calls: SlackCalls,
  channel: string,
  before: string,
): Promise<HistoryMessage[]> {
  const args = { channel, latest: before, limit: TALK_PAGE, include_all_metadata: true };
  const { messages } = Page.parse(await calls.call("conversations.history", args));
  const roots = messages.filter(({ ts }) => Number(ts) < Number(before)).slice(0, MOST_THREADS);
  const threads = roots.map(({ ts }) => readThread(calls, { team: "", channel, root: ts }));
  const all = [...messages, ...(await Promise.all(threads)).flat()];
  const byTime = new Map(all.map((message) => [message.ts, message]));
  return [...byTime.values()].sort((one, other) => Number(one.ts) - Number(other.ts));
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
  parts: { readonly calls: SlackCalls; readonly people: SlackPeople },
  place: SlackPlace,
  { before, limit }: { readonly before: string; readonly limit: number },
): Promise<EarlierMessage[]> {
  const isFirst = before === place.root;
  // In a conversation of two each message that is no reply begins a thread, and people go on from the last one.
  if (isFirst && !isDirect(place.channel)) return [];
  const all = isFirst
    ? await readBefore(parts.calls, place.channel, before)
    : await readThread(parts.calls, place, { latest: before });
  const spoken = all.filter((message) => Number(message.ts) < Number(before) && isSpoken(message));
  const newest = limit > 0 ? spoken.slice(-limit) : [];
  return Promise.all(
    newest.map(async ({ ts, user, bot_id, text }) => {
      const person = user === undefined ? undefined : await parts.people.find(user);
      const isBot = bot_id !== undefined || person?.actor.kind === "bot";
      const author = person?.name ?? (isBot ? "a bot" : NAMELESS);
      return { author, isBot, text: await parts.people.wordsOf(text), at: timeOf(ts) };
    }),
  );
}

function isSpoken({ subtype, metadata, text }: HistoryMessage): boolean {
  const ours = readMetadata(metadata);
  if (!SPOKEN.includes(subtype) || text.trim() === "") return false;
  return ours === undefined || SPOKEN_KINDS.includes(ours.kind);
}
