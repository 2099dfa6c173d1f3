import type { Audit, AuditEntry } from "../contract/audit.ts";
import { isSubagent, subagentId, threadOf } from "../contract/conversation/subagent.ts";
import type { Choices } from "../conversation/choices.ts";
import type { Settings } from "../conversation/settings.ts";
import type { Orders } from "../conversation/subagents/orders.ts";

/** Subagents are told what their thread's agent is told, unless their orders say otherwise. */
export function choicesOfAll(choices: Choices, orders: Orders): Choices {
  return {
    ...choices,
    of: async (conversation) => {
      const chosen = await choices.of(threadOf(conversation));
      if (!isSubagent(conversation)) return chosen;
      const systemPrompt = (await orders.find(conversation))?.systemPromptId;
      return systemPrompt === undefined ? chosen : { ...chosen, systemPrompt };
    },
  };
}

/** What subagents do is on record where people look for it: with their thread. */
export function auditOfAll(audit: Audit & AsyncDisposable): Audit & AsyncDisposable {
  return {
    ...audit,
    record: (entry) => audit.record(underThread(entry)),
    [Symbol.asyncDispose]: () => audit[Symbol.asyncDispose](),
  };
}

function underThread(entry: AuditEntry): AuditEntry {
  const { conversation, details } = entry;
  if (conversation === undefined || !isSubagent(conversation)) return entry;
  return {
    ...entry,
    conversation: threadOf(conversation),
    details: { ...details, subagent: subagentId(conversation) },
  };
}

/** The conversation whose auto-approve holds for another as well: for a subagent its thread's, if people want that. */
export function autoApproveBehind(settings: Pick<Settings, "load">) {
  return async (conversation: string): Promise<string | undefined> => {
    if (!isSubagent(conversation)) return undefined;
    const thread = threadOf(conversation);
    return (await settings.load(thread)).subagentsInheritAutoApprove ? thread : undefined;
  };
}
