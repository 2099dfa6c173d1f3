import { type Adapter, DeliveryError } from "../../contract/platform/adapter.ts";
import { newest } from "../../journal/conversation/fold-turn.ts";
import type { ConversationLine } from "../../journal/lines.ts";

/** How much of what was said before is worth reading. */
const EARLIER_MESSAGES = 30;
const EARLIER_CHARS = 20_000;

/** What the thread was about before the given message, and who had written in it. Throws while the platform is away. */
export async function readEarlier(
  adapter: Pick<Adapter, "earlier">,
  thread: string,
  beforeMessage: string,
): Promise<Extract<ConversationLine, { kind: "earlier" }>> {
  const found = await foundBefore(adapter, thread, beforeMessage);
  const humans = found.filter(({ isBot }) => !isBot).map(({ author }) => author);
  const messages = newest(
    found.map(({ author, text }) => ({ author, text })),
    EARLIER_CHARS,
  );
  return { kind: "earlier", data: { messages, humans: [...new Set(humans)] } };
}

async function foundBefore(
  adapter: Pick<Adapter, "earlier">,
  thread: string,
  beforeMessage: string,
): ReturnType<Adapter["earlier"]> {
  try {
    return await adapter.earlier(thread, beforeMessage, EARLIER_MESSAGES);
  } catch (error) {
    // Where we may not look, there is nothing to be known, now or later.
    if (error instanceof DeliveryError && error.when === "never") return [];
    throw error;
  }
}
