import { actorKey } from "../contract/platform/actor.ts";
import type { Incoming } from "../contract/platform/incoming.ts";
import type { ConversationState } from "../journal/conversation/state.ts";
import type { AskedMessage } from "../journal/conversation-lines.ts";
import type { ConversationLine, LineData } from "../journal/lines.ts";
import type { CommandOutcome } from "./commands.ts";
import type { Deed } from "./deed.ts";

type Edit = Extract<Incoming, { type: "edit" }>;
type Deletion = Extract<Incoming, { type: "deletion" }>;

const HAS_BEGUN = "has already started and continues unchanged. Say `stop` to end it.";

/**
 * Somebody has changed their own message. As long as nothing was begun with it, the new words count as if they had been
 * said in the first place. Answers whether they want everything stopped.
 */
export async function takeEdit(deed: Deed<Edit>): Promise<"stop" | undefined> {
  const { parts, conversation, incoming } = deed;
  const before = await parts.conversations.state(conversation);
  const waiting = waitingMessage(before, deed);
  if (waiting && (waiting.said ?? waiting.text) === incoming.text) return undefined;
  const outcome = waiting && (await understood(deed));
  let hasBegun = false;
  await parts.conversations.write(conversation, (state) => {
    if (outcome && waitingMessage(state, deed)) return [rewording(deed, outcome)];
    const taken = state.open?.messages.find((one) => isTheirs(one, deed));
    hasBegun = taken?.call !== undefined && (taken.said ?? taken.text) !== incoming.text;
    return taken?.call ? [] : news(deed, taken ?? overheardMessage(state, deed));
  });
  if (hasBegun) await deed.whisper(`The request that you edited ${HAS_BEGUN}`);
  return outcome?.kind === "stop" ? "stop" : undefined;
}

/** What it would mean if it were said now. Commands that are answered at once are answered by this. */
function understood({ parts, incoming, presence }: Deed<Edit>): Promise<CommandOutcome> {
  const { messageId, text, type: _, ...common } = incoming;
  const spoken = { isMention: true, isDirect: false, attachments: [] };
  return parts.commands.handle(
    { ...common, ...spoken, type: "message", messageId, text },
    presence,
  );
}

function rewording({ incoming, presence }: Deed<Edit>, outcome: CommandOutcome): ConversationLine {
  const { messageId, text } = incoming;
  const edited = { messageId, author: actorKey(presence.actor) };
  switch (outcome.kind) {
    case "none":
      return { kind: "message.edited", data: { ...edited, text, mode: "turn" } };
    case "queue": {
      const data = { ...edited, text: outcome.text, said: text, mode: "queue" as const };
      return { kind: "message.edited", data };
    }
    case "direct": {
      const data = { ...edited, text, call: outcome.call, mode: "queue" as const };
      return { kind: "message.edited", data };
    }
    // There is nothing left of it to be done.
    case "done":
    case "stop":
      return { kind: "message.deleted", data: { messageId } };
  }
}

/** Platforms also tell of an edit when they have only added a preview. */
function news(
  { incoming, presence }: Deed<Edit>,
  known: AskedMessage | LineData<"overheard"> | undefined,
): ConversationLine[] {
  const { messageId, text } = incoming;
  if (!known || known.text === text || ("said" in known && known.said === text)) return [];
  return [{ kind: "message.edited", data: { messageId, author: actorKey(presence.actor), text } }];
}

/** Calls that a verb has written down are not the message itself. */
function waitingMessage(
  { asked, received }: ConversationState,
  deed: Deed<Edit>,
): AskedMessage | undefined {
  return asked.find((one) => isTheirs(one, deed) && received.has(one.event));
}

function overheardMessage({ overheard }: ConversationState, deed: Deed<Edit>) {
  return overheard.find((one) => isTheirs(one, deed));
}

function isTheirs(
  { messageId, author }: Pick<AskedMessage, "messageId" | "author">,
  { incoming, presence }: Deed<Edit>,
): boolean {
  return messageId === incoming.messageId && author === actorKey(presence.actor);
}

/** Somebody has deleted a message, not always their own. */
export async function takeDeletion(deed: Deed<Deletion>): Promise<void> {
  const { parts, conversation, incoming } = deed;
  const { messageId } = incoming;
  const isIt = (one: { readonly messageId: string }) => one.messageId === messageId;
  let hasBegun = false;
  await parts.conversations.write(conversation, ({ asked, overheard, open }) => {
    const taken = open?.messages.find(isIt);
    hasBegun = taken?.call !== undefined;
    const isKnown = asked.some(isIt) || overheard.some(isIt) || (taken && !taken.call);
    return isKnown ? [{ kind: "message.deleted", data: { messageId } }] : [];
  });
  if (hasBegun) await deed.whisper(`The request in the deleted message ${HAS_BEGUN}`);
  const { dropped } = await parts.conversations.state(conversation);
  const name = dropped.get(messageId);
  if (name === undefined) return;
  const text = `A message of ${name} was deleted before I started on it, so I skip it.`;
  parts.reply.show(conversation, `dropped:${messageId}`, { kind: "notice", level: "info", text });
}
