/**
 * A task for an agent of its own, with nothing of the asking agent's transcript.
 * @internal for tests
 */
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
  /** Why it did not complete. */
  readonly reason?: string;
  /** Something the parent should know beside, e.g. that the topic does not exist. */
  readonly notice?: string;
}

/** Runs agents for agents. */
export interface Spawner {
  /** Resolves once the child has ended, however it ended. Throws a ToolError for an order it cannot take. */
  spawn(order: SubagentOrder): Promise<SubagentReport>;
}
