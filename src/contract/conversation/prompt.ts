/**
 * Who the agent is told to be.
 * @internal for tests
 */
export interface SystemPrompt {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

/** A standing request that people add to what the agent is told. */
export interface MiniPrompt {
  readonly id: string;
  readonly name: string;
  readonly content: string;
  /** "global", or the one conversation that it is for. */
  readonly scope: string;
  /** In the conversation that was asked for. */
  readonly enabled: boolean;
}

/** The texts that people have written for the agent. */
export interface Prompts {
  systemPrompts(): Promise<readonly SystemPrompt[]>;
  miniPrompts(conversation: string): Promise<readonly MiniPrompt[]>;
}
