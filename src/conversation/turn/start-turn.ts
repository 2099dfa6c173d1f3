import { type ConversationState, nextTurn } from "../../journal/conversation/state.ts";
import type { ConversationLine } from "../../journal/lines.ts";
import type { ConversationParts } from "../parts.ts";
import { showTodoBoard } from "../shown/todo-board.ts";
import { readEarlier } from "./earlier.ts";
import type { Run } from "./run.ts";

/** Begins a turn with what was asked first. */
export async function startTurn(parts: ConversationParts, run: Run): Promise<void> {
  const { conversation } = run;
  const before = await run.state();
  const earlier = await earlierLine(parts, conversation, before);
  const { maxIterations } = await parts.settings.load(conversation);
  const briefing = await briefingFor(parts, conversation, before);
  await run.write((state) => {
    const { asked, open, humansBefore } = state;
    const [message] = asked;
    if (!message || open) return [];
    const data = {
      turn: nextTurn(state),
      messages: [message.event],
      requester: message.author,
      name: message.name,
      mode: message.call ? ("direct" as const) : ("agent" as const),
      maximum: maxIterations,
      ...(briefing === undefined || message.call ? {} : { briefing }),
    };
    const before = humansBefore === undefined ? earlier : [];
    return [...before, { kind: "turn.started", data }];
  });
  const { open } = await run.state();
  // A command of somebody's own is over too soon for that.
  if (open?.mode === "agent") await showTodoBoard(parts, conversation, { isTurnOpen: true });
  const messageId = open?.messages[0]?.messageId;
  // The card of a direct command appears just as soon.
  if (messageId === undefined || open?.mode === "direct") return;
  await parts
    .adapterOf(conversation)
    .mark(conversation, messageId, "seen")
    // A sign is a courtesy.
    .catch((error: unknown) =>
      parts.log("debug", "Failed to add a reaction to a message.", { error }),
    );
}

/** What is chosen and written now holds until the turn ends. */
async function briefingFor(
  { briefings, model }: ConversationParts,
  conversation: string,
  { asked: [message] }: ConversationState,
): Promise<string | undefined> {
  return message && !message.call && model ? await briefings.keep(conversation) : undefined;
}

/** For the first turn of the model: what the thread was about before anybody asked us. */
async function earlierLine(
  { adapterOf, model, log }: ConversationParts,
  conversation: string,
  { humansBefore, firstMessage, asked }: ConversationState,
): Promise<ConversationLine[]> {
  const [message] = asked;
  if (humansBefore !== undefined || !message || message.call || !model) return [];
  try {
    const before = firstMessage ?? message.messageId;
    return [await readEarlier(adapterOf(conversation), conversation, before)];
  } catch (error) {
    // Whoever asks is worth more than what was said before.
    log("warn", "Failed to read the thread's earlier messages.", { conversation, error });
    return [];
  }
}
