import type { ConversationLine } from "../contract/conversation-line.ts";
import type { ConversationParts } from "./parts.ts";
import type { Run } from "./run.ts";
import type { ConversationState } from "./state.ts";

/** How much of what was said before is worth reading. */
const EARLIER_MESSAGES = 30;
const EARLIER_CHARS = 20_000;

/** Begins a turn with what was asked first. */
export async function startTurn(parts: ConversationParts, run: Run): Promise<void> {
  const { conversation } = run;
  const before = await run.state();
  const earlier = await earlierLine(parts, conversation, before);
  const { maxIterations } = await parts.settings.load(conversation);
  await run.write(({ asked, open, turns }) => {
    const [message] = asked;
    if (!message || open) return [];
    const data = {
      turn: `t${turns + 1}`,
      messages: [message.event],
      requester: message.author,
      name: message.name,
      mode: message.call ? ("direct" as const) : ("agent" as const),
      maximum: maxIterations,
    };
    return [...earlier, { kind: "turn.started", data }];
  });
  const { open } = await run.state();
  const messageId = open?.messages[0]?.messageId;
  if (messageId === undefined) return;
  await parts
    .adapterOf(conversation)
    .mark(conversation, messageId, "seen")
    // A sign is a courtesy.
    .catch((error: unknown) => parts.log("debug", "A message was not marked.", { error }));
}

/** At the first mention: what the thread was about before. */
async function earlierLine(
  { adapterOf, log }: ConversationParts,
  conversation: string,
  { turns, hasEarlier, asked }: ConversationState,
): Promise<ConversationLine[]> {
  const [message] = asked;
  if (turns > 0 || hasEarlier || !message || message.call) return [];
  try {
    const found = await adapterOf(conversation).earlier(
      conversation,
      message.messageId,
      EARLIER_MESSAGES,
    );
    const messages = newest(found.map(({ author, text }) => ({ author, text })));
    return messages.length === 0 ? [] : [{ kind: "earlier", data: { messages } }];
  } catch (error) {
    // Whoever asks is worth more than what was said before.
    log("warn", "What was said earlier in the thread could not be read.", { conversation, error });
    return [];
  }
}

function newest<One extends { readonly text: string }>(messages: readonly One[]): One[] {
  let left = EARLIER_CHARS;
  const kept = messages.toReversed().filter(({ text }) => {
    left -= text.length;
    return left >= 0;
  });
  return kept.toReversed();
}
