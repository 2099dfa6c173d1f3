import { count } from "../../contract/display.ts";
import type { ConversationState } from "../../journal/conversation/state.ts";

/** So many topics of all that is archived are named, those of the latest part first. */
const NAMED_TOPICS = 15;

/** What the model is told about that which it does not see any more. Undefined: it sees everything. */
export function archivedNote({
  archived,
}: Pick<ConversationState, "archived">): string | undefined {
  const [first] = archived;
  const last = archived.at(-1);
  if (!first || !last) return undefined;
  const messages = archived.reduce((sum, part) => sum + part.messages, 0);
  const topics = new Set(archived.toReversed().flatMap((part) => part.topics));
  return (
    `Memory status: ${count(messages, "earlier message")} of this conversation, from ${first.from} to ${last.to}, ` +
    `${messages === 1 ? "is" : "are"} archived in ${count(archived.length, "part")} and no longer in view. ` +
    `They are about: ${[...topics].slice(0, NAMED_TOPICS).join(", ") || "nothing in particular"}. ` +
    "Look them up with recall_history before you say that you do not know, ask again or repeat work that was done."
  );
}
