import { isSubagent, threadOf } from "../../contract/conversation/subagent.ts";
import type { View } from "../../contract/platform/view.ts";
import type { Reply } from "../../reply/reply.ts";
import type { Orders } from "./orders.ts";

/** What subagents ask people stands in the thread that they work for, under their names. The rest stays with their parents. */
export function withChildren(reply: Reply, orders: Orders): Reply {
  return {
    ...reply,
    show: (conversation, slot, view) => {
      if (!isSubagent(conversation)) return reply.show(conversation, slot, view);
      const named = namedView(view, orders.known(conversation)?.task ?? "subagent");
      if (named) reply.show(threadOf(conversation), slot, named);
    },
    share: (conversation, slot, file) => reply.share(threadOf(conversation), slot, file),
    whisper: (conversation, ...whispered) => reply.whisper(threadOf(conversation), ...whispered),
    whisperFile: (conversation, ...whispered) =>
      reply.whisperFile(threadOf(conversation), ...whispered),
    // Who waits for the end of a subagent waits for nothing that people see.
    flush: async (conversation) => {
      if (!isSubagent(conversation)) await reply.flush(conversation);
    },
    restore: async (conversation) => (isSubagent(conversation) ? [] : reply.restore(conversation)),
  };
}

function namedView(view: View, task: string): View | undefined {
  if (view.kind === "question") return { ...view, asker: `Subagent: ${task}` };
  if (view.kind === "approval")
    return { ...view, requester: `${view.requester} (subagent: ${task})` };
  return undefined;
}
