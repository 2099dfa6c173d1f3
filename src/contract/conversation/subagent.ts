import { createHash } from "node:crypto";
import type { TurnUsage } from "./turn-usage.ts";

/** A task for an agent of its own, with nothing of the asking agent's transcript. */
export interface SubagentOrder {
  /** The conversation that asks, and its call. */
  readonly parent: string;
  readonly callId: string;
  readonly userId?: string;
  readonly task: string;
  readonly instructions: string;
  /** What is left out is as with the parent. */
  readonly model?: string;
  readonly temperature?: number;
  readonly topP?: number;
  readonly enableReasoning?: boolean;
  readonly systemPromptId?: string;
  readonly maxIterations: number;
  readonly enableTerminalAccess: boolean;
  readonly enableWorkflowMode: boolean;
  readonly enableDynamicIterations: boolean;
  /** Without one, or with one that does not exist, it works by itself. */
  readonly sharedTopicId?: string;
  readonly signal: AbortSignal;
  readonly progress: (message: string, fraction?: number) => void;
}

export interface SubagentReport {
  readonly status: "completed" | "outOfSteps" | "failed" | "stopped";
  /** The child's own conversation. */
  readonly conversation: string;
  readonly steps: number;
  readonly durationMs: number;
  readonly toolsUsed: readonly string[];
  /** Its last words; where it did not complete, what there is of them. */
  readonly text: string;
  /** What it has asked of models, with all that worked for it. */
  readonly usage?: TurnUsage;
  /** Why it did not complete. */
  readonly reason?: string;
  /** Something the parent should know beside, e.g. that the topic does not exist. */
  readonly notice?: string;
}

/** Runs agents for agents. */
export interface Spawner {
  /**
   * Resolves once the child has ended, however it ended. The same call again finds the same child where it stands. Throws
   * a ToolError for an order it cannot take, and StillWaitingError where people have to answer the child first.
   */
  spawn(order: SubagentOrder): Promise<SubagentReport>;
}

/** How people and the model name a subagent's tool. */
export const SUBAGENT_TOOL = "run_subagent";

const PREFIX = "subagent:";

/** A child's own conversation: the same for the same call, always. Its name tells in whose thread people hear of it. */
export function childConversation(parent: string, callId: string): string {
  const key = createHash("sha256")
    .update(JSON.stringify([parent, callId]))
    .digest("hex");
  return `${childrenPrefix(parent)}${key.slice(0, 12)}`;
}

/** How the names of all begin that work in a thread. */
export function childrenPrefix(conversation: string): string {
  return `${PREFIX}${threadOf(conversation)}:`;
}

export function isSubagent(conversation: string): boolean {
  return conversation.startsWith(PREFIX);
}

/** The thread in which people hear of a conversation: its own, or that of the one which a subagent works for. */
export function threadOf(conversation: string): string {
  if (!isSubagent(conversation)) return conversation;
  return conversation.slice(PREFIX.length, conversation.lastIndexOf(":"));
}

const TERMINAL_PREFIX = "subagent-";

/** The session id of a subagent's own terminal, beside that of its thread. */
export function subagentTerminal(id: string): string {
  return `${TERMINAL_PREFIX}${id}`;
}

export function isSubagentTerminal(sessionId: string): boolean {
  return sessionId.startsWith(TERMINAL_PREFIX);
}

/** A few letters for people, and for the names of a subagent's directory and terminal. */
export function subagentId(conversation: string): string {
  return conversation.slice(conversation.lastIndexOf(":") + 1);
}
