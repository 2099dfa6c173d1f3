import { type APIMessage, MessageType } from "discord.js";
import type { EarlierMessage } from "../../../src/contract/platform/adapter.ts";
import type { Attempt } from "../../shared/attempts.ts";
import { personName } from "../../shared/person-name.ts";
import { CODE, type DiscordCalls, isRefusal } from "../connection/calls.ts";
import type { DiscordConnection } from "../connection/connection.ts";
import { markOf } from "../posts/marks.ts";
import { allWords } from "../rendering/text.ts";
import { type DiscordPlace, idAt, isDirect } from "../thread.ts";

interface Reader {
  readonly calls: DiscordCalls;
  readonly self: string;
}

const PAGE = 100;
const MOST_PAGES = 20;
/** Discord's clock and ours may differ. */
const CLOCK_MS = 10 * 60_000;

/** Messages of a channel after one of them, oldest first. */
export async function messagesAfter(
  calls: DiscordCalls,
  channel: string,
  after: string,
  mostPages = MOST_PAGES,
): Promise<APIMessage[]> {
  const found: APIMessage[] = [];
  let from = after;
  for (let page = 0; page < mostPages; page += 1) {
    const query = new URLSearchParams({ after: from, limit: String(PAGE) });
    const answer = (await calls.call("get", `/channels/${channel}/messages`, {
      query,
    })) as APIMessage[];
    // Newest first, whatever was asked for.
    found.push(...answer.toReversed());
    const last = answer[0];
    if (answer.length < PAGE || !last) break;
    from = last.id;
  }
  return found;
}

/** Our message with this mark. */
export async function findMarked(
  { calls, self }: Reader,
  channel: string,
  attempt: Attempt,
): Promise<string | undefined> {
  const mark = markOf(attempt);
  try {
    const messages = await messagesAfter(calls, channel, idAt(attempt.atMs - CLOCK_MS));
    const ours = messages.filter(({ author }) => author.id === self);
    return ours.find(({ components }) => components?.some(({ id }) => id === mark))?.id;
  } catch (error) {
    if (isRefusal(error, CODE.unknownChannel)) return undefined;
    throw error;
  }
}

interface EarlierParts {
  readonly calls: DiscordCalls;
  readonly connection: DiscordConnection;
}

const SPOKEN: readonly MessageType[] = [MessageType.Default, MessageType.Reply];

/** What was said, at most `limit` of the newest before a message; of our own the answers, not the cards. */
export async function earlier(
  { calls, connection }: EarlierParts,
  place: DiscordPlace,
  { before, limit }: { readonly before: string; readonly limit: number },
): Promise<EarlierMessage[]> {
  // Before the message at which a thread began there is nothing in it.
  if (limit <= 0 || (!isDirect(place) && before === place.channel)) return [];
  const found: APIMessage[] = [];
  const { self } = connection;
  let from = before;
  for (let page = 0; page < MOST_PAGES && found.length < limit; page += 1) {
    const query = new URLSearchParams({ before: from, limit: String(PAGE) });
    const route = `/channels/${place.channel}/messages` as const;
    const answer = (await calls.call("get", route, { query })) as APIMessage[];
    found.push(...answer.map(starter).filter((message) => isSpoken(message, self)));
    const last = answer.at(-1);
    if (answer.length < PAGE || !last) break;
    from = last.id;
  }
  return found
    .slice(0, limit)
    .toReversed()
    .map((message) => ({
      author: personName(message.author.global_name, message.author.username),
      isBot: message.author.bot === true,
      text: connection.wordsOf({ ...message, content: allWords(message), channel: place.channel }),
      at: new Date(message.timestamp).toISOString(),
    }));
}

/** A thread that began at a message begins with a reference to it. */
function starter(message: APIMessage): APIMessage {
  const isStarter = message.type === MessageType.ThreadStarterMessage;
  return (isStarter && message.referenced_message) || message;
}

const TEXT_DISPLAY = 10;

function isSpoken(message: APIMessage, self: string): boolean {
  if (!SPOKEN.includes(message.type) || allWords(message).trim() === "") return false;
  return message.author.id !== self || message.components?.[0]?.type === TEXT_DISPLAY;
}
