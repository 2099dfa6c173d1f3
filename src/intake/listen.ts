import { actorKey } from "../contract/platform/actor.ts";
import type { Incoming } from "../contract/platform/incoming.ts";
import { readEarlier } from "../conversation/turn/earlier.ts";
import type { ConversationState } from "../journal/conversation/state.ts";
import { isAddressed } from "./admit.ts";
import type { Deed } from "./deed.ts";

export type Said = Extract<Incoming, { type: "message" | "command" }>;
type Message = Extract<Incoming, { type: "message" }>;

/** For whom something was said. "known": it was heard before, under another event. */
type Listening = "ours" | "theirs" | "known";

/**
 * Decides once for whom something was said, and writes that down. Platforms deliver one message as several events: the
 * first counts, also when it has to be looked at again.
 */
export async function listen(deed: Deed<Said>): Promise<Listening> {
  const { parts, conversation, incoming, row } = deed;
  await learnWhoWroteBefore(deed);
  let isMissed = false;
  const event = row.id;
  await parts.conversations.write(
    conversation,
    (state) => {
      if (state.received.has(event)) return [];
      const isOverheard = !isForUs(deed, state);
      isMissed = isOverheard && wasAlone(state, deed);
      const writer =
        incoming.type === "message"
          ? { messageId: incoming.messageId, author: authorOf(deed) }
          : undefined;
      const data = { event, ...writer, ...(isOverheard ? { isOverheard } : {}) };
      return [{ kind: "received", data }];
    },
    { claims: [`message:${conversation}:${idOf(incoming)}`] },
  );
  const heard = (await parts.conversations.state(conversation)).received.get(event);
  if (!heard) return "known";
  if (isMissed) await deed.whisper(MENTION_ME);
  return heard.isOverheard ? "theirs" : "ours";
}

const MENTION_ME = "Others have joined this thread, so from now on I only respond when mentioned.";

/** Why this person may not speak to us; undefined when they may. */
export function refusalToTalk({ parts, presence }: Deed): string | undefined {
  const may = parts.authorize(presence.actor, { kind: "talk" }, presence.place);
  return may.allowed ? undefined : may.reason;
}

function isForUs(deed: Deed<Said>, state: ConversationState): boolean {
  const { incoming } = deed;
  if (incoming.type === "command") return true;
  if (refusalToTalk(deed) !== undefined) return false;
  return isAddressed(incoming) || isFollowUp({ ...deed, incoming }, state);
}

/** Whoever is alone with us in a thread need not call us by our name each time. */
function isFollowUp(deed: Deed<Message>, { writers, humansBefore }: ConversationState): boolean {
  const author = authorOf(deed);
  const { actorName } = deed.incoming;
  return (
    writers.get(author)?.isHeard === true &&
    writers.size === 1 &&
    (humansBefore ?? []).every((name) => name === actorName)
  );
}

/** They were alone with us here until somebody else wrote, and have not been told what that changes. */
function wasAlone({ writers, humansBefore }: ConversationState, deed: Deed<Said>): boolean {
  const [first, writer] = [...writers][0] ?? [];
  return (
    first === authorOf(deed) &&
    writer?.isOverheard === false &&
    (humansBefore ?? []).every((name) => name === deed.incoming.actorName)
  );
}

/** Needed for what has no mention. Turns of the model have looked already; commands have not. */
async function learnWhoWroteBefore({ parts, conversation, incoming }: Deed<Said>): Promise<void> {
  if (incoming.type === "command" || isAddressed(incoming)) return;
  const { humansBefore, firstMessage } = await parts.conversations.state(conversation);
  if (humansBefore !== undefined || firstMessage === undefined) return;
  const line = await readEarlier(parts.adapterOf(conversation), conversation, firstMessage);
  await parts.conversations.write(conversation, (state) =>
    state.humansBefore === undefined ? [line] : [],
  );
}

function authorOf({ presence }: Deed): string {
  return actorKey(presence.actor);
}

function idOf(incoming: Said): string {
  return incoming.type === "message" ? incoming.messageId : incoming.id;
}
