import type { ThreadId } from "../../../src/contract/platform/incoming.ts";
import { label } from "../rendering/buttons.ts";
import type { Block } from "../rendering/rich-text.ts";
import { timeOf } from "../rendering/text.ts";
import { decodeThread } from "../thread.ts";
import type { DoorParts } from "./doors.ts";

const MOST_WAITING = 20;
const MOST_THREADS = 20;

/** Somebody looks at the bot's own page: what waits for somebody, and the threads in which they had a part. */
export async function onHome(parts: DoorParts, user: string): Promise<void> {
  const blocks = await overview(parts, user);
  await parts.calls.call("views.publish", { user_id: user, view: { type: "home", blocks } });
}

export async function overview(parts: DoorParts, user: string): Promise<Block[]> {
  const { threads, self } = parts;
  const mayRead = await reader(parts, user);
  const cards = await threads.waiting(self().team);
  const waiting = await those(cards, mayRead, MOST_WAITING);
  const all = await threads.list(self().team);
  const theirs = await those(
    all.filter(({ people }) => people.includes(user)),
    mayRead,
    MOST_THREADS,
  );
  return [
    header("Waiting for a person"),
    ...(waiting.length === 0 ? [line("Nothing is waiting.")] : []),
    ...waiting.map(({ thread, post, title }) => line(title, linkTo(parts, thread, post))),
    header("Your threads"),
    ...(theirs.length === 0 ? [line("None yet. Mention me in a channel that I am in.")] : []),
    ...theirs.map(({ thread, title }) => {
      const day = timeOf(decodeThread(thread).root).slice(0, 10);
      return line(`${title || "Thread"} · ${day}`, linkTo(parts, thread));
    }),
  ];
}

/** Whether this person may read a thread: only whoever is in its channel now. */
async function reader(
  { people, hooks, self }: DoorParts,
  user: string,
): Promise<(thread: ThreadId) => Promise<boolean>> {
  const { actor } = await people.doerNow(user);
  const { team } = self();
  const asked = new Map<string, Promise<boolean>>();
  return async (thread) => {
    const { channel } = decodeThread(thread);
    const isMember = asked.get(channel) ?? people.isMember(channel, user);
    asked.set(channel, isMember);
    if (!(await isMember)) return false;
    const place = { platform: "slack", team, channel, isChannelMember: true };
    return hooks.mayRead?.({ actor, place }, thread) ?? true;
  };
}

async function those<Item extends { readonly thread: ThreadId }>(
  items: readonly Item[],
  mayRead: (thread: ThreadId) => Promise<boolean>,
  most: number,
): Promise<Item[]> {
  const kept: Item[] = [];
  for (const item of items) {
    if (kept.length >= most) break;
    if (await mayRead(item.thread)) kept.push(item);
  }
  return kept;
}

function header(text: string): Block {
  return { type: "header", text: label(text) };
}

function line(text: string, url?: string): Block {
  const button = { type: "button", text: label("Open"), url, action_id: "open" };
  return {
    type: "section",
    text: label(text, 300),
    ...(url === undefined ? {} : { accessory: button }),
  };
}

function linkTo({ teamUrl }: DoorParts, thread: ThreadId, post?: string): string {
  const { channel, root } = decodeThread(thread);
  const message = (post ?? root).replace(".", "");
  return `${teamUrl()}archives/${channel}/p${message}?thread_ts=${root}&cid=${channel}`;
}
