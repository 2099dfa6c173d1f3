import { type SubagentOrder, threadOf } from "../../contract/conversation/subagent.ts";
import { isTopicNamed } from "../../contract/conversation/topic.ts";
import { ToolError } from "../../contract/tools/operation.ts";
import { contributorsOf, isExternal } from "../../journal/conversation/state.ts";
import type { ConversationLine } from "../../journal/lines.ts";
import type { Choices } from "../choices.ts";
import type { Run } from "../turn/run.ts";
import type { KeptOrder, Orders } from "./orders.ts";

/** How deep subagents may work for subagents. */
export const DEEPEST = 2;

export interface OrderParts {
  readonly orders: Orders;
  readonly choices: Pick<Choices, "of">;
}

/** What is kept of an order, with all that its parent's turn adds to it. */
export async function takeOrder(
  { orders, choices }: OrderParts,
  run: Run,
  order: SubagentOrder,
): Promise<KeptOrder> {
  const { signal: _, progress: __, userId: ___, sharedTopicId, ...given } = order;
  const { open } = await run.state();
  if (!open) throw noConversation();
  const above = await orders.find(order.parent);
  const depth = (above?.depth ?? 0) + 1;
  if (depth > DEEPEST) throw tooDeep();
  return {
    ...asParent(above),
    ...given,
    depth,
    requester: open.requester,
    name: above ? open.name : `${open.name}'s agent`,
    contributors: contributorsOf(open),
    ...(isExternal(open) ? { isExternalCall: true } : {}),
    ...(await topicOf(choices, order.parent, sharedTopicId)),
    at: new Date().toISOString(),
  };
}

/** The one thing that a subagent is ever asked. */
export function asking(events: ReadonlySet<string>, order: KeptOrder): ConversationLine[] {
  const { callId, requester, name, contributors, isExternalCall, instructions, at } = order;
  const event = `order:${callId}`;
  if (events.has(event)) return [];
  const data = {
    event,
    messageId: event,
    author: requester,
    name,
    ...(contributors.length > 0 ? { contributors } : {}),
    ...(isExternalCall ? { isExternalCall } : {}),
    text: instructions,
    at,
    attachments: [],
    mode: "turn" as const,
  };
  return [{ kind: "message", data }];
}

/** What is left out of an order is as with the parent, who may be a subagent itself. */
function asParent(above: KeptOrder | undefined): Partial<KeptOrder> {
  if (!above) return {};
  const { model, temperature, topP, enableReasoning, systemPromptId } = above;
  return {
    ...(model === undefined ? {} : { model }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(enableReasoning === undefined ? {} : { enableReasoning }),
    ...(systemPromptId === undefined ? {} : { systemPromptId }),
  };
}

/** Only the topic that the thread itself is in: whoever may not read another's memory may not send somebody, either. */
async function topicOf(
  choices: Pick<Choices, "of">,
  parent: string,
  wanted: string | undefined,
): Promise<Pick<KeptOrder, "topic" | "notice">> {
  if (wanted === undefined) return {};
  const { topic } = await choices.of(threadOf(parent));
  if (topic !== undefined && isTopicNamed(topic, wanted)) return { topic };
  return {
    notice: `This thread is not in a topic "${wanted.slice(0, 80)}", so the subagent worked without its memory.`,
  };
}

export function noConversation(): ToolError {
  return new ToolError("executionFailed", "A subagent needs a running turn.");
}

function tooDeep(): ToolError {
  return new ToolError(
    "permissionDenied",
    `Subagents can be nested ${DEEPEST} levels deep at most. Do the task yourself.`,
  );
}
