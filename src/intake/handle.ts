import { threadOf } from "../contract/conversation/subagent.ts";
import { actorKey } from "../contract/platform/actor.ts";
import { DeliveryError } from "../contract/platform/adapter.ts";
import type { Incoming } from "../contract/platform/incoming.ts";
import { readAction } from "../contract/platform/view-actions.ts";
import type { InboxRow } from "../contract/store.ts";
import { nextOf } from "../conversation/turn/next.ts";
import type { AskedMessage } from "../journal/conversation-lines.ts";
import type { ConversationLine } from "../journal/lines.ts";
import { presenceOf } from "./admit.ts";
import { answerByClick, answerByWords, decideByClick, expire } from "./answers.ts";
import { takeDeletion, takeEdit } from "./changes.ts";
import type { CommandOutcome } from "./commands.ts";
import type { Deed, HandleParts } from "./deed.ts";
import { listen, refusalToTalk, type Said } from "./listen.ts";
import type { InboxEvent } from "./worker.ts";

/** Sees to one row of the inbox. Whatever it had done when it is cut off, doing it again does not do it twice. */
export async function handle(
  parts: HandleParts,
  event: InboxEvent,
  row: InboxRow,
): Promise<"done" | "later"> {
  const { conversation } = row;
  try {
    if (event.type === "expiry") await expire(parts, conversation, event.approval);
    else if (event.type !== "wake") await dealWith(deedOf(parts, event, row));
    if (await isTakenUp(parts, threadOf(conversation))) return "done";
  } catch (error) {
    // It is tried again for good, and without a word people would wait for as long.
    await parts.reply.tellUnreadable(conversation, error);
    throw error;
  }
  if (event.type === "wake") return "later";
  // What was done and said must not be done and said again with every look at whether somebody has taken it up.
  await parts.inbox.put({ id: `wake:${row.id}`, conversation, data: { type: "wake" } });
  return "done";
}

/** Whoever works on it may have looked for the last time: only what is seen to have been taken up is done with. */
async function isTakenUp({ conversations }: HandleParts, thread: string): Promise<boolean> {
  if ((await conversations.wake(thread)) === "looked") return true;
  const { kind } = nextOf(await conversations.state(thread));
  return kind === "idle" || kind === "wait";
}

function deedOf(parts: HandleParts, incoming: Incoming, row: InboxRow): Deed {
  const { thread, actor, id } = incoming;
  return {
    parts,
    incoming,
    presence: presenceOf(incoming),
    conversation: thread,
    row,
    whisper: async (text) => {
      const view = { kind: "notice", level: "info", text } as const;
      try {
        await parts.reply.whisper(thread, actor.id, view, id);
      } catch (error) {
        // Where nobody can be told alone, everybody reads it: tried again for ever, it would never be done.
        if (!(error instanceof DeliveryError) || error.when === "later") throw error;
        parts.reply.show(thread, `told:${row.id}`, view);
      }
    },
  };
}

async function dealWith(deed: Deed): Promise<void> {
  const { parts, conversation, incoming, presence } = deed;
  const by = actorKey(presence.actor);
  switch (incoming.type) {
    case "message":
    case "command":
      return hear({ ...deed, incoming });
    case "click":
      return press({ ...deed, incoming });
    case "edit":
      return (await takeEdit({ ...deed, incoming })) === "stop" ? stop(deed) : undefined;
    case "deletion":
      return takeDeletion({ ...deed, incoming });
    case "stop":
      return stop(deed);
    case "archived":
      await parts.conversations.write(conversation, ({ asked }) => asked.map(withdrawn));
      await parts.conversations.stop(conversation, by);
      await parts.approvals.cancelAll(conversation, by, incoming.actorName);
      await parts.questions.cancelAll(conversation, by);
      await parts.grants.revoke(conversation, { by });
      await parts.autoApprove.revoke(conversation, { by });
      return;
  }
}

/** Nobody is there any more to whom it could be of use. */
function withdrawn({ messageId }: AskedMessage): ConversationLine {
  return { kind: "message.deleted", data: { messageId } };
}

/** Words: a command, an answer to what we have asked, something to do, or nothing but talk among people. */
async function hear(deed: Deed<Said>): Promise<void> {
  const { parts, conversation, incoming, presence } = deed;
  const heard = await listen(deed);
  if (heard === "known") return;
  const outcome: CommandOutcome =
    heard === "ours" ? await parts.commands.handle(incoming, presence) : { kind: "none" };
  if (outcome.kind === "done") return;
  if (outcome.kind === "stop") return stop(deed);
  // Words of a slash command that are none are said to the model, and not everybody may do that.
  const refused = refusalToTalk(deed);
  if (refused !== undefined) return heard === "ours" ? deed.whisper(refused) : undefined;
  if (outcome.kind === "none" && (await answerByWords(deed))) return;
  if (heard === "theirs") return overhear(deed);
  await parts.conversations.write(conversation, ({ events }) => {
    const data = askedMessage(deed, outcome);
    return events.has(data.event) ? [] : [{ kind: "message", data }];
  });
  const state = await parts.conversations.state(conversation);
  if (nextOf(state).kind === "wait") {
    await deed.whisper("I handle your message once the card above is answered.");
  }
}

async function overhear({ parts, conversation, incoming, presence, row }: Deed<Said>) {
  if (incoming.type !== "message") return;
  const { messageId, actorName: name, text } = incoming;
  const author = actorKey(presence.actor);
  await parts.conversations.write(conversation, ({ events }) =>
    events.has(row.id)
      ? []
      : [{ kind: "overheard", data: { event: row.id, messageId, author, name, text } }],
  );
}

function askedMessage(
  { incoming, presence, row }: Deed<Said>,
  outcome: CommandOutcome,
): AskedMessage {
  const isMessage = incoming.type === "message";
  return {
    event: row.id,
    messageId: isMessage ? incoming.messageId : incoming.id,
    author: actorKey(presence.actor),
    name: incoming.actorName,
    ...(outcome.kind === "queue"
      ? { text: outcome.text, said: incoming.text }
      : { text: incoming.text }),
    at: incoming.at,
    attachments: isMessage ? incoming.attachments : [],
    ...(isMessage && incoming.pointedAt !== undefined ? { pointedAt: incoming.pointedAt } : {}),
    ...(isMessage && incoming.isExternalCall ? { isExternalCall: true } : {}),
    mode: outcome.kind === "queue" || outcome.kind === "direct" ? "queue" : "turn",
    ...(outcome.kind === "direct" ? { call: outcome.call } : {}),
  };
}

async function press(deed: Deed<Extract<Incoming, { type: "click" }>>): Promise<void> {
  const action = readAction(deed.incoming.action);
  if (action?.kind === "approval") return decideByClick(deed, action);
  if (action?.kind === "answer") return answerByClick(deed, action);
  if (!action)
    return deed.whisper("This button no longer works. Use the newest card in the thread.");
  const { kind } = await deed.parts.commands.handle(deed.incoming, deed.presence);
  if (kind === "stop") await stop(deed);
}

async function stop(deed: Deed): Promise<void> {
  const { parts, conversation, incoming, presence, whisper, row } = deed;
  const by = actorKey(presence.actor);
  const wasRunning = await parts.conversations.stop(conversation, by, incoming.actorName);
  if (!wasRunning && row.tries === 1) await whisper("Nothing is running in this thread.");
}
