import type { AskedMessage } from "../conversation-lines.ts";
import type { LineData } from "../lines.ts";
import type { StateDraft } from "./state.ts";

/** How much of a deleted message is said, so that one knows which it was. */
const NAMED_CHARS = 200;

/** A message that still waits has other words; of one that is in the open turn the model is told. */
export function editMessage(
  state: StateDraft,
  edit: LineData<"message.edited">,
  seq: number,
): void {
  const { messageId, author, text } = edit;
  const isIt = (one: Pick<AskedMessage, "messageId" | "author">) =>
    one.messageId === messageId && one.author === author;
  const at = state.asked.findIndex((one) => isIt(one) && state.received.has(one.event));
  const waiting = state.asked[at];
  if (waiting) {
    state.asked[at] = reworded(waiting, edit);
    return;
  }
  const taken = state.open?.messages.find(isIt);
  if (!taken) {
    state.overheard = state.overheard.map((one) => (isIt(one) ? { ...one, text } : one));
    return;
  }
  const { call: _, said: __, ...message } = taken;
  const words = `I edited my message. It now says: ${text}`;
  state.asked = [
    ...state.asked.filter((one) => !isIt(one)),
    { ...message, text: words, event: `edit:${seq}`, attachments: [], mode: "turn" },
  ];
}

function reworded(
  { said: _, call: __, ...message }: AskedMessage,
  { text, mode = message.mode, said, call }: LineData<"message.edited">,
): AskedMessage {
  return {
    ...message,
    text,
    mode,
    ...(said === undefined ? {} : { said }),
    ...(call === undefined ? {} : { call }),
  };
}

/** A message that still waits is not begun with; of one that is in the open turn the model is told. */
export function deleteMessage(state: StateDraft, messageId: string): void {
  const isIt = (one: { readonly messageId: string }) => one.messageId === messageId;
  const waiting = state.asked.find((one) => isIt(one) && !isEdit(one));
  if (waiting) state.dropped.set(messageId, waiting.name);
  state.asked = state.asked.filter((one) => !isIt(one));
  state.overheard = state.overheard.filter((one) => !isIt(one));
  const taken = state.open?.messages.findLast(isIt);
  if (!taken) return;
  const which = taken.text.length <= NAMED_CHARS ? taken.text : "(the long one above)";
  const text = `My message was deleted from the thread and no longer counts. It said: ${which}`;
  state.news.push({ type: "user", author: taken.name, text });
}

function isEdit({ event }: AskedMessage): boolean {
  return event.startsWith("edit:");
}
